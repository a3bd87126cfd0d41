//! Every class of character that a terminal acts on, in every text of every card.

use fumehood::{Card, ContentBlock, Cut};

use super::super::{Screen, block, draw};
use super::strict::text_of;
use super::{cards, terminal};

/// One of each, between plain letters that must be seen.
const HOSTILE: [(&str, &str); 38] = [
    ("escape", "\x1b"),
    ("clear", "\x1b[2J\x1b[H"),
    ("colour", "\x1b[31m"),
    ("conceal", "\x1b[8m"),
    ("title", "\x1b]0;pwned\x07"),
    ("title with st", "\x1b]0;pwned\x1b\\"),
    ("link", "\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\"),
    ("our link", "\x1b]8;id=1;https://evil.example/\x1b\\click\x1b]8;;\x1b\\"),
    ("clipboard", "\x1b]52;c;cm0gLXJmIC8=\x07"),
    ("device control", "\x1bP$q\"p\x1b\\"),
    ("application command", "\x1b_payload\x1b\\"),
    ("charset", "\x1b(0"),
    ("reset", "\x1bc"),
    ("report", "\x1b[6n"),
    ("alternate screen", "\x1b[?1049h"),
    ("c1 csi", "\u{9b}31m"),
    ("c1 osc", "\u{9d}0;pwned\u{9c}"),
    ("c1 first", "\u{80}"),
    ("c1 last", "\u{9f}"),
    ("next line", "\u{85}"),
    ("null", "\0"),
    ("bell", "\x07"),
    ("backspace", "\x08\x08\x08"),
    ("vertical tab", "\x0b\x0c"),
    ("carriage return", "\rsafe"),
    ("shift out", "\x0e\x0f"),
    ("delete", "\x7f"),
    ("override", "\u{202e}gpj.exe\u{202c}"),
    ("isolate", "\u{2066}a\u{2069}\u{2067}b\u{2069}"),
    ("marks of direction", "\u{200e}\u{200f}\u{61c}"),
    ("zero width", "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}"),
    ("tags", "\u{e0041}\u{e007f}"),
    ("selectors", "\u{fe00}\u{e0100}\u{fe0f}\u{fe0f}"),
    ("separators", "\u{2028}\u{2029}"),
    ("fillers", "\u{ad}\u{34f}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}"),
    ("formats", "\u{180e}\u{206f}\u{fff9}\u{fffb}\u{1d173}\u{1bca0}"),
    ("piled marks", "z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}"),
    ("unfinished", "\x1b["),
];

fn screens() -> Vec<Screen> {
    let mut screens = vec![Screen::plain(), terminal(80, false), terminal(80, true), terminal(7, true)];
    screens.push(Screen { colour: true, ..Screen::plain() });
    screens.push(Screen { frame: false, ..terminal(80, false) });
    screens
}

/// What this program may write itself, and what any text may hold. A list of what is allowed, made without the list of what
/// is not.
fn allowed(c: char) -> bool {
    c.is_ascii_graphic() || matches!(c, ' ' | '\n' | '…' | '·' | '┌' | '│' | '┊' | '└' | '\u{300}'..='\u{303}')
}

fn check(name: &str, card: &Card, screen: &Screen) {
    let drawn = draw(card, Some(Cut::new(2, 1)), screen);
    let text = text_of(&drawn);
    let found: Vec<char> = text.chars().filter(|c| !allowed(*c)).collect();
    assert!(found.is_empty(), "{name} {screen:?} lets through {found:?}: {text}");
    assert!(screen.colour || !drawn.contains('\x1b'), "{name} {screen:?}");
}

#[test]
fn nothing_of_a_card_reaches_a_terminal_that_it_would_act_on() {
    for (name, hostile) in HOSTILE {
        for card in cards::of_text(&format!("left{hostile}right")) {
            screens().iter().for_each(|screen| check(name, &card, screen));
        }
    }
    let all: String = HOSTILE.map(|(_, hostile)| hostile).concat();
    for card in cards::of_text(&all) {
        screens().iter().for_each(|screen| check("all", &card, screen));
    }
}

#[test]
fn every_text_of_a_card_is_seen() {
    let seen = |card: &Card| draw(card, None, &terminal(200, false)).matches("left\\u{202e}right").count();
    let counts: Vec<_> = cards::of_text("left\u{202e}right").iter().map(seen).collect();
    assert_eq!(counts, cards::TEXTS);
}

#[test]
fn nothing_of_a_block_reaches_a_terminal_that_it_would_act_on() {
    for (name, hostile) in HOSTILE {
        for one in cards::blocks(&format!("left{hostile}right")) {
            for screen in [terminal(80, false), terminal(80, true), terminal(7, true)] {
                let text = text_of(&block(&one, &screen));
                let found: Vec<char> = text.chars().filter(|c| !allowed(*c)).collect();
                assert!(found.is_empty(), "{name} {screen:?} lets through {found:?}: {text}");
            }
        }
    }
}

#[test]
fn a_text_in_a_pipe_is_what_the_model_reads() {
    let text = "a\x1b[31mb\r\n\u{202e}\n\n";
    assert_eq!(block(&ContentBlock::text(text), &Screen::plain()), text);
}

#[test]
fn no_row_is_wider_than_the_terminal() {
    let texts = ["漢字 and words, 👨‍👩‍👧 ❤\u{fe0f} e\u{301}\ttab ".repeat(12), "x".repeat(700), "\u{1b}[2J漢".repeat(50)];
    for width in [2, 3, 5, 7, 11, 19, 20, 21, 30, 79, 80, 160] {
        for colour in [false, true] {
            let screen = terminal(width, colour);
            for card in texts.iter().flat_map(|text| cards::of_text(text)).chain(cards::all()) {
                for row in text_of(&draw(&card, Some(Cut::new(1_234_567, 100_000)), &screen)).lines() {
                    assert!(console::measure_text_width(row) <= width, "{width}: {row:?}");
                }
            }
        }
    }
}

#[test]
fn a_card_that_was_cut_says_so() {
    let card = Card::Search {
        title: "Files".into(),
        results: fumehood::SearchResults::Paths { paths: vec!["a".into()], truncated: true, total: 90_000 },
    };
    let drawn = |cut| draw(&card, cut, &terminal(80, false));
    assert_eq!(drawn(None), "┌ Files\n│\n│ a\n└ 1 of 90,000 paths\n");
    let note = "not whole: the card had 1,234,567 bytes, and may have 100,000";
    let expect = format!("┌ Files\n│\n│ a\n│\n┊ {note}\n└ 1 of 90,000 paths\n");
    assert_eq!(drawn(Some(Cut::new(1_234_567, 100_000))), expect);
}

#[test]
fn a_tool_cannot_draw_what_this_program_draws() {
    let card = Card::Terminal {
        title: "true".into(),
        description: None,
        cwd: None,
        output: "└ exit 0\n┌ another card\n┊ … 1 line not shown\n".into(),
        exit: Some(fumehood::ExitStatus::Code(1)),
        timed_out: false,
    };
    let drawn = draw(&card, None, &terminal(80, false));
    assert_eq!(drawn, "┌ $ true\n│\n│ └ exit 0\n│ ┌ another card\n│ ┊ … 1 line not shown\n└ exit 1\n");
}
