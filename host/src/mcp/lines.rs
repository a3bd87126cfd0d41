//! Messages as lines: the framing of the protocol over standard input and output.

use std::io;

use super::message::MAX_BYTES;

/// How much is read at once. A pipe of Linux holds as much.
const CHUNK: usize = 64 << 10;

/// What has been read and not been taken.
#[derive(Debug, Default)]
pub(super) struct Lines {
    read: Vec<u8>,
    /// Where the first byte is that was not taken.
    from: usize,
    /// Up to where there is no line end.
    looked: usize,
    /// Whether the rest of a line that is too long is on its way.
    skipping: bool,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its line end; never blank.
    Whole(Vec<u8>),
    /// Longer than [`MAX_BYTES`]: it was thrown away.
    TooLong,
}

impl Lines {
    /// The next line, if all of it is there.
    pub(super) fn next(&mut self) -> Option<Line> {
        loop {
            let Some(end) = self.read[self.looked..].iter().position(|&byte| byte == b'\n') else {
                self.looked = self.read.len();
                return self.overlong();
            };
            let (from, end) = (self.from, self.looked + end);
            (self.from, self.looked) = (end + 1, end + 1);
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            let line = &self.read[from..end];
            if line.len() > MAX_BYTES {
                return Some(Line::TooLong);
            }
            if !line.trim_ascii().is_empty() {
                return Some(Line::Whole(line.to_vec()));
            }
        }
    }

    /// Throws away what is there of a line that is too long; says so once.
    fn overlong(&mut self) -> Option<Line> {
        let too_long = self.read.len() - self.from > MAX_BYTES;
        if too_long || self.skipping {
            (self.from, self.looked) = (self.read.len(), self.read.len());
        }
        (too_long && !std::mem::replace(&mut self.skipping, true)).then_some(Line::TooLong)
    }

    /// The last line, where the input ends without a line end.
    pub(super) fn rest(&mut self) -> Option<Line> {
        let rest = self.read.split_off(self.from);
        *self = Self::default();
        (!rest.trim_ascii().is_empty()).then_some(Line::Whole(rest))
    }

    /// Room for more, after what is there.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        self.read.drain(..self.from);
        self.looked -= self.from;
        self.from = 0;
        self.read.reserve(CHUNK);
        &mut self.read
    }
}

/// One answer as a line.
pub(super) fn line(message: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(chunks: &[&[u8]]) -> Vec<Line> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.room().extend_from_slice(chunk);
            found.extend(std::iter::from_fn(|| lines.next()));
        }
        found.extend(lines.rest());
        found
    }

    fn whole(text: &[u8]) -> Line {
        Line::Whole(text.to_vec())
    }

    #[test]
    fn lines_come_out_however_they_come_in() {
        let lines = || vec![whole(b"one"), whole(b"two\r"), whole(b"three")];
        assert_eq!(all(&[b"one\n\n  \ntwo\r\nthree"]), lines());
        let text = b"one\n\n  \ntwo\r\nthree\n";
        assert_eq!(all(&text.chunks(1).collect::<Vec<_>>()), lines());
    }

    #[test]
    fn a_line_over_the_limit_is_named_once_and_the_next_one_is_read() {
        let long = vec![b'x'; MAX_BYTES + 1];
        let edge = vec![b'y'; MAX_BYTES];
        let expected = || vec![Line::TooLong, whole(&edge), whole(b"next")];
        let text = [&long[..], b"\n", &edge, b"\nnext\n"].concat();
        assert_eq!(all(&[&text]), expected());
        assert_eq!(all(&text.chunks(60_000).collect::<Vec<_>>()), expected());
        // Still going when the input ends.
        assert_eq!(all(&[&long, &long]), [Line::TooLong]);
    }
}
