//! Whatever the card, what is left of it fits, is of its kind, and says nothing that the whole did not.

use serde_json::json;

use super::super::{
    CardBudget, Cut, FileDiff, FileMatches, LineMatch, Location, NumberedLine, SearchResults, WebSource,
};
use super::*;
use crate::content::{Annotations, Bytes, EmbeddedResource, ResourceBody, Role};

/// A seeded generator (xorshift64*), so that a failure repeats.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn chance(&mut self, of: usize) -> bool {
        self.roll(of) == 0
    }

    /// Up to `most`, mostly far below.
    fn few(&mut self, most: usize) -> usize {
        let most = 1 + self.roll(most);
        self.roll(most)
    }
}

fn budget(bytes: u64) -> CardBudget {
    CardBudget::new(bytes).unwrap()
}

/// Cut to the least budget.
fn least(card: Card) -> Card {
    let bytes = json_len(&card);
    let (card, cut) = card.within(budget(CardBudget::LEAST));
    assert_eq!(cut, (bytes > 4096).then_some(Cut::new(bytes, 4096)));
    assert!(json_len(&card) <= 4096);
    assert_rules(&card);
    card
}

/// The rules that hold for every card that a projector returns: `sandbox/convert.rs`.
fn assert_rules(card: &Card) {
    assert!(!card.title().trim().is_empty() && !card.title().contains(['\n', '\r']), "{card:?}");
    let web = |url: &str| assert!(url.starts_with("https://") && !url.contains('…'), "{url}");
    match card {
        Card::Generic { body, .. } => {
            for block in body {
                if let ContentBlock::Image { data, mime_type, .. } | ContentBlock::Audio { data, mime_type, .. } = block
                {
                    assert!(!data.0.is_empty() && mime_type.contains('/'), "{block:?}");
                }
            }
        }
        Card::Terminal { .. } => {}
        Card::Diff { diffs, .. } => assert!(!diffs.is_empty()),
        Card::Read { lines, total_lines, .. } => {
            let mut last = 0;
            for line in lines {
                assert!(last < line.number && line.number <= *total_lines);
                last = line.number;
            }
        }
        Card::Search { results: SearchResults::Matches { files, truncated, total }, .. } => {
            let shown: u64 = files.iter().map(|file| file.matches.len() as u64).sum();
            assert!(if *truncated { shown < *total } else { shown == *total }, "{shown} of {total}");
        }
        Card::Search { results: SearchResults::Paths { paths, truncated, total }, .. } => {
            let shown = paths.len() as u64;
            assert!(if *truncated { shown < *total } else { shown == *total }, "{shown} of {total}");
        }
        Card::Web { results: WebResults::Search { sources, .. }, .. } => {
            sources.iter().for_each(|source| web(&source.url));
        }
        Card::Web { results: WebResults::Fetch { url, .. }, .. } => web(url),
    }
}

fn generic(body: Vec<ContentBlock>) -> Card {
    Card::Generic { title: "Title".to_owned(), kind: Some(ToolKind::Other), input: None, body, locations: Vec::new() }
}

fn body_of(card: &Card) -> Vec<&str> {
    let Card::Generic { body, .. } = card else { panic!("{card:?}") };
    body.iter()
        .map(|block| match block {
            ContentBlock::Text { text, .. } => text.as_str(),
            _ => "(no text)",
        })
        .collect()
}

fn image(bytes: usize) -> ContentBlock {
    ContentBlock::Image { data: Bytes(vec![0; bytes]), mime_type: "image/png".to_owned(), annotations: None }
}

#[test]
fn a_card_within_the_budget_stays_as_it_is() {
    let card = generic(vec![ContentBlock::text("text")]);
    assert_eq!(card.clone().within(CardBudget::STANDARD), (card.clone(), None));
    let frame = json_len(&generic(vec![ContentBlock::text("")]));
    let fits = |bytes: u64| generic(vec![ContentBlock::text("x".repeat(usize::try_from(bytes - frame).unwrap()))]);
    assert_eq!(fits(5000).within(budget(5000)), (fits(5000), None));
    let (card, cut) = fits(5001).within(budget(5000));
    assert_eq!(cut, Some(Cut::new(5001, 5000)));
    assert!(json_len(&card) <= 5000);
}

#[test]
fn a_budget_has_a_least() {
    assert_eq!(budget(4096).bytes(), 4096);
    let error = CardBudget::new(4095).unwrap_err().to_string();
    assert_eq!(error, "a card budget of 4095 bytes is too small; write 4096 or more");
}

