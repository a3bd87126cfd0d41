//! What a person sees. Six shapes, and whoever draws them knows no tool by name.
//!
//! Each has a constructor that takes what it cannot be without, and a method for each other part. The fields are public:
//! a part that is an `Option` already goes there.

use serde::Serialize;

use crate::{
    Card, Content, DiffCard, ExitStatus, FileDiff, FileMatches, GenericCard, LineMatch, Location, MatchResults,
    NumberedLine, PathResults, ReadCard, SearchCard, SearchResults, TerminalCard, ToolKind, WebCard, WebFetch,
    WebResults, WebSearch, WebSource, value,
};

macro_rules! cards {
    ($($case:ident($card:ident)),*) => {
        $(impl From<$card> for Card {
            fn from(card: $card) -> Self {
                Self::$case(card)
            }
        })*
    };
}

cards!(Generic(GenericCard), Terminal(TerminalCard), Diff(DiffCard), Read(ReadCard), Search(SearchCard), Web(WebCard));

impl Card {
    /// The title, which each of them has.
    pub(crate) fn title_mut(&mut self) -> &mut String {
        match self {
            Self::Generic(GenericCard { title, .. })
            | Self::Terminal(TerminalCard { title, .. })
            | Self::Diff(DiffCard { title, .. })
            | Self::Read(ReadCard { title, .. })
            | Self::Search(SearchCard { title, .. })
            | Self::Web(WebCard { title, .. }) => title,
        }
    }
}

impl GenericCard {
    /// A title, which becomes one line, and by default the arguments of the call.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: None, input: None, body: Vec::new(), locations: Vec::new() }
    }

    /// What the call does, for an icon.
    #[must_use]
    pub fn kind(mut self, kind: ToolKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// What to show in place of the arguments. What has no JSON form leaves the arguments.
    #[must_use]
    pub fn input(mut self, input: &impl Serialize) -> Self {
        self.input = value::to_json(input).ok();
        self
    }

    /// What came of it.
    #[must_use]
    pub fn body(mut self, body: impl Into<Content>) -> Self {
        self.body = body.into().into();
        self
    }

    /// A file that the call is about, and one of its lines, counted from 1.
    #[must_use]
    pub fn location(mut self, path: impl Into<String>, line: Option<u32>) -> Self {
        self.locations.push(Location { path: path.into(), line });
        self
    }
}

impl TerminalCard {
    /// A command that still runs, or has not said how it ended.
    pub fn new(command: impl Into<String>) -> Self {
        let (title, output) = (command.into(), String::new());
        Self { title, description: None, cwd: None, output, exit: None, timed_out: false }
    }

    /// What it is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The directory that it runs in.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// What it wrote.
    #[must_use]
    pub fn output(mut self, output: impl Into<String>) -> Self {
        self.output = output.into();
        self
    }

    /// It ended by itself, with this status: from the value, never from reading what it wrote.
    #[must_use]
    pub fn exited(mut self, code: i32) -> Self {
        self.exit = Some(ExitStatus::Code(code));
        self
    }

    /// It was killed: `SIGKILL`.
    #[must_use]
    pub fn killed(mut self, signal: impl Into<String>) -> Self {
        self.exit = Some(ExitStatus::Signal(signal.into()));
        self
    }

    /// Its time was up.
    #[must_use]
    pub fn timed_out(mut self, timed_out: bool) -> Self {
        self.timed_out = timed_out;
        self
    }
}

impl DiffCard {
    /// Files that were changed. Add one at least.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), diffs: Vec::new() }
    }

    /// A file, and all of what it holds now. `old`: what it held. `None`: the file is new, or that is not known.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, old: Option<String>, new: impl Into<String>) -> Self {
        self.diffs.push(FileDiff { path: path.into(), old, new: new.into() });
        self
    }
}

impl ReadCard {
    /// A file of so many lines, seen from its first.
    pub fn new(title: impl Into<String>, path: impl Into<String>, total_lines: u64) -> Self {
        let (title, path) = (title.into(), path.into());
        Self { title, path, offset: 1, lines: Vec::new(), total_lines, language: None }
    }

    /// The first line asked for, counted from 1.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// Lines with their numbers, which rise and are at most `total_lines`.
    #[must_use]
    pub fn lines<T: Into<String>>(mut self, lines: impl IntoIterator<Item = (u64, T)>) -> Self {
        self.lines = lines.into_iter().map(|(number, text)| NumberedLine { number, text: text.into() }).collect();
        self
    }

    /// For highlighting: `rust`.
    #[must_use]
    pub fn language(mut self, language: impl Into<String>) -> Self {
        self.language = Some(language.into());
        self
    }
}

impl SearchCard {
    /// Matching lines, by file. Unless it says otherwise, these are all there are.
    pub fn matches(title: impl Into<String>, files: impl IntoIterator<Item = FileMatches>) -> Self {
        let files: Vec<_> = files.into_iter().collect();
        let total = files.iter().map(|file| file.matches.len() as u64).sum();
        Self { title: title.into(), results: SearchResults::Matches(MatchResults { files, truncated: false, total }) }
    }

    /// Paths. Unless it says otherwise, these are all there are.
    pub fn paths<P: Into<String>>(title: impl Into<String>, paths: impl IntoIterator<Item = P>) -> Self {
        let paths: Vec<_> = paths.into_iter().map(Into::into).collect();
        let total = paths.len() as u64;
        Self { title: title.into(), results: SearchResults::Paths(PathResults { paths, truncated: false, total }) }
    }

