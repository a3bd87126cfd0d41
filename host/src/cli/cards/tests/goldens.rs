//! Pictures of cards. `FUMEHOOD_BLESS=1 cargo test -p fumehood --bin fumehood goldens` draws them anew.

use std::fmt::Write as _;
use std::path::Path;

use super::super::{Screen, draw};
use super::{cards, terminal};

/// A card on each kind of screen. The escape character is written `␛`.
fn drawn(card: &fumehood::Card) -> String {
    let mut text = String::new();
    for (name, screen) in [
        ("a pipe", Screen::plain()),
        ("80 columns", terminal(80, false)),
        ("80 columns in colour", terminal(80, true)),
        ("30 columns", terminal(30, false)),
        ("160 columns", terminal(160, false)),
        ("12 columns", terminal(12, false)),
    ] {
        let drawn = draw(card, None, &screen).replace('\x1b', "␛").replace('\t', "␉");
        writeln!(text, "==== {name}\n{drawn}").expect("a string has room");
    }
    text
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads and, when told to, writes its own pictures")]
fn each_card_is_drawn_as_its_picture_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/cards/tests/goldens");
    let bless = std::env::var_os("FUMEHOOD_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut names = Vec::new();
    for (name, card) in cards::named() {
        let file = folder.join(name).with_extension("txt");
        let drawn = drawn(&card);
        if bless {
            std::fs::write(&file, &drawn).expect("the picture can be written");
        } else if std::fs::read_to_string(&file).ok().as_ref() != Some(&drawn) {
            wrong.push(format!("{name} is now drawn as\n{drawn}"));
        }
        names.push(format!("{name}.txt"));
    }
    for file in std::fs::read_dir(&folder).expect("there are pictures") {
        let name = file.expect("a picture").file_name().into_string().expect("a name");
        if !names.contains(&name) {
            wrong.push(format!("{name} is a picture of no card"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
