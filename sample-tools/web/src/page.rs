//! Long text, page by page.

/// About 12,000 tokens of English: enough to work with, and no single page fills a model's context.
const PAGE_BYTES: usize = 50 << 10;

/// One page of a text.
pub struct Page<'a> {
    pub text: &'a str,
    /// Characters before it.
    skip: usize,
    /// Characters up to its end.
    last: usize,
    /// Characters of the whole text.
    total: usize,
}

impl<'a> Page<'a> {
    /// The page that begins after `skip` characters. It ends with a line, where there is one to end with.
    pub fn of(whole: &'a str, skip: u64) -> Self {
        let total = whole.chars().count();
        let skip = usize::try_from(skip).unwrap_or(usize::MAX).min(total);
        let start = whole.char_indices().nth(skip).map_or(whole.len(), |(at, _)| at);
        let rest = &whole[start..];
        let text = if rest.len() <= PAGE_BYTES {
            rest
        } else {
            let most = &rest[..rest.floor_char_boundary(PAGE_BYTES)];
            most.rfind('\n').filter(|end| *end > PAGE_BYTES / 2).map_or(most, |end| &most[..=end])
        };
        Self { text, skip, last: skip + text.chars().count(), total }
    }

    /// Whether something of the text is not on the page.
    pub fn is_part(&self) -> bool {
        self.skip > 0 || self.last < self.total
    }

    /// Says what is left out and how to get it. `cut`: the text itself is not whole.
    pub fn footer(&self, cut: bool) -> String {
        let Self { skip, last, total, .. } = *self;
        let rest = match (last < total, cut) {
            (true, _) => format!("; go on with skip {last}"),
            (false, true) => "; the rest was not kept".to_owned(),
            (false, false) => String::new(),
        };
        match () {
            () if self.text.is_empty() && skip > 0 => format!("(skip leaves nothing of {total} characters)"),
            () if cut || self.is_part() => format!("\n\n(characters {} to {last} of {total}{rest})", skip + 1),
            () => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_add_up_to_the_text() {
        for line in ["word\n", "ä", "😀 \n\n", "x"] {
            let whole = line.repeat(200_000 / line.len());
            let (mut read, mut skip, mut pages) = (String::new(), 0, 0);
            while skip < whole.chars().count() {
                let page = Page::of(&whole, skip as u64);
                assert!(page.is_part() && page.text.len() <= PAGE_BYTES && !page.text.is_empty());
                read += page.text;
                skip += page.text.chars().count();
                pages += 1;
            }
            assert_eq!((read, pages), (whole, 4), "{line:?}");
        }
    }

    #[test]
    fn footers() {
        let check = |whole: &str, skip, cut, expect: &str| {
            let page = Page::of(whole, skip);
            assert_eq!(page.footer(cut), expect, "{skip} {cut}");
        };
        check("", 0, false, "");
        check("abc", 0, false, "");
        check("abc", 0, true, "\n\n(characters 1 to 3 of 3; the rest was not kept)");
        check("äbc", 1, false, "\n\n(characters 2 to 3 of 3)");
        check("abc", 3, false, "(skip leaves nothing of 3 characters)");
        check("abc", u64::MAX, true, "(skip leaves nothing of 3 characters)");
        check(&"x".repeat(60_000), 0, true, "\n\n(characters 1 to 51200 of 60000; go on with skip 51200)");
    }
}
