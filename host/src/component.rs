//! The bytes of one component, under a size cap, with their digest. Nothing is parsed beyond section headers.

use std::fmt;
use std::io::Read;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::finding::Finding;

/// `\0asm`, then version 13 and layer 1: <https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md>.
const COMPONENT: &[u8; 8] = b"\0asm\x0d\0\x01\0";
/// The length of either header, in bytes.
pub(crate) const HEADER: usize = 8;
/// `\0asm`, then version 1 (and layer 0): <https://webassembly.github.io/spec/core/binary/modules.html#binary-module>.
const MODULE: &[u8; 8] = b"\0asm\x01\0\0\0";

/// How much is read of what a vendor ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadLimits {
    /// The largest component, in bytes.
    pub bytes: u64,
}

impl LoadLimits {
    /// 32 MiB: the largest real tools, Python with its interpreter, take 18.4 MB.
    pub const fn standard() -> Self {
        Self { bytes: 32 << 20 }
    }
}

/// A SHA-256, written `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes themselves.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no [`Digest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a digest; write `sha256:` and 64 lower-case hexadecimal digits")]
pub struct DigestError;

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        fn digit(byte: u8) -> Result<u8, DigestError> {
            match byte {
                b'0'..=b'9' => Ok(byte - b'0'),
                b'a'..=b'f' => Ok(byte - b'a' + 10),
                _ => Err(DigestError),
            }
        }
        let hex = text.strip_prefix("sha256:").ok_or(DigestError)?.as_bytes();
        let mut digest = [0; 32];
        if hex.len() != 2 * digest.len() {
            return Err(DigestError);
        }
        for (byte, pair) in digest.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(digest))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why bytes are not a component.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// Over [`LoadLimits::bytes`].
    #[error("the component is over the size limit of {limit} bytes; make it smaller, or load it with a higher limit")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// Nothing at all.
    #[error("the file is empty; a component was expected")]
    Empty,
    /// The right start, but not all of it.
    #[error("the file ends inside the header of a WebAssembly binary; it was cut short")]
    Truncated,
    /// A core module.
    #[error("this is a core WebAssembly module, not a component; run `fumehood pack` to make a component of it")]
    CoreModule,
    /// Native code.
    #[error(
        "this is precompiled native code (ELF), which is never loaded from outside; ship the WebAssembly component \
         that it was compiled from"
    )]
    Precompiled,
    /// WebAssembly in its text form.
    #[error("this is WebAssembly text; assemble it to a binary component first")]
    Text,
    /// A WebAssembly binary of a version this host does not know.
    #[error(
        "this is a WebAssembly binary of an unknown version ({0:02x?}); build it with tools that write version 13, \
         layer 1"
    )]
    Version([u8; 4]),
    /// Something else.
    #[error("this is not WebAssembly: it begins with {0:02x?}, a component begins with [00, 61, 73, 6d]")]
    NotWasm(Vec<u8>),
    /// It could not be read.
    #[error("the component could not be read")]
    Read(#[from] std::io::Error),
}

/// One component: bytes and digest. Cloning shares them.
#[derive(Clone)]
pub struct Component(Arc<Inner>);

struct Inner {
    bytes: Arc<[u8]>,
    digest: Digest,
}

impl Component {
    /// Takes bytes that begin like a component.
    ///
    /// # Errors
    ///
    /// They are too many, or begin like something else, which the error names.
    pub fn from_bytes(bytes: Vec<u8>, limits: &LoadLimits) -> Result<Self, ComponentError> {
        if bytes.len() as u64 > limits.bytes {
            return Err(ComponentError::TooLarge { limit: limits.bytes });
        }
        recognise(&bytes)?;
        let digest = Digest::of(&bytes);
        Ok(Self(Arc::new(Inner { bytes: bytes.into(), digest })))
    }

    /// Reads to the end, but never more than one byte over the limit.
    ///
    /// # Errors
    ///
    /// As [`Component::from_bytes`], or reading failed.
    pub fn read(from: impl Read, limits: &LoadLimits) -> Result<Self, ComponentError> {
        let mut bytes = Vec::new();
        from.take(limits.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        Self::from_bytes(bytes, limits)
    }

    /// The binary.
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The binary, to be held as long as needed.
    pub(crate) fn shared_bytes(&self) -> Arc<[u8]> {
        Arc::clone(&self.0.bytes)
    }

    /// The SHA-256 of the binary.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component").field("digest", &self.0.digest).field("bytes", &self.0.bytes.len()).finish()
    }
}

/// Says what bytes are from their start. `Ok`: a component's header.
pub(crate) fn recognise(bytes: &[u8]) -> Result<(), ComponentError> {
    if bytes.starts_with(COMPONENT) {
        return Ok(());
    }
    if bytes.is_empty() {
        return Err(ComponentError::Empty);
    }
    if bytes.starts_with(MODULE) {
        return Err(ComponentError::CoreModule);
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err(ComponentError::Precompiled);
    }
    if COMPONENT.starts_with(bytes) || MODULE.starts_with(bytes) {
        return Err(ComponentError::Truncated);
    }
    if let Some([a, b, c, d]) = bytes.strip_prefix(b"\0asm").and_then(|rest| rest.get(..4)) {
        return Err(ComponentError::Version([*a, *b, *c, *d]));
    }
    let text = bytes.trim_ascii_start();
    if [&b"(component"[..], b"(module", b";;", b"(;"].iter().any(|start| text.starts_with(start)) {
        return Err(ComponentError::Text);
    }
    Err(ComponentError::NotWasm(bytes[..bytes.len().min(8)].to_vec()))
}

