//! The name of a kept text.

use std::fmt;
use std::str::FromStr;

use crate::component::Digest;

/// The name of a kept text: `fumehood:spill/sha256-` and the 64 hexadecimal digits of its SHA-256.
///
/// It is what a model may see. It is an absolute URI, so that a server can answer for it as for any resource; it names no
/// place of the host, and whoever does not know the text cannot guess it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Locator(Digest);

const PREFIX: &str = "fumehood:spill/sha256-";

impl Locator {
    /// The locator of this text.
    pub fn of(text: &str) -> Self {
        Self(Digest::of(text.as_bytes()))
    }

    /// The digest of the text.
    pub const fn digest(&self) -> Digest {
        self.0
    }

    /// The text's file in a store: `<64 hex>.txt`.
    pub(super) fn file_name(&self) -> String {
        format!("{}.txt", Hex(self.0))
    }
}

/// A digest without `sha256:`.
struct Hex(Digest);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", Hex(self.0))
    }
}

/// A text that is no [`Locator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a kept text; write `{PREFIX}` and 64 lower-case hexadecimal digits")]
pub struct LocatorError;

impl FromStr for Locator {
    type Err = LocatorError;

    fn from_str(text: &str) -> Result<Self, LocatorError> {
        let hex = text.strip_prefix(PREFIX).ok_or(LocatorError)?;
        format!("sha256:{hex}").parse().map(Self).map_err(|_| LocatorError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back() {
        let locator = Locator::of("");
        let text = "fumehood:spill/sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(locator.to_string(), text);
        assert_eq!(text.parse(), Ok(locator));
        assert_eq!(locator.digest(), Digest::of(b""));
        for wrong in ["", PREFIX, &text[9..], &text[..80], &text.replace('e', "E"), &format!("{text}/../x")] {
            assert_eq!(wrong.parse::<Locator>(), Err(LocatorError), "{wrong}");
        }
    }
}
