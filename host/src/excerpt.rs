//! The beginning and the end of a text that is too long to show.

/// How far a cut moves back to a line end, at most, in bytes: two lines of a terminal.
const NEAR: usize = 160;

/// What is shown of a text. Head, what is left out, and tail are the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt<'a> {
    /// How it begins.
    pub(crate) head: &'a str,
    /// How it ends.
    pub(crate) tail: &'a str,
    /// Bytes between the two.
    pub(crate) omitted: usize,
}

/// What stands where so many bytes are left out.
pub(crate) fn gap(omitted: u64) -> String {
    format!("[... {omitted} bytes are left out here ...]")
}

/// How a text begins: as much as `budget` pays for.
pub(crate) fn beginning(text: &str, budget: u64, price: impl Fn(char) -> u64) -> &str {
    &text[..paid(text.chars(), budget, price)]
}

impl<'a> Excerpt<'a> {
    /// As much of both ends as `budget` pays for, half of it each. `price` is what showing one character costs. Characters
    /// stay whole, and lines do where one ends nearby.
    pub(crate) fn of(text: &'a str, budget: u64, price: impl Fn(char) -> u64) -> Self {
        let tail_budget = budget / 2;
        let head = paid(text.chars(), budget - tail_budget, &price);
        let tail = paid(text[head..].chars().rev(), tail_budget, &price);
        let (mut head, mut tail) = (&text[..head], &text[text.len() - tail..]);
        if head.len() + tail.len() < text.len() {
            if let Some(end) = head.rfind('\n').filter(|end| near(head.len() - end - 1, head)) {
                head = &head[..=end];
            }
            if let Some(end) = tail.find('\n').filter(|end| near(end + 1, tail)) {
                tail = &tail[end + 1..];
            }
        }
        Self { head, tail, omitted: text.len() - head.len() - tail.len() }
    }
}

/// Whether giving up so many bytes for the sake of a whole line is worth it.
fn near(lost: usize, part: &str) -> bool {
    lost <= NEAR.min(part.len() / 4)
}

/// How many bytes the first of these characters have that the budget pays for.
fn paid(characters: impl Iterator<Item = char>, mut budget: u64, price: impl Fn(char) -> u64) -> usize {
    let affordable = characters.take_while(|&one| match budget.checked_sub(price(one)) {
        Some(rest) => {
            budget = rest;
            true
        }
        None => false,
    });
    affordable.map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf8(one: char) -> u64 {
        one.len_utf8() as u64
    }

    fn check(text: &str, budget: u64, head: &str, tail: &str) {
        let expect = Excerpt { head, tail, omitted: text.len() - head.len() - tail.len() };
        assert_eq!(Excerpt::of(text, budget, utf8), expect, "{text:?} in {budget}");
    }

    #[test]
    fn takes_half_of_each_end() {
        check("0123456789", 4, "01", "89");
        check("0123456789", 5, "012", "89");
        check("0123456789", 0, "", "");
        check("0123456789", 1, "0", "");
        check("", 4, "", "");
    }

    #[test]
    fn a_text_that_fits_is_whole() {
        check("0123456789", 10, "01234", "56789");
        check("0123456789", 100, "0123456789", "");
        check("a\nb", 100, "a\nb", "");
    }

    #[test]
    fn keeps_characters_whole() {
        check("ää0123ää", 6, "ä", "ä");
        check("😀😀😀", 8, "😀", "😀");
        check("😀😀😀", 6, "", "");
    }

    #[test]
    fn ends_at_a_line_where_one_ends_nearby() {
        let line = "0123456789\n";
        let text = line.repeat(20);
        check(&text, 2 * 25, &line.repeat(2), &line.repeat(2));
        // The next line end is more than a quarter away.
        check(&text, 2 * 16, &text[..16], &text[text.len() - 16..]);
        check(&"x".repeat(100), 20, "xxxxxxxxxx", "xxxxxxxxxx");
    }

    #[test]
    fn a_character_may_cost_more_than_its_bytes() {
        let doubled = |one: char| 2 * utf8(one);
        let Excerpt { head, tail, omitted } = Excerpt::of("0123456789", 8, doubled);
        assert_eq!((head, tail, omitted), ("01", "89", 6));
    }
}
