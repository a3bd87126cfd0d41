//! Overwrites texts in a stream, wherever its chunks are cut.

use std::collections::VecDeque;
use std::sync::Arc;

/// What stands in the place of each byte.
const MASK: u8 = b'*';

/// Texts to look for, all at once (Aho and Corasick, 1975: one step per byte, however many texts).
pub(super) struct Needles {
    nodes: Vec<Node>,
    longest: usize,
    /// The texts in lower case, for what knows no other.
    lowered: Vec<String>,
}

#[derive(Clone, Default)]
struct Node {
    next: Vec<(u8, usize)>,
    /// The node of the longest proper suffix that begins a text.
    fail: usize,
    /// The longest text that ends here.
    ends: usize,
}

impl Node {
    fn child(&self, byte: u8) -> Option<usize> {
        self.next.iter().find(|(edge, _)| *edge == byte).map(|(_, node)| *node)
    }
}

impl Needles {
    /// Empty texts are left out.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut nodes = vec![Node::default()];
        let (mut lowered, mut longest) = (Vec::new(), 0);
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            lowered.push(String::from_utf8_lossy(text).to_ascii_lowercase());
            longest = longest.max(text.len());
            let mut at = 0;
            for byte in text {
                at = match nodes[at].child(*byte) {
                    Some(node) => node,
                    None => {
                        let node = nodes.len();
                        nodes.push(Node::default());
                        nodes[at].next.push((*byte, node));
                        node
                    }
                };
            }
            nodes[at].ends = text.len();
        }
        let mut needles = Self { nodes, longest, lowered };
        needles.link();
        needles
    }

    /// Breadth first, so that the shorter nodes a link can lead to have theirs already.
    fn link(&mut self) {
        let mut queue: VecDeque<usize> = self.nodes[0].next.iter().map(|(_, node)| *node).collect();
        while let Some(at) = queue.pop_front() {
            let edges = self.nodes[at].next.clone();
            for (byte, node) in edges {
                let fail = self.step(self.nodes[at].fail, byte);
                self.nodes[node].fail = fail;
                self.nodes[node].ends = self.nodes[node].ends.max(self.nodes[fail].ends);
                queue.push_back(node);
            }
        }
    }

    fn step(&self, mut at: usize, byte: u8) -> usize {
        loop {
            match self.nodes[at].child(byte) {
                Some(node) => return node,
                None if at == 0 => return 0,
                None => at = self.nodes[at].fail,
            }
        }
    }

    /// Whether one stands in a header's name, which is in lower case whatever a server wrote.
    pub(super) fn name_holds_one(&self, name: &str) -> bool {
        self.lowered.iter().any(|text| name.contains(text))
    }

    /// Overwrite each occurrence in a text that is there as a whole. Whether there was one.
    pub(super) fn mask(self: &Arc<Self>, text: &mut Vec<u8>) -> bool {
        let mut scrub = Scrub::new(Arc::clone(self));
        let mut masked = scrub.push(text);
        masked.extend(scrub.finish());
        let found = masked != *text;
        *text = masked;
        found
    }
}

/// The same over a stream. It holds back as many bytes as may be the start of a text, whether they are one or not: else the
/// sizes of what is passed on would tell a guest that echoes its guesses how much of one is right.
pub(super) struct Scrub {
    needles: Arc<Needles>,
    at: usize,
    held: Vec<u8>,
}

impl Scrub {
    pub(super) fn new(needles: Arc<Needles>) -> Self {
        Self { needles, at: 0, held: Vec::new() }
    }

    pub(super) fn needles(&self) -> &Arc<Needles> {
        &self.needles
    }

