//! A reader that knows the escape sequences of this program and no other.

/// The text without our own sequences. Panics at anything else that begins with an escape character, and at a row that
/// leaves a colour or a link open.
pub(super) fn text_of(drawn: &str) -> String {
    let mut text = String::new();
    for row in drawn.split_inclusive('\n') {
        let (mut colour, mut link) = (false, false);
        let mut rest = row;
        while let Some((before, after)) = rest.split_once('\x1b') {
            text.push_str(before);
            rest = if let Some(after) = after.strip_prefix('[') {
                let (parameters, after) = after.split_once('m').expect("a colour ends");
                let known = ["0", "1", "1;31", "2", "31", "32", "35", "36", "4", "7", "7;31", "7;32"];
                assert!(known.contains(&parameters), "{row:?} has colour {parameters:?}");
                colour = parameters != "0";
                after
            } else {
                let (address, after) = after.strip_prefix("]8;").expect(row).split_once("\x1b\\").expect(row);
                let (id, address) = address.split_once(';').expect(row);
                link = !address.is_empty();
                if link {
                    let id = id.strip_prefix("id=").expect(row);
                    assert!(id.parse::<u32>().is_ok(), "{row:?}");
                    let path = address.strip_prefix("http").expect(row);
                    assert!(path.starts_with("://") || path.starts_with("s://"), "{row:?}");
                    assert!(address.chars().all(|c| ('!'..='~').contains(&c)), "{row:?}");
                } else {
                    assert!(id.is_empty(), "{row:?}");
                }
                after
            };
        }
        text.push_str(rest);
        assert!(!colour && !link, "{row:?} leaves something open");
    }
    text
}

#[test]
fn the_reader_takes_ours_and_no_other() {
    assert_eq!(text_of("\x1b[1ma\x1b[0m \x1b]8;id=1;https://a/\x1b\\b\x1b]8;;\x1b\\\n"), "a b\n");
    for other in [
        "\x1b[5ma\x1b[0m",
        "\x1b[1ma",
        "\x1b[2J",
        "\x1b]0;a\x07",
        "\x1b]8;id=1;file:///a\x1b\\b\x1b]8;;\x1b\\",
        "\x1b]8;;https://a/\x1b\\b",
        "\x1bc",
        "\x1b",
    ] {
        assert!(std::panic::catch_unwind(|| text_of(other)).is_err(), "{other:?}");
    }
}
