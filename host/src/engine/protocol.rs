//! What a host and its compile worker say to each other: one request, one answer, over the worker's standard streams.
//!
//! Numbers are little-endian. The host keeps the worker's input open after the request: its end tells the worker that
//! the host is gone.

use super::{compile::Tier, config::Recipe, settings::Bounds};

/// Begin the two messages, apart so that an echo is no answer. They change with every change of this file.
const REQUEST: [u8; 8] = *b"fhwants1";
const ANSWER: [u8; 8] = *b"fhgives1";

/// Precedes the wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) recipe: Recipe,
    /// [`code_identity`](super::config::code_identity) of the host's recipe at [`Tier::Optimised`].
    pub(super) identity: [u8; 32],
    pub(super) cpu_seconds: u64,
    pub(super) address_space_bytes: u64,
    pub(super) wasm_bytes: u64,
}

impl Request {
    /// Magic, three bytes of recipe, identity, three numbers.
    pub(super) const BYTES: usize = 8 + 3 + 32 + 3 * 8;

    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out[..8].copy_from_slice(&REQUEST);
        out[8] = u8::from(self.recipe.bounds == Bounds::Virtual);
        out[9] = u8::from(self.recipe.frugal);
        out[10] = u8::from(self.recipe.tier == Tier::Plain);
        out[11..43].copy_from_slice(&self.identity);
        out[43..51].copy_from_slice(&self.cpu_seconds.to_le_bytes());
        out[51..59].copy_from_slice(&self.address_space_bytes.to_le_bytes());
        out[59..67].copy_from_slice(&self.wasm_bytes.to_le_bytes());
        out
    }

    /// `None` for anything but an encoded request.
    pub(super) fn decode(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let flag = |at: usize| match bytes[at] {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        if bytes[..8] != REQUEST {
            return None;
        }
        Some(Self {
            recipe: Recipe {
                bounds: if flag(8)? { Bounds::Virtual } else { Bounds::Explicit },
                frugal: flag(9)?,
                tier: if flag(10)? { Tier::Plain } else { Tier::Optimised },
            },
            identity: bytes[11..43].try_into().ok()?,
            cpu_seconds: number(bytes, 43)?,
            address_space_bytes: number(bytes, 51)?,
            wasm_bytes: number(bytes, 59)?,
        })
    }
}

/// What the body of an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The native code.
    Compiled = 0,
    /// Why the component was refused, UTF-8. So are the rest.
    Refused = 1,
    /// Which memory was short.
    OutOfMemory = 2,
    /// The panic's message.
    Panicked = 3,
    /// How the worker's compiler differs from the host's.
    OtherVersion = 4,
    /// Why no compile was tried.
    BadRequest = 5,
}

/// Precedes the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: Status,
    pub(super) body_bytes: u64,
}

impl Answer {
    /// Magic, status, length.
    pub(super) const BYTES: usize = 8 + 1 + 8;

    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out[..8].copy_from_slice(&ANSWER);
        out[8] = self.status as u8;
        out[9..17].copy_from_slice(&self.body_bytes.to_le_bytes());
        out
    }

    /// `None` for anything but an encoded answer.
    pub(super) fn decode(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        if bytes[..8] != ANSWER {
            return None;
        }
        let status = match bytes[8] {
            0 => Status::Compiled,
            1 => Status::Refused,
            2 => Status::OutOfMemory,
            3 => Status::Panicked,
            4 => Status::OtherVersion,
            5 => Status::BadRequest,
            _ => return None,
        };
        Some(Self { status, body_bytes: number(bytes, 9)? })
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: Request = Request {
        recipe: Recipe { bounds: Bounds::Virtual, frugal: true, tier: Tier::Plain },
        identity: [7; 32],
        cpu_seconds: 1,
        address_space_bytes: u64::MAX,
        wasm_bytes: 0x0102_0304_0506_0708,
    };

    #[test]
    fn requests_come_back_as_sent() {
        for bounds in [Bounds::Explicit, Bounds::Virtual] {
            for (frugal, tier) in [(false, Tier::Plain), (true, Tier::Optimised)] {
                let request = Request { recipe: Recipe { bounds, frugal, tier }, ..SENT };
                assert_eq!(Request::decode(&request.encode()), Some(request));
            }
        }
    }

    #[test]
    fn answers_come_back_as_sent() {
        use Status::*;
        for status in [Compiled, Refused, OutOfMemory, Panicked, OtherVersion, BadRequest] {
            let answer = Answer { status, body_bytes: 1 << 40 };
            assert_eq!(Answer::decode(&answer.encode()), Some(answer));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for at in 0..11 {
            let mut bytes = SENT.encode();
            bytes[at] ^= 0x80;
            assert_eq!(Request::decode(&bytes), None, "byte {at}");
        }
        for at in 0..9 {
            let mut bytes = Answer { status: Status::Compiled, body_bytes: 0 }.encode();
            bytes[at] ^= 0x80;
            assert_eq!(Answer::decode(&bytes), None, "byte {at}");
        }
    }
}
