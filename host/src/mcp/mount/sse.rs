//! A stream of server-sent events, as far as the protocol uses it: the data of each event is one message.
//!
//! Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>.

use super::super::message::MAX_BYTES;

/// What has come of the event that is not whole yet.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The last byte was a carriage return: a line feed belongs to it.
    returned: bool,
}

/// An event longer than a message may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// The data of each event that a piece of the stream completes.
    pub(super) fn read(&mut self, piece: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut whole = Vec::new();
        for &byte in piece {
            let second = std::mem::take(&mut self.returned) && byte == b'\n';
            match byte {
                b'\n' if second => {}
                b'\n' | b'\r' => {
                    self.returned = byte == b'\r';
                    whole.extend(self.end_line()?);
                }
                _ if self.line.len() < MAX_BYTES + 6 => self.line.push(byte),
                _ => return Err(TooLong),
            }
        }
        Ok(whole)
    }

    fn end_line(&mut self) -> Result<Option<Vec<u8>>, TooLong> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return Ok(self.data.take().filter(|data| !data.is_empty()));
        }
        let Some(value) = line.strip_prefix(b"data") else { return Ok(None) };
        let value = match value.strip_prefix(b":") {
            Some(value) => value.strip_prefix(b" ").unwrap_or(value),
            None if value.is_empty() => value,
            None => return Ok(None),
        };
        let data = self.data.get_or_insert_default();
        if !data.is_empty() {
            data.push(b'\n');
        }
        data.extend_from_slice(value);
        if data.len() > MAX_BYTES { Err(TooLong) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stream: &[u8], expect: &[&[u8]]) {
        for size in [1, 2, stream.len().max(1)] {
            let mut events = Events::default();
            let found: Vec<_> = stream.chunks(size).flat_map(|piece| events.read(piece).unwrap()).collect();
            assert_eq!(found, expect, "{}", String::from_utf8_lossy(stream));
        }
    }

    #[test]
    fn events_come_out_however_they_come_in() {
        check(b"data: {\"a\":1}\n\nevent: message\nid: 7\ndata:{}\r\n\r\n", &[b"{\"a\":1}", b"{}"]);
        check(b"data: a\ndata: b\r\rdata: c\n\n", &[b"a\nb", b"c"]);
        check(b": comment\n\ndata\n\ndatabase: x\n\nretry: 1\n\n", &[]);
        // Without its blank line an event is not whole.
        check(b"data: a\n", &[]);
    }

    #[test]
    fn an_event_over_the_limit_is_refused() {
        let long = vec![b'x'; MAX_BYTES + 10];
        assert_eq!(Events::default().read(&[b"data: ", &long[..]].concat()), Err(TooLong));
        let half = [b"data: ", &long[..MAX_BYTES / 2], b"\n"].concat();
        let mut events = Events::default();
        assert_eq!(events.read(&half), Ok(Vec::new()));
        assert_eq!(events.read(&half), Err(TooLong));
        let edge = [b"data: ", &long[..MAX_BYTES], b"\n\n"].concat();
        assert_eq!(Events::default().read(&edge).unwrap().len(), 1);
    }
}
