//! Text as a shell and as TOML would read it back.

use std::path::Path;

/// Quoted for a POSIX shell where it has to be.
pub(super) fn shell(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A TOML basic string.
pub(super) fn toml_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // What a person would not see is written out.
            c if c != '\'' && !c.escape_debug().eq([c]) => quoted.push_str(&format!("\\U{:08X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A TOML array of strings.
pub(super) fn toml_list(texts: impl IntoIterator<Item: AsRef<str>>) -> String {
    let quoted: Vec<_> = texts.into_iter().map(|text| toml_text(text.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

/// A path as a TOML string. One that is not UTF-8 cannot stand in a policy file; two of them must not look alike.
pub(super) fn path_text(path: &Path) -> String {
    toml_text(&path.to_str().map_or_else(|| format!("{path:?}"), ToOwned::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_reads_back() {
        for text in ["", "plain", "a b", "it's", "\"\\", "a\nb\u{1}\u{7f}", "ä$(x)`y`", "\u{202e}\u{200b}\u{e0041}"] {
            let table: toml::Table = format!("x = {}", toml_text(text)).parse().expect(text);
            assert_eq!(table["x"].as_str(), Some(text));
        }
        assert_eq!(shell("http=https://a.b/ GET"), "'http=https://a.b/ GET'");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell("env=LANG"), "env=LANG");
        assert_eq!(shell(""), "''");
    }
    #[test]
    fn paths_that_are_not_text_stay_apart() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let text = |bytes: &[u8]| path_text(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(text(b"/a b"), "\"/a b\"");
        assert_ne!(text(b"/\xff"), text(b"/\xfe"));
    }
}
