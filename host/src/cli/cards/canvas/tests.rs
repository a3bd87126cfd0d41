use super::*;
use crate::cli::screen::width;

fn screen(width: usize) -> Screen {
    Screen { width: Some(width), frame: false, colour: false, links: false, fold: None, ..Screen::plain() }
}

fn check(line: &Line<'_>, width: usize, expect: &[&str]) {
    assert_eq!(lay::rows(line, Some(width), None, &screen(width)), expect, "{line:?}");
}

fn words(text: &str) -> Line<'_> {
    Line::new(text, Ink::Plain)
}

fn columns(text: &str) -> Line<'_> {
    Line::new(text, Ink::Plain).fit(Fit::Columns(4))
}

#[test]
fn words_are_kept_whole_where_they_can_be() {
    check(&words("to be or not to be"), 9, &["to be or", "not to be"]);
    check(&words("to be or"), 8, &["to be or"]);
    check(&words("to be or not"), 8, &["to be or", "not"]);
    check(&words("incomprehensibilities"), 8, &["incompre", "hensibil", "ities"]);
    check(&words("an incomprehensible"), 8, &["an", "incompre", "hensible"]);
    check(&words("  set in, and more"), 9, &["  set in,", "and more"]);
    check(&words(""), 8, &[""]);
}

#[test]
fn code_goes_on_at_the_edge() {
    check(&columns("let a = b;"), 6, &["let a ", "= b;"]);
    check(&columns("ab\tc"), 8, &["ab  c"]);
    check(&columns("\tabcdef"), 6, &["    ab", "cdef"]);
}

#[test]
fn a_character_is_as_wide_as_it_is_drawn() {
    check(&columns("漢字漢字"), 5, &["漢字", "漢字"]);
    check(&columns("a🎉b🎉"), 4, &["a🎉b", "🎉"]);
    check(&columns("e\u{301}e\u{301}e\u{301}"), 2, &["e\u{301}e\u{301}", "e\u{301}"]);
    check(&columns("ab❤\u{fe0f}"), 3, &["ab", "❤\u{fe0f}"]);
    check(&columns("각각"), 2, &["각", "각"]);
}

#[test]
fn what_a_terminal_acts_on_is_written_out() {
    check(&columns("a\x1bb"), 20, &["a\\u{1b}b"]);
    check(&columns("a\nb\rc"), 20, &["a\\u{a}b\\u{d}c"]);
    check(&columns("a\x1bb"), 4, &["a\\u{", "1b}b"]);
}

#[test]
fn rows_after_the_first_are_set_in_as_far_as_the_gutter() {
    check(&columns("abcdefghijklmnop").gutter("12 ", Ink::Faint), 15, &["12 abcdefghijkl", "   mnop"]);
    // Too narrow for a gutter: it goes before the text.
    check(&columns("abcdefgh").gutter("12 ", Ink::Faint), 6, &["12 abc", "defgh"]);
}

#[test]
fn a_line_that_is_cut_says_how_much_is_missing() {
    let cut = |text: &str| lay::rows(&columns(text), Some(30), Some(2), &screen(30));
    assert_eq!(cut(&"ab".repeat(30)).len(), 2);
    assert_eq!(cut(&"ä".repeat(61))[2], "… 2 more bytes of this line");
    assert_eq!(cut(&"a".repeat(10_000_060))[2], "… 10,000,000 more bytes of");
    let words = lay::rows(&words(&"word ".repeat(30)), Some(30), Some(2), &screen(30));
    assert_eq!(
        words,
        ["word word word word word word", "word word word word word word", "… 90 more bytes of this line"]
    );
}

#[test]
fn a_line_for_a_pipe_stays_whole() {
    let text = "a\tb ".repeat(5_000);
    assert_eq!(lay::rows(&words(&text), None, None, &Screen::plain()), [text]);
}

#[test]
fn colours_and_links_stay_within_a_row() {
    let screen = Screen { colour: true, links: true, ..screen(14) };
    let line = Line::new("see ", Ink::Faint).then_address("https://example.com/");
    let link = "\x1b]8;id=1;https://example.com/\x1b\\\x1b[4m";
    let end = "\x1b[0m\x1b]8;;\x1b\\";
    let rows = lay::rows(&line, Some(14), None, &screen);
    let expect = ["\x1b[2msee\x1b[0m".to_owned(), format!("{link}https://exampl{end}"), format!("{link}e.com/{end}")];
    assert_eq!(rows, expect);
    let rows = lay::rows(&Line::empty().then_address("javascript:alert(1)"), Some(30), None, &screen);
    assert_eq!(rows, ["javascript:alert(1)"]);
}

#[test]
fn planned_widths_are_never_less_than_those_of_the_whole_text() {
    for text in ["漢字", "👨‍👩‍👧", "❤\u{fe0f}", "1\u{fe0f}\u{20e3}", "🇩🇪", "👍🏽", "각", "नि", "ｱ", "e\u{301}", "…─│"]
    {
        let sum: usize = text.chars().map(|c| if c == '\u{fe0f}' { 1 } else { width(c) }).sum();
        assert!(sum >= console::measure_text_width(text), "{text:?}");
    }
}

fn folded(count: usize, fold: usize, line: impl Fn(usize) -> String) -> (Vec<String>, usize) {
    let screen = Screen { fold: Some(fold), ..screen(60) };
    let mut canvas = Canvas::bare(&screen);
    let mut made = 0;
    canvas.lines(count, |at| {
        made += 1;
        Line::new(line(at), Ink::Plain)
    });
    (canvas.finish().lines().map(str::to_owned).collect(), made)
}

#[test]
fn head_and_tail_are_shown_of_what_is_long() {
    let (rows, made) = folded(1_000_000, 10, |at| at.to_string());
    let expect = ["0", "1", "2", "3", "4", "5", "… 999,990 lines not shown (--full shows all)"];
    let tail = ["999996", "999997", "999998", "999999"];
    assert_eq!(rows, [&expect[..], &tail[..]].concat());
    // Lines that are not shown are not made, but for a few that could have been.
    assert!(made < 30, "{made}");
    assert_eq!(folded(13, 10, |at| at.to_string()).0.len(), 13);
    assert_eq!(folded(14, 10, |at| at.to_string()).0.len(), 11);
}

#[test]
fn rows_are_counted_and_not_lines() {
    let (rows, _) = folded(8, 10, |_| "x".repeat(150));
    assert_eq!(rows.len(), 10);
    assert_eq!(rows[6], "… 5 lines not shown (--full shows all)");
    // One line that is longer than all there is room for.
    let (rows, _) = folded(1, 10, |_| "x".repeat(6_000));
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[6], "… 5,640 more bytes of this line");
}

#[test]
fn numbers_are_for_people() {
    for (from, expect) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(number(from), expect);
    }
}
