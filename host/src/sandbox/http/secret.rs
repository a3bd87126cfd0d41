//! Secrets, loaded: put into the requests that may carry them, and out of everything that comes back.

use std::ffi::OsString;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use http::{HeaderName, HeaderValue};
use rustix::fs::{FileType, Mode, OFlags};

use super::scrub::Needles;
use crate::capability::http::Target;
use crate::policy::{SecretGrant, SecretSource};

/// The shortest secret: a shorter one cannot be told from ordinary text in an answer, and is soon guessed.
const MIN_BYTES: usize = 8;
/// The longest secret: the longest tokens in use are a few kilobytes, and servers take headers of eight.
const MAX_BYTES: usize = 4_096;
/// A shorter piece of a base64 form stands in ordinary text by chance.
const MIN_FORM_BYTES: usize = 8;

/// A secret whose value is known. Nothing that formats one shows it.
pub(crate) struct LoadedSecret {
    grant: SecretGrant,
    header: HeaderName,
    value: HeaderValue,
    needles: Arc<Needles>,
}

impl fmt::Debug for LoadedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoadedSecret({} from {})", self.grant.name(), self.grant.source())
    }
}

/// A secret that cannot be loaded. None of its texts holds any of the value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The variable is not set.
    #[error("secret {name}: the environment has no variable {variable}; set it, or grant another source")]
    Unset {
        /// The secret's name.
        name: String,
        /// The variable's.
        variable: String,
    },
    /// The file cannot be opened or read.
    #[error("secret {name}: cannot read {}: {source}", .path.display())]
    File {
        /// The secret's name.
        name: String,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Others could read or replace the file, or it is none.
    #[error("secret {name}: {} {problem}", .path.display())]
    Unsafe {
        /// The secret's name.
        name: String,
        /// The file.
        path: PathBuf,
        /// What it should be.
        problem: &'static str,
    },
    /// The value cannot be a secret in a header.
    #[error("secret {name}: the value {problem}")]
    Value {
        /// The secret's name.
        name: String,
        /// What is wrong, without the value.
        problem: &'static str,
    },
}

impl LoadedSecret {
    /// Read the value.
    ///
    /// # Errors
    /// There is none, others may read its file, or a header cannot carry it.
    pub(crate) fn load(grant: &SecretGrant) -> Result<Self, SecretError> {
        #[expect(clippy::disallowed_methods, reason = "the operator named this variable in a grant")]
        Self::load_from(grant, |variable| std::env::var_os(variable))
    }

    pub(super) fn load_from(
        grant: &SecretGrant,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SecretError> {
        let name = grant.name().to_owned();
        let bytes = match grant.source() {
            SecretSource::Env(variable) => match environment(variable) {
                Some(value) => value.into_encoded_bytes(),
                None => return Err(SecretError::Unset { name, variable: variable.clone() }),
            },
            SecretSource::File(path) => read(&name, path)?,
        };
        let value = plain(&bytes).map_err(|problem| SecretError::Value { name: name.clone(), problem })?;
        let formatted = grant.format().replacen("{}", value, 1);
        let header = HeaderName::from_bytes(grant.header().as_bytes());
        let (Ok(header), Ok(mut field)) = (header, HeaderValue::from_str(&formatted)) else {
            return Err(SecretError::Value { name, problem: "does not fit into a header" });
        };
        field.set_sensitive(true);
        let forms = forms(value, &formatted);
        let needles = Arc::new(Needles::new(forms.iter().map(Vec::as_slice)));
        Ok(Self { grant: grant.clone(), header, value: field, needles })
    }

    pub(crate) fn name(&self) -> &str {
        self.grant.name()
    }

    pub(super) fn header(&self) -> &HeaderName {
        &self.header
    }

    pub(super) fn value(&self) -> &HeaderValue {
        &self.value
    }

    pub(super) fn needles(&self) -> &Arc<Needles> {
        &self.needles
    }

    /// The rule that sends the secret along with this request.
    pub(super) fn rule_for(&self, target: &Target, method: &str) -> Option<String> {
        self.grant.to().iter().find(|rule| rule.allows(target, method)).map(ToString::to_string)
    }
}

/// The contents of a file that its owner alone may read. What is checked is the opened file, not its name.
fn read(name: &str, path: &Path) -> Result<Vec<u8>, SecretError> {
    let failed = |source| SecretError::File { name: name.to_owned(), path: path.to_owned(), source };
    let unsafe_file = |problem| SecretError::Unsafe { name: name.to_owned(), path: path.to_owned(), problem };
    // Opening a FIFO without this would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| failed(error.into()))?;
    let stat = rustix::fs::fstat(&file).map_err(|error| failed(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(unsafe_file("is not a regular file"));
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(unsafe_file("belongs to another user; make it the host's own"));
    }
    if stat.st_mode & 0o7177 != 0 {
        return Err(unsafe_file("may be read or used by others; chmod 600 it"));
    }
    let mut bytes = Vec::new();
    // One byte more than the longest with its line end, so that a longer one is seen to be.
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) + 3;
    std::fs::File::from(file).take(most).read_to_end(&mut bytes).map_err(failed)?;
    if let Some(line) = bytes.strip_suffix(b"\n") {
        bytes = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
    }
    Ok(bytes)
}

/// The value as text that a header can carry whole.
fn plain(bytes: &[u8]) -> Result<&str, &'static str> {
    if bytes.len() < MIN_BYTES {
        return Err("is shorter than 8 bytes; use a longer one");
    }
    if bytes.len() > MAX_BYTES {
        return Err("is longer than 4096 bytes");
    }
    if !bytes.iter().all(|byte| (b' '..=b'~').contains(byte)) {
        return Err("holds a line break, a control character or one outside ASCII");
    }
    if bytes.first() == Some(&b' ') || bytes.last() == Some(&b' ') {
        return Err("begins or ends with a space");
    }
    std::str::from_utf8(bytes).map_err(|_| "is not text")
}

/// The forms in which an answer may hold the secret: as it is, as the header has it, as JSON and URLs write it, and in
/// base64, alone or inside something longer. A server that means to pass it on can always find another.
fn forms(value: &str, formatted: &str) -> Vec<Vec<u8>> {
    let mut forms = Vec::new();
    for text in [value, formatted] {
        forms.push(text.as_bytes().to_vec());
        forms.push(text.replace('\\', r"\\").replace('"', "\\\"").into_bytes());
        forms.push(text.replace('\\', r"\\").replace('"', "\\\"").replace('/', r"\/").into_bytes());
        for hex in [false, true] {
            let escaped = |byte: u8| if hex { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { escaped(byte) };
            forms.push(text.bytes().map(one).collect::<String>().into_bytes());
        }
        forms.push(STANDARD.encode(text).into_bytes());
        forms.push(URL_SAFE.encode(text).into_bytes());
        for (before, cut) in [(0, 0), (1, 2), (2, 3)] {
            let shifted = [&vec![0; before][..], text.as_bytes()].concat();
            // The characters at either end hold bits of the neighbours.
            let end = usize::from(!shifted.len().is_multiple_of(3));
            for encoded in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
                if let Some(piece) = encoded.get(cut..encoded.len() - end).filter(|p| p.len() >= MIN_FORM_BYTES) {
                    forms.push(piece.as_bytes().to_vec());
                }
            }
        }
    }
    forms.sort();
    forms.dedup();
    forms
}
