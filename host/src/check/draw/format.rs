//! Strings of a known `format`.

use super::hand::{Hand, How};

/// Texts of each format, the plainest first, then what its rules allow and few expect. The validator asserts most formats:
/// each text has to pass it.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("date", &["2000-01-01", "2024-02-29", "0001-01-01", "9999-12-31"]),
    ("time", &["00:00:00Z", "23:59:59.999999999+14:00", "12:00:00-00:00", "23:59:60Z"]),
    (
        "date-time",
        &[
            "2000-01-01T00:00:00Z",
            "2024-02-29T23:59:59.123456789+05:45",
            "1990-12-31T23:59:60Z",
            "0001-01-01T00:00:00-12:00",
        ],
    ),
    ("duration", &["P1D", "PT0S", "P3Y6M4DT12H30M5S", "P52W"]),
    ("email", &["a@example.org", "first.last+tag@sub.example.org", "\"quoted words\"@example.org"]),
    ("idn-email", &["a@example.org", "用户@例子.广告"]),
    ("hostname", &["localhost", "example.org", "xn--bcher-kva.example", "a-b.c1"]),
    ("idn-hostname", &["localhost", "bücher.example"]),
    ("ipv4", &["0.0.0.0", "127.0.0.1", "255.255.255.255", "10.1.2.3"]),
    ("ipv6", &["::", "::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.128"]),
    (
        "uri",
        &[
            "https://example.org/",
            "mailto:a@example.org",
            "urn:isbn:0451450523",
            "file:///etc/hosts",
            "https://user@example.org:8080/%7Ea/b?c=d&e=%00#f",
        ],
    ),
    ("uri-reference", &["/", "", "../a?b#c", "https://example.org/", "#fragment"]),
    ("iri", &["https://example.org/", "https://例子.example/ä?ö#ü"]),
    ("iri-reference", &["/", "", "ä/ö", "https://example.org/"]),
    ("uri-template", &["/", "/users/{id}", "https://example.org/{?q,lang}", "{+path}/{#fragment}"]),
    (
        "uuid",
        &[
            "00000000-0000-0000-0000-000000000000",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        ],
    ),
    ("json-pointer", &["", "/", "/a/0", "/a~1b/m~0n", "//"]),
    ("relative-json-pointer", &["0", "1/a", "2#", "0/a~1b"]),
];

pub(super) fn known(format: &str) -> bool {
    EXAMPLES.iter().any(|(name, _)| *name == format)
}

/// A string of a format that is [`known`].
pub(super) fn draw(format: &str, hand: &mut Hand<'_>) -> String {
    let examples = EXAMPLES.iter().find(|(name, _)| *name == format).map_or(&[][..], |(_, examples)| *examples);
    if hand.how == How::Least {
        return examples.first().map(ToString::to_string).unwrap_or_default();
    }
    let mut below = |end: usize| hand.choices.below(end);
    // The 28th is in every month.
    match format {
        "date" if below(2) == 0 => format!("{:04}-{:02}-{:02}", 1 + below(9_999), 1 + below(12), 1 + below(28)),
        "date-time" if below(2) == 0 => format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            1 + below(9_999),
            1 + below(12),
            1 + below(28),
            below(24),
            below(60),
            below(60)
        ),
        "ipv4" if below(2) == 0 => format!("{}.{}.{}.{}", below(256), below(256), below(256), below(256)),
        "uuid" if below(2) == 0 => format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            below(1 << 32),
            below(1 << 16),
            below(1 << 16),
            below(1 << 16),
            below(1 << 48)
        ),
        _ => hand.choices.one_of(examples).map(ToString::to_string).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::EXAMPLES;
    use crate::{Json, JsonLimits, Schema, Use};

    #[test]
    fn every_example_is_of_its_format() {
        let limits = JsonLimits { bytes: 1_000, depth: 1, nodes: 10 };
        let mut asserted = 0;
        for (format, examples) in EXAMPLES {
            let schema = Schema::admit(&json!({"type": "string", "format": format}), Use::Output).unwrap();
            let matches = |text: &str| schema.matches(&Json::from_value(json!(text), &limits).unwrap()).is_ok();
            let wrong: Vec<_> = examples.iter().filter(|text| !matches(text)).collect();
            assert!(wrong.is_empty(), "{format}: {wrong:?}");
            asserted += u32::from(!matches("\u{7}{"));
        }
        // Those that a host does not assert are drawn for what tools make of them.
        assert!(asserted >= 14, "{asserted}");
    }
}
