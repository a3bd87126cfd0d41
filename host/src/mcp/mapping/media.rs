//! Pictures and sounds, looked at before they leave.
//!
//! A picture that is not what it says it is makes a model API refuse the whole conversation, and every later request of
//! it. So only formats that clients take pass, only when their first bytes agree with the declared type, and only in
//! sizes that model APIs take.

use std::fmt;

/// Pixels on a side that model APIs take.
pub(super) const SIDE: usize = 8_000;

/// Bytes of a declared type that are quoted. It is ASCII, but its length is the guest's choice.
const QUOTED: usize = 60;

/// Formats that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
    Jpeg,
    Gif,
    Webp,
    Wav,
    Mp3,
    Ogg,
    Flac,
}

/// By declared type, the usual misspellings included.
const DECLARED: &[(&str, Format)] = &[
    ("image/png", Format::Png),
    ("image/jpeg", Format::Jpeg),
    ("image/jpg", Format::Jpeg),
    ("image/gif", Format::Gif),
    ("image/webp", Format::Webp),
    ("audio/wav", Format::Wav),
    ("audio/x-wav", Format::Wav),
    ("audio/wave", Format::Wav),
    ("audio/vnd.wave", Format::Wav),
    ("audio/mpeg", Format::Mp3),
    ("audio/mp3", Format::Mp3),
    ("audio/ogg", Format::Ogg),
    ("audio/opus", Format::Ogg),
    ("audio/flac", Format::Flac),
    ("audio/x-flac", Format::Flac),
];

impl Format {
    /// The registered name.
    fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Wav => "audio/wav",
            Self::Mp3 => "audio/mpeg",
            Self::Ogg => "audio/ogg",
            Self::Flac => "audio/flac",
        }
    }

    /// By the bytes.
    fn of(bytes: &[u8]) -> Option<Self> {
        match infer::get(bytes).map(|kind| kind.mime_type()) {
            Some("image/png") => Some(Self::Png),
            Some("image/jpeg") => Some(Self::Jpeg),
            Some("image/gif") => Some(Self::Gif),
            Some("image/webp") => Some(Self::Webp),
            Some("audio/x-wav") => Some(Self::Wav),
            Some("audio/mpeg") => Some(Self::Mp3),
            Some("audio/ogg" | "audio/opus") => Some(Self::Ogg),
            Some("audio/x-flac") => Some(Self::Flac),
            Some(_) => None,
            // `infer` knows one of the frame headers of layer III; ISO/IEC 11172-3 section 2.4.2.3 has more.
            None => matches!(bytes, [0xff, second, ..] if second & 0xe6 == 0xe2).then_some(Self::Mp3),
        }
    }

    fn picture(self) -> Option<imagesize::ImageType> {
        match self {
            Self::Png => Some(imagesize::ImageType::Png),
            Self::Jpeg => Some(imagesize::ImageType::Jpeg),
            Self::Gif => Some(imagesize::ImageType::Gif),
            Self::Webp => Some(imagesize::ImageType::Webp),
            _ => None,
        }
    }
}

/// Why something is not sent as what it is declared to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Withheld {
    /// No format that clients take.
    Type(String),
    /// The bytes are something else, or nothing known.
    Mismatch(String),
    /// The bytes begin right and do not go on so.
    Broken(String),
    /// Width and height.
    Pixels(usize, usize),
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(mime) => write!(f, "{mime} is not sent: only png, jpeg, gif, webp, wav, mp3, ogg and flac are"),
            Self::Mismatch(mime) => write!(f, "it is declared {mime}, and its bytes are not"),
            Self::Broken(mime) => write!(f, "it is declared {mime}, and has no readable size"),
            Self::Pixels(width, height) => {
                write!(f, "it measures {width} x {height} pixels, where 1 to {SIDE} are allowed on a side")
            }
        }
    }
}

/// Checks a picture or a sound, and gives the type to declare.
pub(super) fn check(mime: &str, bytes: &[u8]) -> Result<&'static str, Withheld> {
    let essence = essence(mime);
    let Some((_, format)) = DECLARED.iter().find(|(declared, _)| *declared == essence) else {
        return Err(Withheld::Type(essence.chars().take(QUOTED).collect()));
    };
    let mime = format.mime();
    if Format::of(bytes) != Some(*format) {
        return Err(Withheld::Mismatch(mime.to_owned()));
    }
    if let Some(picture) = format.picture() {
        let readable = imagesize::image_type(bytes).is_ok_and(|found| found == picture);
        let size = readable.then(|| imagesize::blob_size(bytes).ok()).flatten();
        let Some(size) = size else { return Err(Withheld::Broken(mime.to_owned())) };
        if !(1..=SIDE).contains(&size.width) || !(1..=SIDE).contains(&size.height) {
            return Err(Withheld::Pixels(size.width, size.height));
        }
    }
    Ok(mime)
}

