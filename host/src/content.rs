//! What a model reads: content blocks, with the meaning and the JSON form of the Model Context Protocol.
//!
//! Source: <https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result>.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Who a block is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Hints about a block, none of which the host acts on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Annotations {
    /// Empty: everyone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// From 0 (may be left out) to 1 (must be seen).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// Raw bytes, base64 (RFC 4648 section 4, padded) in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(serde::de::Error::custom)
    }
}

/// What an embedded resource holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Bytes),
}

/// A resource carried whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedResource {
    /// An absolute URI.
    pub uri: String,
    /// `type/subtype`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The resource itself.
    #[serde(flatten)]
    pub body: ResourceBody,
}

/// One piece of what a model reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Hints.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Annotations>,
    },
    /// A picture.
    Image {
        /// The encoded picture.
        data: Bytes,
        /// `image/subtype`.
        mime_type: String,
        /// Hints.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Annotations>,
    },
    /// A sound.
    Audio {
        /// The encoded sound.
        data: Bytes,
        /// `audio/subtype`.
        mime_type: String,
        /// Hints.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Annotations>,
    },
    /// A pointer to a resource.
    ResourceLink {
        /// An absolute URI.
        uri: String,
        /// For programs, and for people where there is no title.
        name: String,
        /// For people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// What it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// `type/subtype`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// Bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
        /// Hints.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Annotations>,
    },
    /// A resource carried whole.
    Resource {
        /// The resource.
        resource: EmbeddedResource,
        /// Hints.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        annotations: Option<Annotations>,
    },
}

impl ContentBlock {
    /// A text block without hints.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), annotations: None }
    }

    /// The bytes this block holds: its texts and its data before encoding.
    pub fn byte_len(&self) -> u64 {
        fn of(text: &Option<String>) -> usize {
            text.as_ref().map_or(0, String::len)
        }
        let bytes = match self {
            Self::Text { text, .. } => text.len(),
            Self::Image { data, mime_type, .. } | Self::Audio { data, mime_type, .. } => data.0.len() + mime_type.len(),
            Self::ResourceLink { uri, name, title, description, mime_type, .. } => {
                uri.len() + name.len() + of(title) + of(description) + of(mime_type)
            }
            Self::Resource { resource, .. } => {
                resource.uri.len()
                    + of(&resource.mime_type)
                    + match &resource.body {
                        ResourceBody::Text(text) => text.len(),
                        ResourceBody::Blob(data) => data.0.len(),
                    }
            }
        };
        bytes as u64
    }
}
