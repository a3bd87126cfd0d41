//! What a piece of text is, and how a terminal shows that.

/// What a piece of text is. Red, green, magenta and cyan can be read on light and dark in the palettes that terminals come
/// with; yellow and blue cannot in each, and bright black is often the background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli::cards) enum Ink {
    #[default]
    Plain,
    Title,
    /// What this program adds, and comments in code.
    Faint,
    Good,
    Bad,
    /// Something is missing, or may not be what it seems.
    Warning,
    Path,
    Link,
    /// A character that is written out.
    Spelled,
    Added,
    AddedWord,
    Removed,
    RemovedWord,
    Keyword,
    Quoted,
    Constant,
    Name,
}

impl Ink {
    /// The parameters of Select Graphic Rendition (ECMA-48, 8.3.117).
    pub(super) const fn parameters(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Title | Self::Path | Self::Name => "1",
            Self::Faint => "2",
            Self::Good | Self::Added | Self::Quoted => "32",
            Self::Bad => "1;31",
            Self::Removed => "31",
            Self::Warning | Self::Keyword => "35",
            Self::Link => "4",
            Self::Spelled => "7",
            Self::AddedWord => "7;32",
            Self::RemovedWord => "7;31",
            Self::Constant => "36",
        }
    }
}
