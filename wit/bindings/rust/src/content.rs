//! What a model reads, piece by piece.

use crate::{Annotations, ContentBlock, EmbeddedResource, MediaContent, ResourceBody, ResourceLink, Role, TextContent};

/// What a model reads: any number of blocks. A text is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content(Vec<ContentBlock>);

impl Content {
    /// Nothing.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// These and one more.
    #[must_use]
    pub fn and(mut self, block: impl Into<ContentBlock>) -> Self {
        self.0.push(block.into());
        self
    }

    /// The text, where that is all there is.
    pub fn as_text(&self) -> Option<&str> {
        match self.0.as_slice() {
            [ContentBlock::Text(TextContent { text, .. })] => Some(text),
            _ => None,
        }
    }

    /// The blocks, in order.
    pub fn blocks(&self) -> &[ContentBlock] {
        &self.0
    }
}

macro_rules! one_block {
    ($($block:ty),*) => {
        $(impl From<$block> for Content {
            fn from(block: $block) -> Self {
                Self(vec![block.into()])
            }
        })*
    };
}

one_block!(String, &str, ContentBlock, ResourceLink, EmbeddedResource);

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self(blocks)
    }
}

impl From<Content> for Vec<ContentBlock> {
    fn from(content: Content) -> Self {
        content.0
    }
}

impl FromIterator<ContentBlock> for Content {
    fn from_iter<I: IntoIterator<Item = ContentBlock>>(blocks: I) -> Self {
        Self(blocks.into_iter().collect())
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::Text(TextContent { text, annotations: None })
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<ResourceLink> for ContentBlock {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(link)
    }
}

impl From<EmbeddedResource> for ContentBlock {
    fn from(resource: EmbeddedResource) -> Self {
        Self::Resource(resource)
    }
}

impl ContentBlock {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        text.into().into()
    }

    /// An image, as the bytes of its file: `image/png`.
    pub fn image(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self::Image(media(data.into(), mime_type.into()))
    }

    /// A sound, as the bytes of its file: `audio/wav`.
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self::Audio(media(data.into(), mime_type.into()))
    }

    /// For these readers only.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<Vec<Role>>) -> Self {
        self.annotations().audience = audience.into();
        self
    }

    /// From 0 (may be left out) to 1 (must be seen).
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.annotations().priority = Some(priority);
        self
    }

    /// When what it shows was last changed, as in RFC 3339.
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<String>) -> Self {
        self.annotations().last_modified = Some(time.into());
        self
    }

    fn annotations(&mut self) -> &mut Annotations {
        let annotations = match self {
            Self::Text(TextContent { annotations, .. })
            | Self::Image(MediaContent { annotations, .. })
            | Self::Audio(MediaContent { annotations, .. })
            | Self::ResourceLink(ResourceLink { annotations, .. })
            | Self::Resource(EmbeddedResource { annotations, .. }) => annotations,
        };
        annotations.get_or_insert(Annotations { audience: Vec::new(), priority: None, last_modified: None })
    }
}

fn media(data: Vec<u8>, mime_type: String) -> MediaContent {
    MediaContent { data, mime_type, annotations: None }
}

impl ResourceLink {
    /// A link to something that the reader may fetch.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        let (uri, name) = (uri.into(), name.into());
        Self { uri, name, title: None, description: None, mime_type: None, size: None, annotations: None }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What it is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Its media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }
}

impl EmbeddedResource {
    /// A text that has a name of its own.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(uri.into(), ResourceBody::Text(text.into()))
    }

    /// Bytes that have a name of their own.
    pub fn blob(uri: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(uri.into(), ResourceBody::Blob(bytes.into()))
    }

    /// Its media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    fn of(uri: String, body: ResourceBody) -> Self {
        Self { uri, mime_type: None, body, annotations: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_can_be_annotated() {
        let content = Content::new()
            .and(ContentBlock::text("a").priority(0.5).audience([Role::User]).last_modified("2026-01-01T00:00:00Z"))
            .and(ContentBlock::image([1], "image/png").priority(1.0))
            .and(ContentBlock::audio([2], "audio/wav").priority(1.0))
            .and(ContentBlock::from(ResourceLink::new("file:///a", "a").title("A").size(3)).priority(1.0))
            .and(ContentBlock::from(EmbeddedResource::blob("x:y", [4]).mime_type("a/b")).priority(1.0));
        let [ContentBlock::Text(text), .., ContentBlock::Resource(resource)] = content.blocks() else { panic!() };
        let annotations = text.annotations.as_ref().unwrap();
        assert_eq!((annotations.priority, annotations.audience.as_slice()), (Some(0.5), &[Role::User][..]));
        assert_eq!(resource.annotations.as_ref().unwrap().priority, Some(1.0));
        assert_eq!(resource.mime_type.as_deref(), Some("a/b"));
    }

    #[test]
    fn a_text_is_content() {
        assert_eq!(Content::from("a"), Content::new().and("a".to_owned()));
        assert_eq!(Vec::from(Content::from("a")), [ContentBlock::text("a")]);
        assert_eq!(Content::from("a").as_text(), Some("a"));
        assert_eq!(Content::from("a").and("b").as_text(), None);
    }
}
