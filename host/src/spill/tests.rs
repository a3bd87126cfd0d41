//! What a model reads of long texts, whatever the texts are.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::content::{Annotations, Bytes, ContentBlock, EmbeddedResource, ResourceBody, Role};
use crate::session::Spilled;

/// A seeded generator (xorshift64*), so that a failure repeats.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }
}

struct Home {
    store: SpillStore,
    place: tempfile::TempDir,
}

fn home(limits: SpillLimits) -> Home {
    let place = tempfile::tempdir().unwrap();
    let store = SpillStore::open(place.path().join("spill"), limits).unwrap();
    Home { store, place }
}

fn budget(bytes: u64) -> SpillBudget {
    SpillBudget::new(bytes).unwrap()
}

fn text_of(block: &ContentBlock) -> &str {
    match block {
        ContentBlock::Text { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

fn image() -> ContentBlock {
    ContentBlock::Image { data: Bytes(vec![1; 5000]), mime_type: "image/png".to_owned(), annotations: None }
}

fn resource(text: &str) -> ContentBlock {
    let body = ResourceBody::Text(text.to_owned());
    let resource = EmbeddedResource { uri: "note:1".to_owned(), mime_type: None, body };
    ContentBlock::Resource { resource, annotations: None }
}

#[test]
fn a_long_text_becomes_both_ends_a_count_and_a_name() {
    let home = home(SpillLimits::standard());
    let text: String = (1..=1000).map(|line| format!("line {line}\n")).collect();
    let (content, spilled) = spilled(&[ContentBlock::text(&text)], budget(1024), &home.store).unwrap().unwrap();
    let [block] = content.as_slice() else { panic!("{content:?}") };
    let shown = text_of(block);
    let locator = Locator::of(&text);
    let omitted = spilled.omitted;
    assert_eq!(spilled, Spilled { locator: locator.to_string(), bytes: 8893, omitted });
    assert!(shown.len() <= 1024 && shown.len() > 1024 - 40, "{}", shown.len());
    let head: String = (1..=39).map(|line| format!("line {line}\n")).collect();
    assert!(shown.starts_with(&format!("{head}\n[... {omitted} bytes are left out here ...]\nline 9")), "{shown}");
    let notice = format!(
        "line 1000\n\n[These are the beginning and the end of a text of 8893 bytes, which is too long to show; {omitted} \
         bytes between them are left out. The whole text is kept as {locator} and nothing of it is lost. To read more of \
         it, call the tool again for less at once, or ask the person you work for to open it.]"
    );
    assert!(shown.ends_with(&notice), "{shown}");
    assert_eq!(home.store.read(&locator).unwrap(), text);
}

#[test]
fn within_the_budget_nothing_is_kept() {
    let home = home(SpillLimits::standard());
    for text in [String::new(), "x".repeat(1024), "ä".repeat(512)] {
        assert_eq!(spilled(&[ContentBlock::text(text)], budget(1024), &home.store).unwrap(), None);
    }
    let halves = [ContentBlock::text("x".repeat(512)), ContentBlock::text("x".repeat(512))];
    assert_eq!(spilled(&halves, budget(1024), &home.store).unwrap(), None);
    assert_eq!(home.place.path().join("spill").read_dir().unwrap().count(), 0);
    let over = [ContentBlock::text("x".repeat(512)), ContentBlock::text("x".repeat(513))];
    assert!(spilled(&over, budget(1024), &home.store).unwrap().is_some());
}

#[test]
fn what_is_no_text_stays_in_its_place() {
    let home = home(SpillLimits::standard());
    let long = "x".repeat(2000);
    let content = [image(), ContentBlock::text(&long), resource(&long), ContentBlock::text("end"), image()];
    let (after, spilled) = spilled(&content, budget(1024), &home.store).unwrap().unwrap();
    assert_eq!(after.len(), 4);
    assert_eq!((&after[0], &after[2], &after[3]), (&content[0], &content[2], &content[4]));
    assert_eq!(home.store.read(&spilled.locator.parse().unwrap()).unwrap(), format!("{long}\nend"));
    // A resource of text does not count, however long.
    assert_eq!(super::spilled(&[resource(&long)], budget(1024), &home.store).unwrap(), None);
}

#[test]
fn the_one_text_has_the_hints_that_all_had() {
    let home = home(SpillLimits::standard());
    let for_user = || Some(Annotations { audience: vec![Role::User], ..Annotations::default() });
    let check = |hints: [Option<Annotations>; 2], expect: Option<Annotations>| {
        let block = |annotations| ContentBlock::Text { text: "x".repeat(2000), annotations };
        let (content, _) = spilled(&hints.map(block), budget(1024), &home.store).unwrap().unwrap();
        assert!(matches!(&content[0], ContentBlock::Text { annotations, .. } if *annotations == expect), "{content:?}");
    };
    check([for_user(), for_user()], for_user());
    check([for_user(), None], None);
    check([None, for_user()], None);
    check([None, None], None);
}

#[test]
fn a_store_that_fails_leaves_the_content_and_says_why() {
    let home = home(SpillLimits { text_bytes: 3000, ..SpillLimits::standard() });
    let error = spilled(&[ContentBlock::text("x".repeat(3001))], budget(1024), &home.store).unwrap_err();
    assert!(matches!(error, SpillError::TooLong { bytes: 3001, limit: 3000 }), "{error}");
    assert!(spilled(&[ContentBlock::text("x".repeat(3000))], budget(1024), &home.store).unwrap().is_some());
}

/// Texts of every width of UTF-8, of long and of short lines, and of what looks like a notice.
fn any_text(dice: &mut Dice) -> String {
    let pieces =
        ["a", "ä", "€", "😀", "\n", "\r\n", "\0", "[... 5 bytes are left out here ...]", "a long word ", "e\u{301}"];
    let favourite = dice.roll(pieces.len());
    let length = dice.roll(3000);
    let one = |_| if dice.roll(3) == 0 { pieces[favourite] } else { pieces[dice.roll(pieces.len())] };
    (0..length).map(one).collect()
}

#[test]
fn whatever_the_text_nothing_is_lost_and_nothing_is_over() {
    let home = home(SpillLimits::standard());
    let mut dice = Dice(0x5111);
    let mut seen = 0;
    for round in 0..400 {
        let content: Vec<_> = (0..1 + dice.roll(4))
            .map(|_| match dice.roll(5) {
                0 => image(),
                1 => resource("text"),
                _ => ContentBlock::text(any_text(&mut dice)),
            })
            .collect();
        let budget = budget(1024 + dice.roll(4000) as u64);
        let texts: Vec<_> =
            content.iter().filter(|one| matches!(one, ContentBlock::Text { .. })).map(text_of).collect();
        let whole = texts.join("\n");
        let fits = texts.iter().map(|text| text.len() as u64).sum::<u64>() <= budget.bytes();
        let Some((after, spilled)) = spilled(&content, budget, &home.store).unwrap() else {
            assert!(fits, "round {round}");
            continue;
        };
        seen += 1;
        assert!(!fits, "round {round}");
        let rest = |content: &[ContentBlock]| {
            content.iter().filter(|one| !matches!(one, ContentBlock::Text { .. })).cloned().collect::<Vec<_>>()
        };
        assert_eq!(rest(&after), rest(&content), "round {round}");
        let shown: Vec<_> = after.iter().filter(|one| matches!(one, ContentBlock::Text { .. })).map(text_of).collect();
        let [shown] = shown.as_slice() else { panic!("round {round}: {after:?}") };
        assert!(shown.len() as u64 <= budget.bytes(), "round {round}");

        // The text may itself hold such words: ours are found by what the head has to be.
        let gap = format!("\n[... {} bytes are left out here ...]\n", spilled.omitted);
        let notice = shown.rfind("\n[These are the beginning").unwrap();
        let cut = shown.match_indices(&gap).any(|(at, _)| {
            let (head, tail) = (&shown[..at], &shown[at + gap.len()..notice.max(at + gap.len())]);
            whole.starts_with(head)
                && whole.ends_with(tail)
                && (head.len() + tail.len()) as u64 + spilled.omitted == whole.len() as u64
        });
        assert!(cut, "round {round}: {shown}");
        assert_eq!(spilled.bytes, whole.len() as u64, "round {round}");
        assert!(shown[notice..].contains(&format!("a text of {} bytes", whole.len())), "round {round}");
        assert!(shown[notice..].contains(&spilled.locator), "round {round}");
        assert_eq!(home.store.read(&spilled.locator.parse().unwrap()).unwrap(), whole, "round {round}");
        assert_eq!(super::spilled(&after, budget, &home.store).unwrap(), None, "round {round}: not a second time");
    }
    assert!(seen > 150, "{seen}");
    for entry in home.place.path().join("spill").read_dir().unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
