//! Content blocks on their way out: checked, counted, and cut or replaced by an address where they are too much.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model as wire;

use super::budget::{Budget, cut, encoded_len, sent_len};
use super::media;
use super::overflow::{Body, Overflow};
use crate::{Annotations, ContentBlock, ResourceBody, Role};

/// Bytes of a block around its texts: `{"type":"resource_link","uri":"","name":"","mimeType":""},` and the like.
const FRAME: usize = 100;
/// Bodies of one result that go to the overflow store, which is everybody's.
const KEPT: usize = 16;
/// Room that has to be left for saying where one is.
const NOTED: usize = 400;

/// Bytes of annotations: both roles, a priority, and a date with nine digits of a second.
const HINTS: usize = 160;

/// Kept back for what has to be said at the end: two markers, two links, and how many blocks are missing.
const CLOSING: usize = 1_200;

/// Bytes of a URI. Browsers and proxies take about this many.
const URI: usize = 2_048;

/// Schemes that a client could run, take for part of itself, or take for what only the host may name.
const REFUSED_SCHEMES: &[&str] = &["javascript", "data", "vbscript", "blob", "ui", "fumehood"];

/// What a model reads of a success: the blocks, and the value's text last where no block carries it.
pub(super) fn success(
    blocks: &[ContentBlock],
    twin: Option<&str>,
    budget: &Budget,
    overflow: &Overflow,
) -> Vec<wire::ContentBlock> {
    let mut packer = Packer::new(budget, overflow);
    packer.texts(blocks);
    for block in blocks {
        packer.block(block);
    }
    packer.finish(twin)
}

/// The texts of a failure, within so many bytes. Nothing but text leaves with one: the address of what is left out stands
/// in the text.
pub(super) fn failure(texts: &[&str], limit: usize, overflow: &Overflow) -> Vec<wire::ContentBlock> {
    let sent: usize = texts.iter().map(|text| sent_len(text) + FRAME).sum();
    if sent <= limit {
        return texts.iter().map(|text| wire::ContentBlock::text(*text)).collect();
    }
    let whole = texts.join("\n\n");
    let address = overflow.keep("text/plain", Body::Text(whole.clone()));
    vec![wire::ContentBlock::text(cut(&whole, limit.saturating_sub(FRAME), |bytes| marker(bytes, address.as_deref())))]
}

/// What stands in place of what was left out.
fn marker(bytes: usize, address: Option<&str>) -> String {
    match address {
        Some(address) => format!("[… {bytes} bytes left out; the whole is at {address} …]"),
        None => format!("[… {bytes} bytes left out, and not kept …]"),
    }
}

/// Why a block may not leave, whatever its size. For cards, whose bodies no budget of their own cuts.
pub(super) fn withheld(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Text { .. } => None,
        ContentBlock::Image { data, mime_type, .. } => media::check(mime_type, &data.0).err().map(|why| picture(&why)),
        ContentBlock::Audio { data, mime_type, .. } => media::check(mime_type, &data.0).err().map(|why| sound(&why)),
        ContentBlock::ResourceLink { uri, .. } => refused_uri(uri).map(link),
        ContentBlock::Resource { resource, .. } => refused_uri(&resource.uri).map(link).or_else(|| {
            let mime = resource.mime_type.as_deref().filter(|mime| media::is_media(mime))?;
            let bytes = match &resource.body {
                ResourceBody::Blob(data) => data.0.as_slice(),
                ResourceBody::Text(text) => text.as_bytes(),
            };
            media::check(mime, bytes).err().map(|why| format!("[resource withheld: {why}]"))
        }),
    }
}

fn picture(why: &media::Withheld) -> String {
    format!("[image withheld: {why}]")
}

fn sound(why: &media::Withheld) -> String {
    format!("[audio withheld: {why}]")
}

fn link(why: &str) -> String {
    format!("[resource withheld: {why}]")
}

/// Why a client should not be given a URI.
fn refused_uri(uri: &str) -> Option<&'static str> {
    // RFC 3986 section 3.1.
    let scheme = uri.split_once(':').filter(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    let Some((scheme, _)) = scheme else { return Some("its address is no absolute URI") };
    if uri.len() > URI {
        return Some("its address is over 2048 bytes long");
    }
    if uri.chars().any(|c| c.is_control() || c.is_whitespace() || hides(c)) {
        return Some("its address holds blanks or characters that do not show");
    }
    let refused = REFUSED_SCHEMES.iter().any(|refused| scheme.eq_ignore_ascii_case(refused));
    refused.then_some("an address of this scheme may not come from a tool")
}

