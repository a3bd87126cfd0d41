//! What did not fit into a result, kept in memory for whoever holds its address.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::ResourceContents;

/// What every address begins with.
pub(super) const PREFIX: &str = "fumehood://result/";

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mcp) struct OverflowLimits {
    /// Bytes of all items together; one item may take them all.
    pub(in crate::mcp) bytes: usize,
    /// Items.
    pub(in crate::mcp) items: usize,
}

impl OverflowLimits {
    /// Room for eight of the largest values that the standard limits allow (8 MiB), or for 256 results that a model may
    /// come back to.
    pub(in crate::mcp) const STANDARD: Self = Self { bytes: 64 << 20, items: 256 };
}

/// One thing kept.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::mcp) struct Kept {
    /// `type/subtype`.
    pub(in crate::mcp) mime: String,
    pub(in crate::mcp) body: Body,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::mcp) enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

impl Body {
    pub(in crate::mcp) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// A bounded store in memory: the oldest goes first.
///
/// Holding an address is the right to read what it names: its 128 random bits cannot be guessed, and nothing lists them.
#[derive(Debug)]
pub(in crate::mcp) struct Overflow {
    limits: OverflowLimits,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    items: HashMap<String, Arc<Kept>>,
    /// Oldest first.
    order: VecDeque<String>,
    bytes: usize,
}

impl Overflow {
    pub(in crate::mcp) fn new(limits: OverflowLimits) -> Self {
        Self { limits, held: Mutex::default() }
    }

    /// Keeps something and gives its address. `None`: it is larger than the store, or the system has no randomness.
    pub(in crate::mcp) fn keep(&self, mime: &str, body: Body) -> Option<String> {
        let bytes = body.len();
        if bytes > self.limits.bytes || self.limits.items == 0 {
            return None;
        }
        let mut id = [0; 16];
        getrandom::fill(&mut id).ok()?;
        let address = format!("{PREFIX}{:032x}", u128::from_ne_bytes(id));
        let mut held = self.held();
        while held.order.len() >= self.limits.items || held.bytes > self.limits.bytes - bytes {
            held.drop_oldest();
        }
        held.bytes += bytes;
        held.order.push_back(address.clone());
        held.items.insert(address.clone(), Arc::new(Kept { mime: mime.to_owned(), body }));
        Some(address)
    }

    /// What an address names, if it is still there.
    pub(in crate::mcp) fn get(&self, address: &str) -> Option<Arc<Kept>> {
        self.held().items.get(address).cloned()
    }

    /// The same, as `resources/read` answers. It is whole: whoever asks for it asked for all of it.
    pub(in crate::mcp) fn contents(&self, address: &str) -> Option<ResourceContents> {
        let kept = self.get(address)?;
        let contents = match &kept.body {
            Body::Text(text) => ResourceContents::text(text.as_str(), address),
            Body::Bytes(bytes) => ResourceContents::blob(BASE64.encode(bytes), address),
        };
        Some(contents.with_mime_type(kept.mime.as_str()))
    }

    /// A panic elsewhere leaves at worst a count that is too high, and no half of an item.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn drop_oldest(&mut self) {
        let Some(oldest) = self.order.pop_front() else {
            // Nothing is held, whatever was counted.
            self.bytes = 0;
            return;
        };
        if let Some(kept) = self.items.remove(&oldest) {
            self.bytes -= kept.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Body {
        Body::Text(text.to_owned())
    }

    #[test]
    fn gives_back_what_it_was_given() {
        let store = Overflow::new(OverflowLimits::STANDARD);
        let one = store.keep("text/plain", text("a")).unwrap();
        let two = store.keep("image/png", Body::Bytes(vec![1])).unwrap();
        assert_eq!(*store.get(&one).unwrap(), Kept { mime: "text/plain".to_owned(), body: text("a") });
        assert_eq!(store.get(&two).unwrap().body, Body::Bytes(vec![1]));
        let read = |address: &str| serde_json::to_value(store.contents(address)).unwrap();
        assert_eq!(read(&one), serde_json::json!({ "uri": one, "mimeType": "text/plain", "text": "a" }));
        assert_eq!(read(&two), serde_json::json!({ "uri": two, "mimeType": "image/png", "blob": "AQ==" }));
        assert_eq!(read(PREFIX), serde_json::Value::Null);
        let id = one.strip_prefix(PREFIX).unwrap();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert_ne!(one, two);
        for stranger in ["", PREFIX, id, &one[..one.len() - 1], &one.to_uppercase()] {
            assert_eq!(store.get(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn the_oldest_makes_room() {
        let store = Overflow::new(OverflowLimits { bytes: 10, items: 3 });
        let put = |body: &str| store.keep("text/plain", text(body)).unwrap();
        let first = put("aaaa");
        let second = put("bbbb");
        let third = put("cc");
        assert!([&first, &second, &third].iter().all(|id| store.get(id).is_some()));
        // By number.
        let fourth = put("");
        assert!(store.get(&first).is_none() && store.get(&second).is_some());
        // By bytes: `bbbb` goes, and with `cc` and what is empty nothing more has to.
        let fifth = put("eeeeee");
        assert!(store.get(&second).is_none() && store.get(&third).is_some());
        assert!(store.get(&fourth).is_some() && store.get(&fifth).is_some());
        // As large as the store.
        let all = put("ffffffffff");
        assert!(store.get(&all).is_some() && store.get(&fifth).is_none());
        assert_eq!(store.held().bytes, 10);
        // Larger: refused, and nothing goes for it.
        assert_eq!(store.keep("text/plain", text("ggggggggggg")), None);
        assert!(store.get(&all).is_some());
        assert_eq!(Overflow::new(OverflowLimits { bytes: 10, items: 0 }).keep("text/plain", text("")), None);
    }

    #[test]
    fn a_panic_while_it_is_locked_costs_nothing() {
        let store = Arc::new(Overflow::new(OverflowLimits::STANDARD));
        let kept = store.keep("text/plain", text("a")).unwrap();
        let theirs = Arc::clone(&store);
        std::thread::spawn(move || {
            let _held = theirs.held();
            panic!("while it is locked");
        })
        .join()
        .unwrap_err();
        assert!(store.held.is_poisoned());
        assert!(store.get(&kept).is_some() && store.keep("text/plain", text("b")).is_some());
    }
}