#[test]
fn prices_are_those_of_the_json_that_is_written() {
    for one in (0..0x1_1000).filter_map(char::from_u32) {
        let written = serde_json::to_string(&one.to_string()).unwrap().len() as u64;
        assert_eq!(price(one) + 2, written, "{one:?}");
    }
}

#[test]
fn terminal_keeps_both_ends_of_the_output() {
    let output: String = (1..=1000).map(|line| format!("line {line}\n")).collect();
    let terminal = |output: &str| Card::Terminal {
        title: "make".to_owned(),
        description: None,
        cwd: Some("/work".to_owned()),
        output: output.to_owned(),
        exit: Some(ExitStatus::Code(2)),
        timed_out: false,
    };
    let card = least(terminal(&output));
    let Card::Terminal { output: shown, exit, .. } = &card else { panic!("{card:?}") };
    assert_eq!(*exit, Some(ExitStatus::Code(2)));
    let (head, rest) = shown.split_once("\n[... ").unwrap();
    let (omitted, tail) = rest.split_once(" bytes are left out here ...]\n").unwrap();
    assert!(output.starts_with(head) && head.ends_with('\n') && output.ends_with(tail) && tail.starts_with("line "));
    assert_eq!(head.len() + tail.len() + omitted.parse::<usize>().unwrap(), output.len());
    assert!(json_len(&card) > 4096 - 100, "no room is wasted");
    // Control characters take six bytes of JSON each.
    let Card::Terminal { output: shown, .. } = least(terminal(&"\u{1b}".repeat(2000))) else { panic!() };
    assert!(shown.len() < 700, "{}", shown.len());
}

#[test]
fn short_fields_end_where_they_are_cut() {
    let card = least(Card::Terminal {
        title: "t".repeat(5000),
        description: Some("ä".repeat(5000)),
        cwd: Some("c".repeat(5000)),
        output: "out".to_owned(),
        exit: Some(ExitStatus::Signal("S".repeat(5000))),
        timed_out: true,
    });
    let Card::Terminal { title, description, cwd, output, exit, .. } = card else { panic!("{card:?}") };
    assert_eq!(title, format!("{}…", "t".repeat(253)));
    assert_eq!(description.unwrap(), format!("{}…", "ä".repeat(126)));
    assert_eq!(cwd.unwrap().len(), 256);
    assert_eq!(exit, Some(ExitStatus::Signal(format!("{}…", "S".repeat(253)))));
    assert_eq!(output, "out");
    // What is left of a title of blanks is a title.
    let Card::Generic { title, .. } = least(Card::Generic {
        title: format!("{}x", " ".repeat(5000)),
        kind: None,
        input: None,
        body: Vec::new(),
        locations: Vec::new(),
    }) else {
        panic!()
    };
    assert!(title.ends_with('…'));
}

#[test]
fn read_drops_lines_from_the_end() {
    let read = |lines: Vec<NumberedLine>| Card::Read {
        title: "a.rs".to_owned(),
        path: "a.rs".to_owned(),
        offset: 5,
        lines,
        total_lines: 5000,
        language: Some("rust".to_owned()),
    };
    let line = |number: u64, length: usize| NumberedLine { number, text: "x".repeat(length) };
    let card = least(read((5..2000).map(|number| line(number, 10)).collect()));
    let Card::Read { lines, total_lines: 5000, offset: 5, .. } = &card else { panic!("{card:?}") };
    assert!(
        lines.len() > 80 && lines.iter().zip(5..).all(|(line, number)| line.number == number && line.text.len() == 10)
    );
    // One line that is too long for itself is shown in part.
    let Card::Read { lines, .. } = least(read(vec![line(5, 9000), line(6, 1)])) else { panic!() };
    let [only] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(only.number == 5 && only.text.contains("x [... ") && only.text.contains(" bytes are left out here ...] x"));
}

