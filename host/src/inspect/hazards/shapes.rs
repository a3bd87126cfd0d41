//! Marks, scripts and encodings: what can be told without reading.

use super::Hit;

/// The first place for each rule.
pub(super) fn all(text: &str) -> impl Iterator<Item = Hit> {
    [escape_sequence(text), role(text), shout(text), remote(text), encoded(text), confusable(text)]
        .into_iter()
        .flatten()
}

fn hit(rule: &'static str, message: &'static str, remedy: &'static str, start: usize, end: usize) -> Option<Hit> {
    Some(Hit { rule, message, remedy, minor: false, start, end })
}

/// A terminal's escape sequence: real ones are refused by the manifest's gate and escaped elsewhere, so this finds what
/// something later may turn into one.
fn escape_sequence(text: &str) -> Option<Hit> {
    const SPELLED: [&str; 7] = ["\\x1b[", "\\x1b]", "\\u001b[", "\\033[", "\\e[", "\\u{1b}", "\\u{9b}"];
    let start = SPELLED.iter().filter_map(|spelled| find_ignoring_case(text, spelled)).min()?;
    let end = ceil(text, start + 16);
    hit(
        "text/terminal-escape",
        "an escape sequence of a terminal, spelled out",
        "ask the vendor what it is for",
        start,
        end,
    )
}

/// Marks by which chat formats tell who speaks.
fn role(text: &str) -> Option<Hit> {
    const MARKS: [&str; 17] = [
        "<system>",
        "</system>",
        "<|system|>",
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<important>",
        "</important>",
        "<instructions>",
        "<system-reminder>",
        "<user>",
        "<assistant>",
        "[inst]",
        "[/inst]",
        "<<sys>>",
        "### system:",
        "### instruction:",
    ];
    let found = MARKS.iter().filter_map(|mark| Some((find_ignoring_case(text, mark)?, mark.len())));
    let turns = ["\n\nHuman:", "\n\nAssistant:"].iter().filter_map(|turn| Some((text.find(turn)?, turn.len())));
    let (start, length) = found.chain(turns).min()?;
    hit("text/role", "a mark by which models tell who speaks", "describe the tool in plain text", start, start + length)
}

/// Capitals that claim a model's attention.
fn shout(text: &str) -> Option<Hit> {
    const SHOUTS: [&str; 6] = ["IMPORTANT", "CRITICAL", "ATTENTION", "MANDATORY", "URGENT", "OVERRIDE"];
    let places = SHOUTS.iter().filter_map(|shout| {
        let start = text.find(shout)?;
        let after = text[start + shout.len()..].trim_start_matches(['*', '!', ' ']);
        let alone = !text[..start].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        (alone && after.starts_with(':')).then_some(start)
    });
    let start = places.min()?;
    let end = ceil(text, start + 60);
    hit("text/shout", "capitals that claim a model's attention", "say it in the tone of the rest", start, end)
}

/// Markdown or HTML that makes whoever shows it fetch from elsewhere, or leads there.
fn remote(text: &str) -> Option<Hit> {
    let image = find_ignoring_case(text, "<img ").or_else(|| markdown(text, true));
    if let Some(start) = image {
        let end = ceil(text, start + 120);
        let remedy = "leave pictures out: showing one tells its server what was read";
        return hit("text/remote-image", "a picture from elsewhere", remedy, start, end);
    }
    let start = markdown(text, false)?;
    let end = ceil(text, start + 120);
    hit("text/link", "a link in Markdown, which shows other words than where it leads", "", start, end)
        .map(|hit| Hit { minor: true, ..hit })
}

/// Bytes of a link's text: longer ones are no links to a reader.
const LINK_TEXT: usize = 512;

/// Where `[text](scheme:…)` stands, with `!` before it or without.
fn markdown(text: &str, image: bool) -> Option<usize> {
    text.match_indices("](").find_map(|(middle, _)| {
        let target = text[middle + 2..].trim_start_matches(['<', ' ']);
        let remote = ["http://", "https://", "//", "data:", "javascript:"]
            .iter()
            .any(|scheme| target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        // Only so far back: a text of nothing but link ends would be searched from each of them.
        let from = text.floor_char_boundary(middle.saturating_sub(LINK_TEXT));
        let open = from + text[from..middle].rfind('[')?;
        let is_image = text[..open].ends_with('!');
        (remote && is_image == image).then(|| if image { open - 1 } else { open })
    })
}

/// Of a Base64 text, the shortest that says something. Digests are shorter, or in hexadecimal.
const BLOB: usize = 64;
/// Twice the hexadecimal digits of a SHA-512.
const HEX_BLOB: usize = 256;

/// A long run of Base64 or hexadecimal, which a model may decode and a reviewer does not.
fn encoded(text: &str) -> Option<Hit> {
    let mut start = 0;
    for run in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_'))) {
        let has = |test: fn(&u8) -> bool| run.bytes().filter(test).count();
        let mixed = has(u8::is_ascii_uppercase) * 8 > run.len()
            && has(u8::is_ascii_lowercase) * 8 > run.len()
            && has(u8::is_ascii_digit) > 0;
        // Paths and words joined by dashes have more of them.
        let few_marks = has(|byte| matches!(byte, b'/' | b'-' | b'_' | b'+')) * 8 <= run.len();
        let hex = run.len() > HEX_BLOB && run.bytes().all(|byte| byte.is_ascii_hexdigit());
        if (run.len() >= BLOB && mixed && few_marks) || hex {
            let remedy = "ask the vendor what it holds";
            return hit(
                "text/encoded",
                "an encoded text, which a reviewer cannot read",
                remedy,
                start,
                start + run.len(),
            );
        }
        // Every separator is one character.
        start += run.len();
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

/// A word that mixes Latin letters with others that look like them. Source: `confusables.txt` of Unicode Technical
/// Standard 39, the letters that look like a Latin letter on any screen.
fn confusable(text: &str) -> Option<Hit> {
    const LOOKALIKE: &str = "аесорхуіјѕһԁԛԝвкмнтАВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχιк";
    let mut start = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let disguised =
            |c: char| matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}');
        let latin = word.chars().any(|c| c.is_ascii_alphabetic());
        let other = word.chars().filter(|c| !c.is_ascii()).all(|c| LOOKALIKE.contains(c) || disguised(c));
        let mixed = latin && !word.is_ascii() && other && word.chars().count() > 2;
        if mixed
            || (word.chars().count() > 2
                && word.chars().all(|c| disguised(c) || c.is_ascii_digit())
                && !word.is_ascii())
        {
            let remedy = "write the word in one alphabet";
            return hit(
                "text/confusable",
                "a word in letters that look like others",
                remedy,
                start,
                start + word.len(),
            );
        }
        start += word.len();
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    // ASCII alone changes case here, so byte offsets stay.
    text.to_ascii_lowercase().find(needle)
}

fn ceil(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at.min(text.len()))
}
