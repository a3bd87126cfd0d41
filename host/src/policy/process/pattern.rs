//! What the arguments of a granted program have to look like.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::text::{self, Word, words};

/// The most items of a pattern, and the most arguments that a denial quotes. A command line that a person reviews has a
/// dozen.
const ITEMS: usize = 256;
/// The longest literal item.
const ITEM_BYTES: usize = 4 << 10;

/// A list of items, each held against one argument, in order and whole:
///
/// - a word: that text and no other;
/// - `*`: one argument of any text that begins with none of `-`, `+` and `@`, so that it does not become an option, nor
///   the name of a file of options (`less +!sh`, `vim +q`, `gcc @file`);
/// - `-*`: one argument of any text;
/// - `...`, at the end: any number of arguments, none of which begins with `-`, `+` or `@`;
/// - `-...`, at the end: any number of arguments, whatever they say.
///
/// An item in double quotes is always a word: `"*"` is an asterisk. The empty pattern allows no argument.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ArgPattern(Vec<Item>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Literal(String),
    One { options: bool },
    Rest { options: bool },
}

/// An argument pattern that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgPatternError {
    /// `*` as a part of a word: these patterns match arguments whole.
    #[error(
        "the item {0:?} holds a `*`, which stands for a whole argument or for itself; write `*` alone, or the item \
         in double quotes"
    )]
    PartOfWord(String),
    /// Items after `...`.
    #[error("{0} stands before the end; it takes all that is left, so write it last")]
    NotLast(&'static str),
    /// A word that no argument can be: it holds a zero byte.
    #[error("the item {0:?} holds a zero byte, which no argument can; leave it out")]
    ZeroByte(String),
    /// A quote that is not closed, an unknown escape.
    #[error("{0}")]
    Text(String),
    /// Too many items.
    #[error("{0} items; write at most {ITEMS}")]
    TooMany(usize),
    /// A word that is too long.
    #[error("an item of {0} bytes; write at most {ITEM_BYTES}")]
    TooLong(usize),
}

impl ArgPattern {
    /// The pattern that allows these arguments and no others.
    ///
    /// # Errors
    /// They are too many or too long to be written as one, or hold a zero byte.
    pub fn exactly(args: &[String]) -> Result<Self, ArgPatternError> {
        Self::from_words(args.iter().map(|text| Word { text: text.clone(), quoted: true }))
    }

    pub(super) fn from_words(words: impl IntoIterator<Item = Word>) -> Result<Self, ArgPatternError> {
        let items = words.into_iter().map(Item::of).collect::<Result<Vec<_>, _>>()?;
        if items.len() > ITEMS {
            return Err(ArgPatternError::TooMany(items.len()));
        }
        let early = items.iter().rev().skip(1).find_map(|item| match item {
            Item::Rest { options: false } => Some("`...`"),
            Item::Rest { options: true } => Some("`-...`"),
            Item::Literal(_) | Item::One { .. } => None,
        });
        early.map_or(Ok(Self(items)), |item| Err(ArgPatternError::NotLast(item)))
    }

    /// Whether it allows no argument.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether these arguments match.
    pub fn matches(&self, args: &[String]) -> bool {
        let (items, rest) = match self.0.split_last() {
            Some((Item::Rest { options }, items)) => (items, Some(*options)),
            _ => (self.0.as_slice(), None),
        };
        let Some((head, tail)) = args.split_at_checked(items.len()) else { return false };
        let tail_fits = match rest {
            Some(options) => tail.iter().all(|arg| any(arg, options)),
            None => tail.is_empty(),
        };
        tail_fits
            && items.iter().zip(head).all(|(item, arg)| match item {
                Item::Literal(text) => text == arg,
                Item::One { options } | Item::Rest { options } => any(arg, *options),
            })
    }

    /// Whether some argument may be an option that the operator did not write.
    pub(super) fn lets_options_through(&self) -> bool {
        self.0.iter().any(|item| matches!(item, Item::One { options: true } | Item::Rest { options: true }))
    }

    /// Each item as a policy file writes it.
    pub(super) fn items(&self) -> Vec<String> {
        self.0.iter().map(Item::alone).collect()
    }
}

/// What an option begins with, or a file that options are read from: `less` and `vim` run what follows a `+`, `gcc` and
/// `javac` read what follows an `@`.
const OPTION: [char; 3] = ['-', '+', '@'];

/// Whether only a pattern that lets options through takes it.
pub(super) fn may_be_option(arg: &str) -> bool {
    arg.starts_with(OPTION)
}

/// No argument holds a zero byte: the system would cut it there.
fn any(arg: &str, options: bool) -> bool {
    (options || !may_be_option(arg)) && !arg.contains('\0')
}

const SPECIAL: [(&str, Item); 4] = [
    ("*", Item::One { options: false }),
    ("-*", Item::One { options: true }),
    ("...", Item::Rest { options: false }),
    ("-...", Item::Rest { options: true }),
];

impl Item {
    fn of(Word { text, quoted }: Word) -> Result<Self, ArgPatternError> {
        if text.contains('\0') {
            return Err(ArgPatternError::ZeroByte(text));
        }
        if text.len() > ITEM_BYTES {
            return Err(ArgPatternError::TooLong(text.len()));
        }
        if quoted {
            return Ok(Self::Literal(text));
        }
        match SPECIAL.into_iter().find(|(special, _)| *special == text) {
            Some((_, item)) => Ok(item),
            None if text.contains('*') => Err(ArgPatternError::PartOfWord(text)),
            None => Ok(Self::Literal(text)),
        }
    }

    /// Where it stands alone, a word needs quotes only when it could be read as something else.
    fn alone(&self) -> String {
        match self {
            Self::Literal(text) if text.contains('*') || text.ends_with("...") || text.starts_with('"') => {
                text::quoted(text)
            }
            Self::Literal(text) => text.clone(),
            item => item.to_string(),
        }
    }
}

/// In a line, a word with a space needs quotes too.
impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Literal(text) = self {
            let special = text.contains('*') || text.ends_with("...");
            return f.write_str(&if special { text::quoted(text) } else { text::word(text) });
        }
        let special = SPECIAL.iter().find(|(_, item)| item == self);
        f.write_str(special.map_or("", |(text, _)| text))
    }
}

/// Items separated by spaces.
impl FromStr for ArgPattern {
    type Err = ArgPatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_words(words(text).map_err(ArgPatternError::Text)?)
    }
}

impl fmt::Display for ArgPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&items.join(" "))
    }
}

/// One item an element, as in a policy file: spaces need no quotes there.
impl TryFrom<Vec<String>> for ArgPattern {
    type Error = ArgPatternError;

    fn try_from(items: Vec<String>) -> Result<Self, Self::Error> {
        let word = |item: String| {
            if item.starts_with('"') {
                text::unquoted(&item).map(|text| Word { text, quoted: true }).map_err(ArgPatternError::Text)
            } else {
                Ok(Word { text: item, quoted: false })
            }
        };
        Self::from_words(items.into_iter().map(word).collect::<Result<Vec<_>, _>>()?)
    }
}

impl From<ArgPattern> for Vec<String> {
    fn from(pattern: ArgPattern) -> Self {
        pattern.items()
    }
}