#[test]
fn search_keeps_the_total_and_says_that_there_is_more() {
    let file = |path: &str, matches: u64, length: usize| FileMatches {
        path: path.to_owned(),
        matches: (1..=matches).map(|line_number| LineMatch { line_number, line: "y".repeat(length) }).collect(),
    };
    let matches = |files: Vec<FileMatches>, total| Card::Search {
        title: "y".to_owned(),
        results: SearchResults::Matches { files, truncated: false, total },
    };
    let shown = |card| match least(card) {
        Card::Search { results: SearchResults::Matches { files, truncated: true, total }, .. } => {
            (files.iter().map(|file| (file.path.clone(), file.matches.len())).collect::<Vec<_>>(), total)
        }
        other => panic!("{other:?}"),
    };
    let (files, total) = shown(matches(vec![file("a", 20, 10), file("b", 200, 10), file("c", 1, 1)], 221));
    assert_eq!((files[0].clone(), files[1].0.as_str(), files.len(), total), (("a".to_owned(), 20), "b", 2, 221));
    let (files, total) = shown(matches(vec![file("a", 2, 9000)], 2));
    assert_eq!((files, total), (vec![("a".to_owned(), 1)], 2));
    // One match that is too long for itself is there, in part: nothing is missing of the list.
    let card = least(matches(vec![file("a", 1, 9000)], 1));
    assert!(matches!(&card, Card::Search { results: SearchResults::Matches { files, truncated: false, total: 1 }, .. }
        if files[0].matches[0].line.contains("left out here")));
    // Of files alone, without a match, none is counted.
    let none = (0..500).map(|number| file(&format!("file {number}"), 0, 0)).collect();
    let card = least(matches(none, 0));
    assert!(matches!(&card, Card::Search { results: SearchResults::Matches { truncated: false, .. }, .. }));

    let paths: Vec<String> = (0..1000).map(|number| format!("src/file-{number}.rs")).collect();
    let card = least(Card::Search {
        title: "*.rs".to_owned(),
        results: SearchResults::Paths { paths: paths.clone(), truncated: false, total: 1000 },
    });
    let Card::Search { results: SearchResults::Paths { paths: kept, truncated: true, total: 1000 }, .. } = card else {
        panic!("{card:?}")
    };
    assert!(kept.len() > 150 && paths.starts_with(&kept));
}

#[test]
fn web_drops_snippets_then_sources_and_cuts_no_address() {
    let source = |number: usize, snippet: usize| WebSource {
        url: format!("https://example.com/{number}"),
        title: Some(format!("Page {number}")),
        snippet: Some("s".repeat(snippet)),
        published: None,
    };
    let search = |sources: Vec<WebSource>, answer: Option<String>| {
        let results = WebResults::Search { sources, answer, truncated: false };
        let Card::Web { results: WebResults::Search { sources, answer, truncated }, .. } =
            least(Card::Web { title: "query".to_owned(), results })
        else {
            panic!()
        };
        (sources, answer, truncated)
    };
    let (sources, _, truncated) = search((0..20).map(|number| source(number, 500)).collect(), None);
    assert!(sources.len() == 20 && !truncated, "every source is there");
    let with_snippet =
        sources.iter().take_while(|source| source.snippet.as_ref().is_some_and(|text| text.len() == 500));
    let with_snippet = with_snippet.count();
    assert!(with_snippet >= 4 && sources[with_snippet..].iter().all(|source| source.snippet.is_none()));
    let (sources, _, truncated) = search((0..200).map(|number| source(number, 5)).collect(), None);
    assert!(sources.len() > 40 && truncated);
    let (sources, answer, _) = search(vec![source(0, 10)], Some("a".repeat(9000)));
    assert!(answer.unwrap().contains("a\n[... ") && sources.len() == 1 && sources[0].snippet.is_some());
    let long = WebSource { url: format!("https://example.com/{}", "u".repeat(9000)), ..source(0, 0) };
    let (sources, _, truncated) = search(vec![source(1, 1), long], None);
    assert!(sources.len() == 1 && truncated);

    let url = format!("https://example.com/{}", "u".repeat(9000));
    let page = Card::Web { title: "Page".to_owned(), results: WebResults::Fetch { url, status: 404, truncated: true } };
    let card = least(page);
    assert!(matches!(&card, Card::Generic { kind: Some(ToolKind::Fetch), title, .. } if title == "Page"));
    let body = body_of(&card);
    assert!(
        body[0].starts_with("[The address has 9020 bytes and is too long to show. It begins: https://example.com/u")
    );
    assert_eq!(body[1], "HTTP status 404, of which a part is left out");
}

fn diff(path: &str, old: Option<String>, new: String) -> FileDiff {
    FileDiff { path: path.to_owned(), old, new }
}

fn diffs(diffs: Vec<FileDiff>) -> Card {
    Card::Diff { title: "Edit".to_owned(), diffs }
}