/// Characters that reorder or hide the text around them.
fn hides(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn len(text: &Option<String>) -> usize {
    text.as_deref().map_or(0, sent_len)
}

fn frame(annotations: &Option<Annotations>) -> usize {
    FRAME + annotations.as_ref().map_or(0, |_| HINTS)
}

pub(super) fn annotations(annotations: Option<&Annotations>) -> Option<wire::Annotations> {
    let Annotations { audience, priority, last_modified } = annotations?;
    let mut sent = wire::Annotations::default();
    if !audience.is_empty() {
        let role = |role: &Role| match role {
            Role::User => wire::Role::User,
            Role::Assistant => wire::Role::Assistant,
        };
        sent.audience = Some(audience.iter().map(role).collect());
    }
    #[expect(clippy::cast_possible_truncation, reason = "a hint from 0 to 1; the SDK's type")]
    let priority = priority.map(|priority| priority as f32);
    sent.priority = priority;
    sent.last_modified.clone_from(last_modified);
    Some(sent)
}

/// Fills one result.
struct Packer<'a> {
    overflow: &'a Overflow,
    /// Bytes left of each part.
    text: usize,
    media: usize,
    out: Vec<wire::ContentBlock>,
    /// What the addresses of cut texts become, after everything else.
    links: Vec<wire::ContentBlock>,
    /// In place of all texts, until the first of them.
    joined: Option<String>,
    /// How many bodies were kept in the overflow store.
    kept: usize,
    /// Whether texts are sent one by one.
    apart: bool,
    missing: usize,
}

impl<'a> Packer<'a> {
    fn new(budget: &Budget, overflow: &'a Overflow) -> Self {
        let text = budget.text.max(Budget::LEAST_TEXT) - CLOSING;
        let (out, links) = (Vec::new(), Vec::new());
        Self { overflow, text, media: budget.media, out, links, joined: None, apart: true, kept: 0, missing: 0 }
    }

    /// Texts come first: all of them as they are, or all in one that is cut. A tenth stays for the other blocks then.
    fn texts(&mut self, blocks: &[ContentBlock]) {
        let texts = || {
            blocks.iter().filter_map(|block| match block {
                ContentBlock::Text { text, annotations } => Some((text.as_str(), frame(annotations))),
                _ => None,
            })
        };
        let sent: usize = texts().map(|(text, frame)| sent_len(text) + frame).sum();
        if sent <= self.text {
            self.text -= sent;
            return;
        }
        self.apart = false;
        let limit = self.text - self.text / 10;
        let whole = texts().map(|(text, _)| text).collect::<Vec<_>>().join("\n\n");
        self.joined = Some(self.shortened(&whole, "text/plain", "text.txt", limit));
        self.text -= limit;
    }

    /// A text cut to fit, the whole of it kept, and a link to that.
    fn shortened(&mut self, whole: &str, mime: &str, name: &str, limit: usize) -> String {
        let address = self.overflow.keep(mime, Body::Text(whole.to_owned()));
        if let Some(address) = &address {
            self.links.push(linked(address, name, mime, whole.len()));
        }
        cut(whole, limit.saturating_sub(FRAME), |bytes| marker(bytes, address.as_deref()))
    }

    fn block(&mut self, block: &ContentBlock) {
        if let Some(why) = withheld(block) {
            return self.note(&why);
        }
        match block {
            ContentBlock::Text { text, annotations } if self.apart => {
                let mut sent = wire::TextContent::new(text.as_str());
                sent.annotations = self::annotations(annotations.as_ref());
                self.out.push(wire::ContentBlock::Text(sent));
            }
            ContentBlock::Text { .. } => self.out.extend(self.joined.take().map(wire::ContentBlock::text)),
            ContentBlock::Image { data, mime_type, annotations } => {
                let Some(mime) = self.media(mime_type, &data.0, frame(annotations), "image") else { return };
                let mut sent = wire::ImageContent::new(BASE64.encode(&data.0), mime);
                sent.annotations = self::annotations(annotations.as_ref());
                self.out.push(wire::ContentBlock::Image(sent));
            }
            ContentBlock::Audio { data, mime_type, annotations } => {
                let Some(mime) = self.media(mime_type, &data.0, frame(annotations), "audio") else { return };
                let mut sent = wire::AudioContent::new(BASE64.encode(&data.0), mime);
                sent.annotations = self::annotations(annotations.as_ref());
                self.out.push(wire::ContentBlock::Audio(sent));
            }
            ContentBlock::ResourceLink { uri, name, title, description, mime_type, size, annotations } => {
                let texts = sent_len(uri) + sent_len(name) + len(title) + len(description) + len(mime_type);
                if !self.takes(texts + frame(annotations)) {
                    self.missing += 1;
                    return;
                }
                let mut sent = wire::Resource::new(uri.as_str(), name.as_str());
                sent.title.clone_from(title);
                sent.description.clone_from(description);
                sent.mime_type.clone_from(mime_type);
                sent.size = *size;
                sent.annotations = self::annotations(annotations.as_ref());
                self.out.push(wire::ContentBlock::ResourceLink(sent));
            }
            ContentBlock::Resource { resource, annotations } => {
                let frame = frame(annotations) + sent_len(&resource.uri) + len(&resource.mime_type);
                let mime = resource.mime_type.as_deref();
                let contents = match &resource.body {
                    ResourceBody::Text(text) if self.takes(frame + sent_len(text)) => {
                        wire::ResourceContents::text(text.as_str(), resource.uri.as_str())
                    }
                    ResourceBody::Text(text) => {
                        return self.kept(mime.unwrap_or("text/plain"), Body::Text(text.clone()), "resource");
                    }
                    ResourceBody::Blob(data) if frame + encoded_len(data.0.len()) <= self.media => {
                        self.media -= frame + encoded_len(data.0.len());
                        wire::ResourceContents::blob(BASE64.encode(&data.0), resource.uri.as_str())
                    }
                    ResourceBody::Blob(data) => {
                        let mime = mime.unwrap_or("application/octet-stream");
                        return self.kept(mime, Body::Bytes(data.0.clone()), "resource");
                    }
                };
                let contents = match mime {
                    Some(mime) => contents.with_mime_type(mime),
                    None => untyped(contents),
                };
                let mut sent = wire::EmbeddedResource::new(contents);
                sent.annotations = self::annotations(annotations.as_ref());
                self.out.push(wire::ContentBlock::Resource(sent));
            }
        }
    }

