//! The bearer token of a server.

use http::HeaderValue;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// A secret that every request has to carry. Kept as its SHA-256: comparing takes as long for any guess of any length.
#[derive(Clone)]
pub struct Token([u8; 32]);

/// A text that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Short enough to be guessed.
    #[error("a token has at least {least} characters, and this one {0}; make one with `openssl rand -hex 32`", least = Token::LEAST)]
    Short(usize),
    /// Not what a header may carry (RFC 6750 section 2.1).
    #[error("a token is made of letters, digits and -._~+/=")]
    Character,
}

impl Token {
    /// 16 random characters of base64 are 96 bits.
    const LEAST: usize = 16;

    /// A token; white space around it is not part of it.
    ///
    /// # Errors
    /// See [`TokenError`].
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim_ascii();
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)) {
            return Err(TokenError::Character);
        }
        if text.len() < Self::LEAST {
            return Err(TokenError::Short(text.len()));
        }
        Ok(Self(Sha256::digest(text).into()))
    }

    pub(super) fn is_in(&self, header: Option<&HeaderValue>) -> bool {
        let Some(value) = header.map(HeaderValue::as_bytes) else { return false };
        // The scheme is compared without case (RFC 9110 section 11.1).
        let Some((scheme, guess)) = value.split_at_checked(7) else { return false };
        let right: [u8; 32] = Sha256::digest(guess).into();
        scheme.eq_ignore_ascii_case(b"bearer ") && bool::from(self.0.ct_eq(&right))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_opens() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        let check = |header: &'static str, opens| {
            assert_eq!(token.is_in(Some(&HeaderValue::from_static(header))), opens, "{header}");
        };
        check("Bearer 0123456789abcdef", true);
        check("bearer 0123456789abcdef", true);
        check("Bearer 0123456789abcdeF", false);
        check("Bearer 0123456789abcdef0", false);
        check("Bearer 0123456789abcde", false);
        check("Basic  0123456789abcdef", false);
        check("0123456789abcdef", false);
        check("", false);
        assert!(!token.is_in(None));
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn what_can_be_guessed_is_no_token() {
        assert_eq!(Token::new("hunter2").unwrap_err(), TokenError::Short(7));
        assert_eq!(Token::new("").unwrap_err(), TokenError::Short(0));
        assert_eq!(Token::new("0123456789abcdef 0").unwrap_err(), TokenError::Character);
    }
}