#[test]
fn diff_leaves_out_what_did_not_change_first() {
    let lines: Vec<String> = (1..=1000).map(|line| format!("line {line}\n")).collect();
    let mut changed = lines.clone();
    changed[499] = "another line\n".to_owned();
    changed.insert(502, "one more\n".to_owned());
    let card = least(diffs(vec![diff("a", Some(lines.concat()), changed.concat())]));
    let Card::Diff { diffs, .. } = card else { panic!("{card:?}") };
    let start: usize = lines[..496].iter().map(String::len).sum();
    let end: usize = lines[505..].iter().map(String::len).sum();
    let around = |lines: &[String]| {
        format!(
            "[... 496 lines that did not change, {start} bytes, are left out here ...]\n{}\
             [... 495 lines that did not change, {end} bytes, are left out here ...]\n",
            lines.concat()
        )
    };
    assert_eq!(diffs, [diff("a", Some(around(&lines[496..505])), around(&changed[496..506]))]);
}

#[test]
fn diff_drops_whole_files_from_the_end() {
    let small = |path: &str| diff(path, Some("a\n".repeat(300)), "b\n".repeat(300));
    let all = vec![small("1"), small("2"), small("3")];
    let Card::Diff { diffs: kept, .. } = least(diffs(all.clone())) else { panic!() };
    assert_eq!(kept, all[..2]);
}

#[test]
fn half_a_change_is_not_shown_as_a_change() {
    let old = diff("old.txt", Some("a\n".repeat(3000)), "b\n".repeat(3000));
    let card = least(diffs(vec![old, diff("small", None, "x".to_owned())]));
    assert_eq!(
        body_of(&card),
        [
            "[The change of old.txt is too long to show. It is left out, and not a part of it.]",
            "[The changes of 1 more files are left out.]"
        ]
    );
    let Card::Generic { kind: Some(ToolKind::Edit), locations, .. } = &card else { panic!("{card:?}") };
    assert_eq!(locations.iter().map(|place| place.path.as_str()).collect::<Vec<_>>(), ["old.txt", "small"]);
    let card = least(diffs(vec![diff("new.txt", None, format!("first\n{}last\n", "x\n".repeat(5000)))]));
    let body = body_of(&card);
    assert!(
        body[0].starts_with("[new.txt is new, or what it held is unknown. It is too long to show whole: 10011 bytes.")
    );
    assert!(body[1].starts_with("first\n") && body[1].ends_with("last\n") && body[1].contains("left out here"));
}

#[test]
fn generic_shortens_the_longest_texts_alike() {
    let texts =
        |lengths: &[usize]| generic(lengths.iter().map(|length| ContentBlock::text("x".repeat(*length))).collect());
    let card = least(texts(&[9000, 100, 5000]));
    let lengths: Vec<_> = body_of(&card).iter().map(|text| text.len()).collect();
    assert!(lengths[1] == 100 && lengths[0].abs_diff(lengths[2]) <= 4 && lengths[0] > 1700, "{lengths:?}");
    let card = least(texts(&[1; 1000]));
    let body = body_of(&card);
    let kept = body.len() - 1;
    assert!(kept > 100);
    assert_eq!(body[kept], format!("[{} more blocks are left out.]", 1000 - kept));
    let card = least(texts(&[1000; 100]));
    assert!(body_of(&card).iter().rev().skip(1).all(|text| text.len() >= 100), "what is shown of a text is worth it");
}

#[test]
fn generic_names_what_is_no_text_in_its_place() {
    let body = vec![image(1000), ContentBlock::text("text"), image(9000)];
    let card = least(generic(body));
    assert_eq!(body_of(&card), ["(no text)", "text", "[A picture, image/png, 9000 bytes, is left out.]"]);
    let link = ContentBlock::ResourceLink {
        uri: "note:1".to_owned(),
        name: "note".to_owned(),
        title: None,
        description: Some("d".repeat(9000)),
        mime_type: None,
        size: None,
        annotations: None,
    };
    let resource = |body| ContentBlock::Resource {
        resource: EmbeddedResource { uri: "note:2".to_owned(), mime_type: Some("text/plain".to_owned()), body },
        annotations: None,
    };
    let sound =
        ContentBlock::Audio { data: Bytes(vec![0; 9000]), mime_type: "audio/wav".to_owned(), annotations: None };
    let text = resource(ResourceBody::Text("t".repeat(9000)));
    let blob = resource(ResourceBody::Blob(Bytes(vec![0; 9000])));
    assert_eq!(
        body_of(&least(generic(vec![link, text, blob, sound]))),
        [
            "[A link is left out: note:1]",
            "[A resource, text/plain, 9000 bytes, is left out: note:2]",
            "[A resource, text/plain, 9000 bytes, is left out: note:2]",
            "[A sound, audio/wav, 9000 bytes, is left out.]"
        ]
    );
}