/// A type without its parameters, in lower case.
fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a type says picture or sound, so that a client may try to show it.
pub(super) fn is_media(mime: &str) -> bool {
    let essence = essence(mime);
    essence.starts_with("image/") || essence.starts_with("audio/") || essence.starts_with("video/")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The beginning of a PNG of that size.
    pub(in crate::mcp::mapping) fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend(b"\x08\x06\0\0\0");
        bytes
    }

    fn jpeg(width: u16, height: u16) -> Vec<u8> {
        let mut bytes = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08".to_vec();
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes
    }

    fn gif(width: u16, height: u16) -> Vec<u8> {
        [b"GIF89a".as_slice(), &width.to_le_bytes(), &height.to_le_bytes(), b"\0\0\0"].concat()
    }

    fn webp(width: u32, height: u32) -> Vec<u8> {
        let (width, height) = ((width - 1).to_le_bytes(), (height - 1).to_le_bytes());
        [b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".as_slice(), &width[..3], &height[..3]].concat()
    }

    #[test]
    fn what_clients_take_passes_under_its_registered_name() {
        let wav = b"RIFF\x24\0\0\0WAVEfmt ";
        let cases: &[(&str, &[u8], &str)] = &[
            ("image/png", &png(1, 8_000), "image/png"),
            ("IMAGE/PNG; q=1", &png(1, 1), "image/png"),
            ("image/jpeg", &jpeg(640, 480), "image/jpeg"),
            ("image/jpg", &jpeg(640, 480), "image/jpeg"),
            ("image/gif", &gif(10, 10), "image/gif"),
            ("image/webp", &webp(8_000, 1), "image/webp"),
            ("audio/wav", wav, "audio/wav"),
            ("audio/x-wav", wav, "audio/wav"),
            ("audio/mpeg", b"ID3\x04\0\0\0\0\0\0", "audio/mpeg"),
            ("audio/mp3", b"\xff\xf3\x40\xc0\0\0\0\0", "audio/mpeg"),
            ("audio/ogg", b"OggS\0\x02\0\0\0\0\0\0", "audio/ogg"),
            ("audio/flac", b"fLaC\0\0\0\x22\0\0", "audio/flac"),
        ];
        for (declared, bytes, sent) in cases {
            assert_eq!(check(declared, bytes), Ok(*sent), "{declared}");
        }
    }

    #[test]
    fn anything_else_is_withheld() {
        let mismatch = |mime: &str| Err(Withheld::Mismatch(mime.to_owned()));
        let broken = |mime: &str| Err(Withheld::Broken(mime.to_owned()));
        let other = |mime: &str| Err(Withheld::Type(mime.to_owned()));
        let cases: &[(&str, &[u8], Result<&'static str, Withheld>)] = &[
            ("image/png", &png(8_001, 1), Err(Withheld::Pixels(8_001, 1))),
            ("image/png", &png(1, 0), Err(Withheld::Pixels(1, 0))),
            ("image/jpeg", &jpeg(1, 9_000), Err(Withheld::Pixels(1, 9_000))),
            ("image/gif", &gif(0, 1), Err(Withheld::Pixels(0, 1))),
            ("image/webp", &webp(1, 8_001), Err(Withheld::Pixels(1, 8_001))),
            ("image/png", &jpeg(1, 1), mismatch("image/png")),
            ("image/jpeg", &png(1, 1), mismatch("image/jpeg")),
            ("image/gif", b"<svg xmlns='http://www.w3.org/2000/svg'/>", mismatch("image/gif")),
            ("image/png", b"", mismatch("image/png")),
            ("image/webp", b"RIFF\x24\0\0\0WAVEfmt ", mismatch("image/webp")),
            ("image/png", b"\x89PNG", broken("image/png")),
            ("image/jpeg", b"\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0", broken("image/jpeg")),
            ("image/gif", b"GIF00000000000", broken("image/gif")),
            ("image/webp", b"RIFF\x1a\0\0\0WEBPnone", broken("image/webp")),
            ("image/svg+xml", b"<svg/>", other("image/svg+xml")),
            ("image/bmp", b"BM", other("image/bmp")),
            ("audio/midi", b"MThd", other("audio/midi")),
            ("audio/wav", b"ID3\x04\0\0\0\0\0\0", mismatch("audio/wav")),
            // AAC in ADTS shares the sync word of MP3.
            ("audio/mpeg", b"\xff\xf1\x50\x80\0\0\0", mismatch("audio/mpeg")),
        ];
        for (declared, bytes, expect) in cases {
            assert_eq!(check(declared, bytes), *expect, "{declared}");
        }
        let long = format!("image/{}", "x".repeat(5_000));
        assert!(check(&long, b"").unwrap_err().to_string().len() < 200);
    }
}