    /// The type under which a picture or sound is sent, if there is room for it.
    fn media(&mut self, mime: &str, bytes: &[u8], frame: usize, what: &str) -> Option<&'static str> {
        let mime = media::check(mime, bytes).ok()?;
        let sent = frame + encoded_len(bytes.len());
        if sent <= self.media {
            self.media -= sent;
            return Some(mime);
        }
        self.kept(mime, Body::Bytes(bytes.to_vec()), what);
        None
    }

    /// Says that something is too large and where it is.
    fn kept(&mut self, mime: &str, body: Body, what: &str) {
        let bytes = body.len();
        // One result does not push out what all others have left, nor keep what nobody is told of.
        let few = self.kept < KEPT && self.text > 2 * FRAME + NOTED;
        let address = few.then(|| self.overflow.keep(mime, body)).flatten();
        self.kept += usize::from(address.is_some());
        let mime: String = mime.chars().take(100).collect();
        match address {
            Some(address) => {
                let link = linked(&address, what, &mime, bytes);
                let note = format!("[{what} of {bytes} bytes, more than fits here; it is at {address}]");
                let cost = 2 * FRAME + sent_len(&note) + address.len() + what.len() + sent_len(&mime);
                if !self.takes(cost) {
                    self.missing += 1;
                    return;
                }
                self.out.extend([wire::ContentBlock::text(note), link]);
            }
            None => self.note(&format!("[{what} of {bytes} bytes, more than fits here, and not kept]")),
        }
    }

    fn note(&mut self, note: &str) {
        if self.takes(sent_len(note) + FRAME) {
            self.out.push(wire::ContentBlock::text(note));
        } else {
            self.missing += 1;
        }
    }

    fn takes(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.text;
        if fits {
            self.text -= bytes;
        }
        fits
    }

    fn finish(mut self, twin: Option<&str>) -> Vec<wire::ContentBlock> {
        if let Some(twin) = twin {
            let room = self.text + CLOSING / 3;
            let text = match sent_len(twin) + FRAME + HINTS <= room {
                true => twin.to_owned(),
                false => self.shortened(twin, "application/json", "value.json", room - HINTS),
            };
            let audience = wire::Annotations::default().with_audience(vec![wire::Role::Assistant]);
            self.out.push(wire::ContentBlock::Text(wire::TextContent::new(text).with_annotations(audience)));
        }
        if self.missing > 0 {
            self.out.push(wire::ContentBlock::text(format!("[{} more blocks left out]", self.missing)));
        }
        self.out.append(&mut self.links);
        self.out
    }
}

/// The SDK says `text/plain` where nobody did.
fn untyped(mut contents: wire::ResourceContents) -> wire::ResourceContents {
    match &mut contents {
        wire::ResourceContents::TextResourceContents { mime_type, .. }
        | wire::ResourceContents::BlobResourceContents { mime_type, .. } => *mime_type = None,
        _ => {}
    }
    contents
}

fn linked(address: &str, name: &str, mime: &str, bytes: usize) -> wire::ContentBlock {
    let link = wire::Resource::new(address, name).with_mime_type(mime).with_size(bytes as u64);
    wire::ContentBlock::ResourceLink(link)
}