#[test]
fn generic_drops_the_input_last() {
    let card = |input: usize, body: usize| Card::Generic {
        title: "Title".to_owned(),
        kind: None,
        input: Some(json!({ "text": "i".repeat(input) })),
        body: vec![ContentBlock::text("b".repeat(body))],
        locations: (0..500).map(|line| Location { path: "a".to_owned(), line: Some(line) }).collect(),
    };
    let cut = least(card(2000, 9000));
    assert!(matches!(&cut, Card::Generic { input: Some(_), locations, .. } if locations.len() > 15), "{cut:?}");
    assert!(body_of(&cut)[0].contains("left out here"));
    let cut = least(card(9000, 10));
    assert!(matches!(&cut, Card::Generic { input: None, .. }));
    assert_eq!(body_of(&cut), ["[The input of 9011 bytes is too long to show.]", "bbbbbbbbbb"]);
}

fn any_text(dice: &mut Dice, most: usize) -> String {
    let pieces = ["a", "ä", "😀", "\n", "\0", "\"", "word ", "\u{1b}[1m", "\\"];
    let favourite = dice.roll(pieces.len());
    let length = dice.few(most);
    (0..length).map(|_| if dice.chance(3) { pieces[dice.roll(pieces.len())] } else { pieces[favourite] }).collect()
}

fn any_label(dice: &mut Dice) -> String {
    let most = if dice.chance(10) { 3000 } else { 40 };
    format!("t{}", any_text(dice, most).replace(['\n', '\0'], " "))
}

fn maybe<T>(dice: &mut Dice, make: impl FnOnce(&mut Dice) -> T) -> Option<T> {
    if dice.chance(2) { Some(make(dice)) } else { None }
}

fn any_block(dice: &mut Dice, most: usize) -> ContentBlock {
    let hints = |dice: &mut Dice| Annotations {
        audience: vec![Role::User],
        priority: Some(0.1),
        last_modified: maybe(dice, |_| "2026-11-29T08:30:00Z".to_owned()),
    };
    let annotations = maybe(dice, hints);
    let bytes = Bytes(vec![7; 1 + dice.few(most)]);
    match dice.roll(8) {
        0 => ContentBlock::Image { data: bytes, mime_type: "image/png".to_owned(), annotations },
        1 => ContentBlock::Audio {
            data: bytes,
            mime_type: format!("audio/{}", "w".repeat(1 + dice.few(127))),
            annotations,
        },
        2 => ContentBlock::ResourceLink {
            uri: format!("x:{}", any_label(dice)),
            name: any_label(dice),
            title: maybe(dice, any_label),
            description: maybe(dice, |dice| any_text(dice, most)),
            mime_type: None,
            size: Some(5),
            annotations,
        },
        3 => {
            let body =
                if dice.chance(2) { ResourceBody::Blob(bytes) } else { ResourceBody::Text(any_text(dice, most)) };
            let resource = EmbeddedResource { uri: format!("x:{}", any_label(dice)), mime_type: None, body };
            ContentBlock::Resource { resource, annotations }
        }
        _ => ContentBlock::Text { text: any_text(dice, most), annotations },
    }
}

fn list<T>(dice: &mut Dice, most: usize, mut one: impl FnMut(&mut Dice, u64) -> T) -> Vec<T> {
    let length = dice.few(most) as u64;
    (1..=length).map(|number| one(dice, number)).collect()
}

