//! What a result is made of.

use serde::{Deserialize, Serialize};

use crate::fumehood::tool::types::{ContentBlock, EmbeddedResource, MediaContent, ResourceBody, TextContent};

/// The value of every tool here, as the output schemas in `manifest.json` describe it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    pub parts: Vec<Part>,
}

/// One content block.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    Text(String),
    /// One red pixel.
    Image,
    /// A millisecond of silence.
    Audio,
    /// A JSON text.
    Resource,
}

/// A PNG of one red pixel.
const PIXEL: &[u8] = include_bytes!("pixel.png");
/// A WAV of eight samples at 8 kHz.
const SILENCE: &[u8] = include_bytes!("silence.wav");

impl Part {
    pub fn block(self) -> ContentBlock {
        let media = |data: &[u8], mime_type: &str| MediaContent {
            data: data.to_vec(),
            mime_type: mime_type.into(),
            annotations: None,
        };
        match self {
            Self::Text(text) => ContentBlock::Text(TextContent { text, annotations: None }),
            Self::Image => ContentBlock::Image(media(PIXEL, "image/png")),
            Self::Audio => ContentBlock::Audio(media(SILENCE, "audio/wav")),
            Self::Resource => ContentBlock::Resource(EmbeddedResource {
                uri: "test://embedded-resource".into(),
                mime_type: Some("application/json".into()),
                body: ResourceBody::Text(r#"{"test":"data","value":123}"#.into()),
                annotations: None,
            }),
        }
    }
}
