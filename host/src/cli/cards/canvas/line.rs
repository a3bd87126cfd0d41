//! One line of a card before it is fitted to a screen.

use std::borrow::Cow;

use super::ink::Ink;
use super::link::Address;

/// How a line that is too long goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::cards) enum Fit {
    /// After a space, where there is one.
    Words,
    /// At the edge. Tab stops are so many columns apart.
    Columns(usize),
}

/// A part of a line that is drawn alike.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Where it ends, in bytes of the line's text.
    pub(super) end: usize,
    pub(super) ink: Ink,
    pub(super) link: Option<Address>,
}

/// One line: the text of a tool as it came, and what each part of it is.
#[derive(Clone, Debug)]
pub(in crate::cli::cards) struct Line<'a> {
    /// Written by this program, before the first row; the rows after it are set in as far.
    pub(super) gutter: Vec<(String, Ink)>,
    pub(super) text: Cow<'a, str>,
    pub(super) runs: Vec<Run>,
    pub(super) fit: Fit,
}

impl<'a> Line<'a> {
    pub(in crate::cli::cards) fn empty() -> Self {
        Self { gutter: Vec::new(), text: Cow::Borrowed(""), runs: Vec::new(), fit: Fit::Words }
    }

    pub(in crate::cli::cards) fn new(text: impl Into<Cow<'a, str>>, ink: Ink) -> Self {
        let text = text.into();
        let runs = vec![Run { end: text.len(), ink, link: None }];
        Self { gutter: Vec::new(), text, runs, fit: Fit::Words }
    }

    /// Text in parts, each up to a byte of it; what is past the last is plain.
    pub(in crate::cli::cards) fn parts(text: &'a str, parts: &[(usize, Ink)]) -> Self {
        let mut line = Self::new(text, Ink::Plain);
        line.runs = parts.iter().map(|&(end, ink)| Run { end, ink, link: None }).collect();
        line
    }

    pub(in crate::cli::cards) fn fit(mut self, fit: Fit) -> Self {
        self.fit = fit;
        self
    }

    pub(in crate::cli::cards) fn gutter(mut self, text: impl Into<String>, ink: Ink) -> Self {
        self.gutter.push((text.into(), ink));
        self
    }

    /// In the gutter of another line, and fitted as code is.
    pub(in crate::cli::cards) fn like(mut self, other: &Line<'_>) -> Self {
        self.gutter.clone_from(&other.gutter);
        self.fit(Fit::Columns(4))
    }

    /// With more text at its end.
    pub(in crate::cli::cards) fn then(mut self, text: &str, ink: Ink) -> Self {
        self.text.to_mut().push_str(text);
        self.runs.push(Run { end: self.text.len(), ink, link: None });
        self
    }

    /// With an address at its end, that can be followed where it leads to the web.
    pub(in crate::cli::cards) fn then_address(self, address: &str) -> Self {
        self.then_link(address, address, Ink::Link)
    }

    /// With a text at its end that leads to an address of the web.
    pub(in crate::cli::cards) fn then_link(mut self, text: &str, address: &str, ink: Ink) -> Self {
        let link = Address::of(address);
        let ink = if link.is_none() && ink == Ink::Link { Ink::Plain } else { ink };
        self = self.then(text, ink);
        if let Some(run) = self.runs.last_mut() {
            run.link = link;
        }
        self
    }
}