fn any_card(dice: &mut Dice) -> Card {
    let title = any_label(dice);
    // Few long things, or many short ones.
    let (many, long) = [(4, 8000), (30, 1000), (400, 40)][dice.roll(3)];
    let more = dice.few(3) as u64;
    match dice.roll(7) {
        0 => Card::Generic {
            title,
            kind: maybe(dice, |_| ToolKind::Read),
            input: maybe(dice, |dice| json!([any_text(dice, long), { "a": 1 }])),
            body: list(dice, many, |dice, _| any_block(dice, long)),
            locations: list(dice, many, |dice, _| Location { path: any_label(dice), line: Some(1) }),
        },
        1 => Card::Terminal {
            title,
            description: maybe(dice, any_label),
            cwd: maybe(dice, any_label),
            output: any_text(dice, 12_000),
            exit: Some(ExitStatus::Signal(any_label(dice))),
            timed_out: dice.chance(2),
        },
        2 => {
            let mut diffs = list(dice, many, |dice, _| {
                let same = any_text(dice, long);
                let old = maybe(dice, |dice| format!("{same}\n{}\n{same}", any_text(dice, long)));
                FileDiff { path: any_label(dice), old, new: format!("{same}\n{}\n{same}", any_text(dice, long)) }
            });
            diffs.push(FileDiff { path: any_label(dice), old: None, new: any_text(dice, long) });
            Card::Diff { title, diffs }
        }
        3 => {
            let lines =
                list(dice, many, |dice, number| NumberedLine { number: 3 * number, text: any_text(dice, long) });
            let total_lines = lines.last().map_or(0, |line| line.number) + more;
            Card::Read { title, path: any_label(dice), offset: 1, lines, total_lines, language: maybe(dice, any_label) }
        }
        4 => {
            let files = list(dice, many, |dice, _| FileMatches {
                path: any_label(dice),
                matches: list(dice, many.min(30), |dice, line_number| LineMatch {
                    line_number,
                    line: any_text(dice, long),
                }),
            });
            let total = files.iter().map(|file| file.matches.len() as u64).sum::<u64>() + more;
            Card::Search { title, results: SearchResults::Matches { files, truncated: more > 0, total } }
        }
        5 => {
            let paths = list(dice, many, |dice, _| any_label(dice));
            let total = paths.len() as u64 + more;
            Card::Search { title, results: SearchResults::Paths { paths, truncated: more > 0, total } }
        }
        _ => {
            let url = |dice: &mut Dice| {
                let most = if dice.chance(9) { 3000 } else { 30 };
                format!("https://e/{}", any_text(dice, most))
            };
            let results = if dice.chance(6) {
                WebResults::Fetch { url: url(dice), status: 200, truncated: dice.chance(2) }
            } else {
                let sources = list(dice, many, |dice, _| WebSource {
                    url: url(dice),
                    title: maybe(dice, any_label),
                    snippet: maybe(dice, |dice| any_text(dice, long)),
                    published: maybe(dice, any_label),
                });
                let answer = maybe(dice, |dice| any_text(dice, long));
                WebResults::Search { sources, answer, truncated: more > 0 }
            };
            Card::Web { title, results }
        }
    }
}

/// Which card it is, in a word.
fn kind(card: &Card) -> String {
    serde_json::to_value(card).unwrap()["card"].as_str().unwrap().to_owned()
}

#[test]
fn whatever_the_card_it_fits_and_keeps_its_kind_and_its_rules() {
    let mut dice = Dice(0xca4d);
    let (mut cuts, mut instead) = (std::collections::BTreeMap::<String, u32>::new(), 0);
    for round in 0..500 {
        let card = any_card(&mut dice);
        assert_rules(&card);
        let budget = budget(4096 + dice.few(16_000) as u64);
        let bytes = serde_json::to_vec(&card).unwrap().len() as u64;
        let (after, cut) = card.clone().within(budget);
        let written = serde_json::to_vec(&after).unwrap();
        assert!(written.len() as u64 <= budget.bytes(), "round {round}: {} of {budget:?}", written.len());
        assert_eq!(cut, (bytes > budget.bytes()).then_some(Cut::new(bytes, budget.bytes())), "round {round}");
        assert_rules(&after);
        if cut.is_none() {
            assert_eq!(after, card, "round {round}");
            continue;
        }
        *cuts.entry(kind(&card)).or_default() += 1;
        assert_eq!(card.clone().within(budget), (after.clone(), cut), "round {round}: the same again");
        assert_eq!(after.clone().within(budget), (after.clone(), None), "round {round}: not a second time");
        assert_eq!(serde_json::from_slice::<Card>(&written).unwrap(), after, "round {round}: it reads back");
        if let Card::Generic { body, .. } = &after {
            let gave_up = body
                .iter()
                .any(|block| matches!(block, ContentBlock::Text { text, .. } if text.starts_with("[The card of")));
            assert!(!gave_up, "round {round}: {} of {bytes} bytes", kind(&card));
        }
        if kind(&after) != kind(&card) {
            instead += 1;
            assert!(matches!(kind(&card).as_str(), "diff" | "web") && kind(&after) == "generic", "round {round}");
        }
    }
    assert!(cuts.len() == 6 && cuts.values().all(|count| *count > 10), "{cuts:?}");
    assert!(instead > 5, "{instead}");
}
