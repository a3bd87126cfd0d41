//! Lines of a file that may hold anything: no line makes the reader hold more than the longest that a log can have.

use std::io::{self, BufRead, Read as _};

/// A buffer that held a long line is given back.
const KEPT: usize = 1 << 20;

/// What a line is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It ends with a line feed.
    Whole,
    /// It ends with the input.
    Torn,
    /// It is longer than `most`, and its content is not kept.
    TooLong,
}

#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    most: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, most: u64) -> Self {
        Self { input, most, line: Vec::new() }
    }

    /// Reads one more line. Says how it ends and how many bytes it takes, its line ending included; `None` at the end of the
    /// input.
    pub(super) fn next(&mut self) -> io::Result<Option<(Ending, u64)>> {
        self.line.clear();
        self.line.shrink_to(KEPT);
        // Two more for the line ending.
        let most = self.most.saturating_add(2);
        let mut bytes = (&mut self.input).take(most).read_until(b'\n', &mut self.line)? as u64;
        if bytes == 0 {
            return Ok(None);
        }
        if self.line.pop_if(|last| *last == b'\n').is_some() {
            // A copy may have been through a program that ends its lines so; no line of a log ends with it by itself.
            self.line.pop_if(|last| *last == b'\r');
            let ending = if self.line.len() as u64 > self.most { Ending::TooLong } else { Ending::Whole };
            return Ok(Some((ending, bytes)));
        }
        if bytes < most {
            return Ok(Some((Ending::Torn, bytes)));
        }
        loop {
            self.line.clear();
            let more = (&mut self.input).take(KEPT as u64).read_until(b'\n', &mut self.line)? as u64;
            bytes += more;
            if self.line.ends_with(b"\n") {
                return Ok(Some((Ending::TooLong, bytes)));
            }
            if more == 0 {
                return Ok(Some((Ending::Torn, bytes)));
            }
        }
    }

    /// The line last read, without its line ending. Not all of it where it was too long.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(Ending, u64, &str)]) {
        let mut lines = Lines::new(io::BufReader::with_capacity(3, text.as_bytes()), 4);
        for (ending, bytes, line) in expect {
            assert_eq!(lines.next().unwrap(), Some((*ending, *bytes)), "{text:?}");
            if *ending != Ending::TooLong && *bytes < 6 {
                assert_eq!(lines.line(), line.as_bytes(), "{text:?}");
            }
        }
        assert_eq!(lines.next().unwrap(), None, "{text:?}");
    }

    #[test]
    fn tells_whole_from_torn_and_too_long() {
        check("", &[]);
        check("\n", &[(Ending::Whole, 1, "")]);
        check("abcd\nab", &[(Ending::Whole, 5, "abcd"), (Ending::Torn, 2, "ab")]);
        check("abcd\r\nx\n", &[(Ending::Whole, 6, "abcd"), (Ending::Whole, 2, "x")]);
        check("abcde\nx\n", &[(Ending::TooLong, 6, ""), (Ending::Whole, 2, "x")]);
        check("abcdefghijkl\nx\n", &[(Ending::TooLong, 13, ""), (Ending::Whole, 2, "x")]);
        check("abcdefghijkl", &[(Ending::Torn, 12, "")]);
    }
}