/// One section at the top level of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// 0: custom.
    pub(crate) id: u8,
    /// Header and payload.
    pub(crate) whole: &'a [u8],
    /// The payload.
    pub(crate) payload: &'a [u8],
}

impl<'a> Section<'a> {
    /// The name and data of a custom section; `None` for other sections and for a name that is cut short.
    pub(crate) fn custom(&self) -> Option<(&'a [u8], &'a [u8])> {
        if self.id != 0 {
            return None;
        }
        let mut data = self.payload;
        let length = leb128(&mut data)?;
        data.split_at_checked(length)
    }
}

/// A section header that makes no sense, at this byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokenSection(usize);

impl BrokenSection {
    pub(crate) fn refusal(self) -> Finding {
        let at = format!("byte {}", self.0);
        let message = "the section that begins here is longer than the rest of the file";
        Finding::refusal("component/truncated", at, message, "get the whole file")
    }
}

/// Walks the sections at the top level, from header to header: what lies in a section is skipped, so the cost depends on
/// the number of sections and not on their size.
///
/// `bytes` begin with a component's header, as [`recognise`] checks. The walk ends at the first broken section.
pub(crate) fn sections(bytes: &[u8]) -> impl Iterator<Item = Result<Section<'_>, BrokenSection>> {
    let mut rest = bytes.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (&id, mut payload) = rest.split_first()?;
        let section = leb128(&mut payload).and_then(|length| payload.split_at_checked(length));
        let Some((payload, after)) = section else {
            let broken = BrokenSection(bytes.len() - rest.len());
            rest = &[];
            return Some(Err(broken));
        };
        let whole = &rest[..rest.len() - after.len()];
        rest = after;
        Some(Ok(Section { id, whole, payload }))
    })
}

/// An unsigned 32-bit LEB128, at most five bytes and none of its unused bits set.
fn leb128(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 28 && byte > 0x0f {
            return None;
        }
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(value).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: &str) {
        let limits = LoadLimits { bytes: 64 };
        let text = match Component::from_bytes(bytes.to_vec(), &limits) {
            Ok(_) => "component".to_owned(),
            Err(error) => error.to_string(),
        };
        assert!(text.contains(expect), "{bytes:02x?}: {text}");
    }

    #[test]
    fn says_what_a_file_is() {
        check(COMPONENT, "component");
        check(MODULE, "fumehood pack");
        check(b"\x7fELF\x02\x01\x01", "precompiled native code");
        check(b"  (component)", "WebAssembly text");
        check(b";; a comment\n(module)", "WebAssembly text");
        check(b"\0asm\x0a\0\x01\0", "unknown version");
        check(b"\0asm\x0d\0", "cut short");
        check(b"", "empty");
        check(b"PK\x03\x04", "not WebAssembly: it begins with [50, 4b, 03, 04]");
        check(&[0; 65], "over the size limit of 64 bytes");
    }

    #[test]
    fn reads_one_byte_over_the_limit_and_no_more() {
        struct Endless(u64);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.0 += buffer.len() as u64;
                buffer.fill(0);
                Ok(buffer.len())
            }
        }
        let mut endless = Endless(0);
        let error = Component::read(&mut endless, &LoadLimits { bytes: 1000 }).unwrap_err();
        assert!(matches!(error, ComponentError::TooLarge { limit: 1000 }), "{error}");
        assert_eq!(endless.0, 1001);
    }

    #[test]
    fn a_digest_reads_back() {
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), text);
        assert_eq!(text.parse(), Ok(Digest::of(b"")));
        for wrong in ["", "sha256:", &text[7..], &text[..70], &text.replace('e', "E"), &format!("{text}00")] {
            assert_eq!(wrong.parse::<Digest>(), Err(DigestError), "{wrong}");
        }
    }

    #[test]
    fn walks_from_header_to_header() {
        let mut bytes = COMPONENT.to_vec();
        bytes.extend_from_slice(b"\x00\x05\x03abcZ\x01\x80\x00\x00\x02\x09a");
        let found: Vec<_> = sections(&bytes).collect();
        assert_eq!(found[0].map(|section| section.custom()), Ok(Some((&b"abc"[..], &b"Z"[..]))));
        assert_eq!(found[1].map(|section| (section.id, section.whole)), Ok((1, &b"\x01\x80\x00"[..])));
        assert_eq!(found[2].map(|section| section.custom()), Ok(None), "a name that runs past its section");
        assert_eq!(found.len(), 3);
        bytes.extend_from_slice(b"\x00\xff\xff\xff\xff\x10");
        assert_eq!(sections(&bytes).last(), Some(Err(BrokenSection(22))));
    }
}
