//! Addresses that can be followed.

use std::rc::Rc;

/// Longer ones are cut by terminals: VTE takes 2,083 bytes, as a browser once did.
const MOST_BYTES: usize = 2083;

/// An `http` or `https` address of printable ASCII, so that nothing in it can end the escape sequence around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address(Rc<str>);

impl Address {
    /// `None`: the address is only shown. Also where it names a user, whose name can pass for the host's.
    pub(super) fn of(text: &str) -> Option<Self> {
        // What an address parser would take out in silence: people would see another address than they follow.
        let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
        if text.len() > MOST_BYTES || text.contains(odd) {
            return None;
        }
        let address = url::Url::parse(text).ok()?;
        let web = matches!(address.scheme(), "http" | "https") && address.host().is_some();
        let user = !address.username().is_empty() || address.password().is_some();
        let address = String::from(address);
        let safe = address.len() <= MOST_BYTES && address.bytes().all(|byte| byte.is_ascii_graphic());
        (web && !user && safe).then(|| Self(address.into()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_can_be_followed() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(Address::of(text).as_ref().map(Address::as_str), expect, "{text:?}");
        };
        check("https://example.com/a?b#c", Some("https://example.com/a?b#c"));
        check("HTTP://EXAMPLE.com", Some("http://example.com/"));
        check("https://example.com/ä\u{202e}", Some("https://example.com/%C3%A4%E2%80%AE"));
        check("https://bücher.example/", Some("https://xn--bcher-kva.example/"));
        check("javascript:alert(1)", None);
        check("file:///etc/passwd", None);
        check("data:text/html,x", None);
        check("https:", None);
        check("//example.com", None);
        check("https://example.com@evil.example/", None);
        check("https://example.com\\@evil.example/", None);
        check("https://example.com/\x1b\\", None);
        check("java\nscript:alert(1)", None);
        check("ht\ttps://example.com/", None);
        check(&format!("https://example.com/{}", "a".repeat(3000)), None);
        check(&format!("https://example.com/{}", "ä".repeat(700)), None);
    }
}