    /// Take more of the stream; what can be passed on of it so far.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.held);
        let start = bytes.len();
        bytes.extend_from_slice(chunk);
        for at in start..bytes.len() {
            self.at = self.needles.step(self.at, bytes[at]);
            // All of a text that ends here is in the buffer: that much was held back.
            let ends = self.needles.nodes[self.at].ends;
            bytes[at + 1 - ends..=at].fill(MASK);
        }
        let held = self.needles.longest.saturating_sub(1);
        self.held = bytes.split_off(bytes.len().saturating_sub(held));
        bytes
    }

    /// The stream is over: what was held back.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.at = 0;
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow twin.
    fn plainly(texts: &[&str], text: &str) -> String {
        let mut masked = text.as_bytes().to_vec();
        for needle in texts.iter().filter(|needle| !needle.is_empty()) {
            for at in 0..text.len() {
                if text.as_bytes()[at..].starts_with(needle.as_bytes()) {
                    masked[at..at + needle.len()].fill(MASK);
                }
            }
        }
        String::from_utf8(masked).unwrap()
    }

    fn in_chunks(needles: &Arc<Needles>, text: &str, size: usize) -> String {
        let mut scrub = Scrub::new(Arc::clone(needles));
        let mut out = Vec::new();
        for chunk in text.as_bytes().chunks(size) {
            out.extend(scrub.push(chunk));
        }
        out.extend(scrub.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn overwrites_each_text_and_nothing_else() {
        let check = |texts: &[&str], text: &str, expect: &str| {
            assert_eq!(plainly(texts, text), expect);
            let needles = Arc::new(Needles::new(texts.iter().map(|text| text.as_bytes())));
            for size in 1..=text.len() {
                assert_eq!(in_chunks(&needles, text, size), expect, "{texts:?} in chunks of {size}");
            }
        };
        check(&["secret"], "a secret b secret", "a ****** b ******");
        check(&["secret"], "secre t", "secre t");
        check(&["secret"], "secsecretret", "sec******ret");
        check(&["aba"], "ababa", "*****");
        check(&["Bearer secret", "secret"], "Bearer secret, secret", "*************, ******");
        check(&["Bearer secret", "secret"], "Bearer secreX secret", "Bearer secreX ******");
        check(&["abcd", "bc", "cdef"], "abcdef abc", "****** a**");
        check(&[""], "text", "text");
    }

    #[test]
    fn agrees_with_its_slow_twin_on_every_short_text() {
        for texts in [&["ab", "ba", "aab"][..], &["a", "bb"], &["abab", "bab"], &["aaa"]] {
            let needles = Arc::new(Needles::new(texts.iter().map(|text| text.as_bytes())));
            for length in 1..=10 {
                for number in 0..1_u32 << length {
                    let text: String = (0..length).map(|bit| if number >> bit & 1 == 0 { 'a' } else { 'b' }).collect();
                    for size in [1, 2, 3, length] {
                        assert_eq!(in_chunks(&needles, &text, size), plainly(texts, &text), "{texts:?} {text} {size}");
                    }
                }
            }
        }
    }

    /// A guest that has its guesses echoed learns nothing from the sizes of the pieces.
    #[test]
    fn how_much_is_held_back_does_not_depend_on_the_text() {
        let needles = Arc::new(Needles::new([&b"secret"[..], b"c2VjcmV0"]));
        let sizes = |text: &[u8], size: usize| {
            let mut scrub = Scrub::new(Arc::clone(&needles));
            let mut sizes: Vec<_> = text.chunks(size).map(|chunk| scrub.push(chunk).len()).collect();
            sizes.push(scrub.finish().len());
            sizes
        };
        let texts = [
            "nothing of it here",
            "a guess: s e c r e",
            "is it sec is it se",
            "................se",
            ".............secre",
        ];
        for text in texts.iter().chain(&[
            "............secret",
            "secretsecretsecret",
            "..........c2VjcmV0",
            "c2VjcmVc2VjcmVsecr",
        ]) {
            for size in 1..=text.len() {
                assert_eq!(sizes(text.as_bytes(), size), sizes(&[b'.'; 18], size), "{text} in chunks of {size}");
            }
        }
        assert_eq!(sizes(&[b'.'; 18], 10), [3, 8, 7]);
        // Without a text there is nothing to wait for.
        assert_eq!(Scrub::new(Arc::new(Needles::new([]))).push(b"all"), b"all");
    }
}