    /// How many there are in all. With more than are listed, the card says that some are left out; there are never fewer.
    #[must_use]
    pub fn total(mut self, all: u64) -> Self {
        match &mut self.results {
            SearchResults::Matches(MatchResults { files, truncated, total }) => {
                let listed: u64 = files.iter().map(|file| file.matches.len() as u64).sum();
                (*truncated, *total) = (all > listed, all.max(listed));
            }
            SearchResults::Paths(PathResults { paths, truncated, total }) => {
                let listed = paths.len() as u64;
                (*truncated, *total) = (all > listed, all.max(listed));
            }
        }
        self
    }
}

impl FileMatches {
    /// The matching lines of one file with their numbers, counted from 1.
    pub fn new<T: Into<String>>(path: impl Into<String>, lines: impl IntoIterator<Item = (u64, T)>) -> Self {
        let matches = lines.into_iter().map(|(line_number, line)| LineMatch { line_number, line: line.into() });
        Self { path: path.into(), matches: matches.collect() }
    }
}

impl WebCard {
    /// What a search found.
    pub fn search(title: impl Into<String>, sources: impl IntoIterator<Item = WebSource>) -> Self {
        let search = WebSearch { sources: sources.into_iter().collect(), answer: None, truncated: false };
        Self { title: title.into(), results: WebResults::Search(search) }
    }

    /// A page that was fetched: its URL, and the HTTP status from 100 to 599.
    pub fn fetch(title: impl Into<String>, url: impl Into<String>, status: u16) -> Self {
        let fetch = WebFetch { url: url.into(), status, truncated: false };
        Self { title: title.into(), results: WebResults::Fetch(fetch) }
    }

    /// The answer that came with the sources. A page has none.
    #[must_use]
    pub fn answer(mut self, text: impl Into<String>) -> Self {
        if let WebResults::Search(search) = &mut self.results {
            search.answer = Some(text.into());
        }
        self
    }

    /// Whether there was more.
    #[must_use]
    pub fn truncated(mut self, more: bool) -> Self {
        match &mut self.results {
            WebResults::Search(WebSearch { truncated, .. }) | WebResults::Fetch(WebFetch { truncated, .. }) => {
                *truncated = more;
            }
        }
        self
    }
}

impl WebSource {
    /// One place on the web.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), title: None, snippet: None, published: None }
    }

    /// Its title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// A part of it.
    #[must_use]
    pub fn snippet(mut self, snippet: impl Into<String>) -> Self {
        self.snippet = Some(snippet.into());
        self
    }

    /// When it was published.
    #[must_use]
    pub fn published(mut self, time: impl Into<String>) -> Self {
        self.published = Some(time.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_over_what_is_listed_says_that_something_is_left_out() {
        let files = [FileMatches::new("a", [(1, "x"), (3, "y")])];
        let SearchResults::Matches(all) = SearchCard::matches("t", files.clone()).results else { panic!() };
        assert_eq!((all.total, all.truncated), (2, false));
        let SearchResults::Matches(some) = SearchCard::matches("t", files.clone()).total(9).results else { panic!() };
        assert_eq!((some.total, some.truncated), (9, true));
        let SearchResults::Paths(all) = SearchCard::paths("t", ["a", "b"]).total(2).results else { panic!() };
        assert_eq!((all.total, all.truncated), (2, false));
        let SearchResults::Paths(some) = SearchCard::paths("t", ["a", "b"]).total(3).results else { panic!() };
        assert_eq!((some.total, some.truncated), (3, true));
    }

    #[test]
    fn a_total_is_never_under_what_is_listed() {
        let files = [FileMatches::new("a", [(1, "x"), (3, "y")])];
        let SearchResults::Matches(found) = SearchCard::matches("t", files).total(1).results else { panic!() };
        assert_eq!((found.total, found.truncated), (2, false));
        let SearchResults::Paths(found) = SearchCard::paths("t", ["a", "b"]).total(0).results else { panic!() };
        assert_eq!((found.total, found.truncated), (2, false));
    }

    #[test]
    fn each_card_is_its_case() {
        let generic = GenericCard::new("t").kind(ToolKind::Edit).input(&[1]).body("b").location("p", Some(3));
        assert_eq!(generic.input.as_deref(), Some("[1]"));
        assert!(matches!(Card::from(generic), Card::Generic(_)));
        let terminal = TerminalCard::new("ls").cwd("/").output("a\n").exited(2);
        assert_eq!(terminal.exit, Some(ExitStatus::Code(2)));
        assert!(matches!(Card::from(terminal), Card::Terminal(_)));
        assert!(matches!(Card::from(DiffCard::new("t").file("p", None, "new")), Card::Diff(_)));
        let read = ReadCard::new("t", "p", 9).offset(2).lines([(2, "x")]).language("rust");
        assert_eq!(read.lines[0].number, 2);
        assert!(matches!(Card::from(read), Card::Read(_)));
        let web = WebCard::search("t", [WebSource::new("https://a.test/").title("A")]).answer("42").truncated(true);
        let WebResults::Search(search) = &web.results else { panic!() };
        assert_eq!((search.answer.as_deref(), search.truncated), (Some("42"), true));
        assert!(matches!(Card::from(web), Card::Web(_)));
    }
}
