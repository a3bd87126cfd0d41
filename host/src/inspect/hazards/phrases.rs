//! Sentences that speak to a model instead of describing a tool.
//!
//! A pattern is a row of words, each with its alternatives; `..3` lets up to three other words stand between. Case,
//! punctuation and how words are set apart do not matter.

use super::Hit;

const RULE: &str = "text/instruction";
const MESSAGE: &str = "this speaks to a model and not of the tool";
const REMEDY: &str = "ask the vendor for a description that says what the tool does";

/// The published tool-poisoning attacks on MCP servers read like these.
const PATTERNS: &[&str] = &[
    "ignore|disregard|forget|override|bypass ..3 previous|prior|above|earlier|preceding|all|any|other|your ..3 instruction|instructions|rules|prompt|prompts|guidelines|directives",
    "ignore|disregard|forget everything|anything|all above|before|previously",
    "new|updated|real|actual instructions follow|are|below|override|supersede",
    "do not ..1 tell|inform|mention|reveal|show|notify|alert|warn|ask ..4 user|human|operator|person|users",
    "never|don't|dont ..1 tell|inform|mention|reveal|show|notify|alert|warn|ask ..4 user|human|operator|person|users",
    "without telling|informing|notifying|asking|alerting ..2 user|human|operator|users",
    "keep|hide|conceal ..4 from ..1 user|human|operator|users",
    "you|assistant|model|agent|ai|llm must|should|shall|will|have|need|has|needs ..3 call|invoke|use|run|execute|read|send|include|pass|forward|fetch|write",
    "always|first call|invoke|use|run|execute this|the|it tool|function",
    "before|after|instead using|calling|invoking|of any|every|other|all ..1 tool|tools|function|functions",
    "you are now",
    "you are no longer",
    "from now on",
    "system|developer prompt|prompts",
    "read|send|include|pass|upload|append|attach ..4 ssh|credentials|passwords|tokens|secrets|id_rsa",
    "send|forward|upload|exfiltrate|post|leak ..4 conversation|chat|history|transcript",
    "pretend|act|behave ..1 as|like|that ..1 you|a|an ..3 user|system|administrator|admin|developer",
];

/// Where the first sentence of the kind stands.
pub(super) fn first(text: &str) -> Option<Hit> {
    let words = words(text);
    let (start, end) = PATTERNS.iter().filter_map(|pattern| find(pattern, &words)).min()?;
    Some(Hit { rule: RULE, message: MESSAGE, remedy: REMEDY, minor: false, start, end })
}

struct Word {
    text: String,
    start: usize,
    end: usize,
    /// A sentence ends after it.
    ends: bool,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut start = None;
    let end_of_text = std::iter::once((text.len(), ' '));
    for (at, character) in text.char_indices().chain(end_of_text) {
        let inside = character.is_alphanumeric() || matches!(character, '\'' | '’' | '_');
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let text = text[from..at].to_lowercase().replace('’', "'");
                words.push(Word { text, start: from, end: at, ends: false });
                start = None;
            }
            _ => {}
        }
        if matches!(character, '.' | '!' | '?' | '\n')
            && let Some(last) = words.last_mut()
        {
            last.ends = true;
        }
    }
    words
}

fn find(pattern: &str, words: &[Word]) -> Option<(usize, usize)> {
    let slots: Vec<&str> = pattern.split(' ').collect();
    (0..words.len()).find_map(|begin| {
        let end = match_at(&slots, words, begin)?;
        Some((words[begin].start, words[end].end))
    })
}

/// The index of the last word, if the slots match from `at` on within one sentence.
fn match_at(slots: &[&str], words: &[Word], mut at: usize) -> Option<usize> {
    let mut last = None;
    let mut gap = 0usize;
    for slot in slots {
        if let Some(most) = slot.strip_prefix("..") {
            gap = most.parse().unwrap_or(0);
            continue;
        }
        let found = (at..words.len()).take(gap + 1).find(|index| {
            let word = words[*index].text.as_str();
            slot.split('|').any(|alternative| alternative == word)
        })?;
        // A match does not run from one sentence into the next.
        if last.is_some_and(|last: usize| words[last..found].iter().any(|word| word.ends)) {
            return None;
        }
        last = Some(found);
        at = found + 1;
        gap = 0;
    }
    last
}
