//! The files of a project: the template with the name and what is asked for in it, and the library as it is.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use serde_json::Value;

use super::super::exit::Exit;
use super::Lang;
use super::capability::{self, Asked};
use super::files;
use super::name::ProjectName;

/// One file, as it is written.
pub(super) struct Made {
    /// From the project's folder, with `/`.
    pub(super) path: String,
    bytes: Vec<u8>,
    executable: bool,
}

impl Made {
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

/// Every file, in the order of the template.
///
/// # Errors
/// The language cannot have what is asked for, or something is asked for twice.
pub(super) fn made(name: &ProjectName, lang: Lang, asked: &[Asked]) -> Result<Vec<Made>, String> {
    capability::distinct(asked)?;
    let world = capability::world(lang, asked)?;
    let named = |text: &str| text.replace("new-tool", name.as_str()).replace("new_tool", &name.with_underscores());
    let made = |file: &files::File| {
        let (path, bytes) = match std::str::from_utf8(file.bytes) {
            Ok(text) if file.is_template() => {
                (named(file.to), named(&asking(file.to, text, asked, world)).into_bytes())
            }
            _ => (file.to.to_owned(), file.bytes.to_owned()),
        };
        Made { executable: path.ends_with(".sh"), path, bytes }
    };
    Ok(files::of(lang).iter().map(made).collect())
}

/// One file of the template, with what the tool asks for.
fn asking(path: &str, text: &str, asked: &[Asked], world: &str) -> String {
    if asked.is_empty() {
        return text.to_owned();
    }
    match path {
        "Cargo.toml" => cargo(text, asked),
        "manifest.json" => manifest(text, asked),
        "build.mjs" => text.replace(r#"world: "component""#, &format!("world: {world:?}")),
        "build.sh" => text.replace("--world component ", &format!("--world {world} ")),
        "README.md" => readme(text, asked),
        _ => text.to_owned(),
    }
}

fn cargo(text: &str, asked: &[Asked]) -> String {
    let mut capabilities = "capabilities = [\n".to_owned();
    for one in asked {
        let fields = one.request();
        let fields = fields.as_object().into_iter().flatten();
        // A string of JSON is one of TOML: neither takes what is not escaped in the other.
        let fields: Vec<_> = fields.map(|(key, value)| format!("{key} = {value}")).collect();
        capabilities.push_str(&format!("  {{ {} }},\n", fields.join(", ")));
    }
    capabilities.push_str("]\n");
    let publisher = text.find("publisher = ").and_then(|at| text[at..].find('\n').map(|end| at + end + 1));
    let mut text = text.to_owned();
    if let Some(at) = publisher {
        text.insert_str(at, &capabilities);
    }
    let features: BTreeSet<_> = asked.iter().filter_map(Asked::feature).collect();
    if features.is_empty() {
        return text;
    }
    let features: Vec<_> = features.iter().map(|feature| format!("{feature:?}")).collect();
    let plain = r#"fumehood-tool = { path = "fumehood-tool" }"#;
    text.replace(
        plain,
        &format!(r#"fumehood-tool = {{ path = "fumehood-tool", features = [{}] }}"#, features.join(", ")),
    )
}

fn readme(text: &str, asked: &[Asked]) -> String {
    let with_wasi = asked.iter().any(Asked::needs_wasi);
    let text = if with_wasi { text.replace("wasm32-unknown-unknown", "wasm32-wasip2") } else { text.to_owned() };
    text + ASKS
}

/// The end of the README of a project that asks for something.
const ASKS: &str = "
It asks for capabilities, each with a reason for whoever may grant it. They are `optional` so far: nothing in here uses them, and the
tool runs without. `fumehood run --help` has the options that grant them. Once the tool cannot do without one, take its `optional` out;
`fumehood check` says when it is time.
";

fn manifest(text: &str, asked: &[Asked]) -> String {
    let requests = asked.iter().map(Asked::request).collect();
    let with_requests = serde_json::from_str(text).ok().and_then(|mut manifest: Value| {
        manifest.as_object_mut()?.insert("capabilities".to_owned(), Value::Array(requests));
        serde_json::to_string_pretty(&manifest).ok()
    });
    with_requests.map_or_else(|| text.to_owned(), |text| text + "\n")
}

/// Write the project as a whole or not at all: beside its place, then into it.
pub(super) fn write(parent: &Path, name: &ProjectName, files: &[Made]) -> Result<(), Exit> {
    let target = parent.join(name.as_str());
    let exists =
        || Exit::usage(format!("{name}/ exists, and nothing in it is touched; write another name, or move it away"));
    if target.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let scratch = tempfile::Builder::new().prefix(".fumehood-new-").tempdir_in(parent).context("the current folder")?;
    // In a folder of its own, which has the permissions of any new folder: the one around it is for one user alone.
    let whole = scratch.path().join(name.as_str());
    fill(scratch.path(), name, files).with_context(|| format!("{name}/"))?;
    let (here, flags) = (rustix::fs::CWD, rustix::fs::RenameFlags::NOREPLACE);
    match rustix::fs::renameat_with(here, &whole, here, &target, flags) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::EXIST) => Err(exists()),
        Err(error) => Err(anyhow::Error::from(error).context(format!("{name}/")).into()),
    }
}

fn fill(scratch: &Path, name: &ProjectName, files: &[Made]) -> anyhow::Result<()> {
    let project = scratch.join(name.as_str());
    for file in files {
        let path = project.join(&file.path);
        let folder = path.parent().unwrap_or(&project);
        fs::DirBuilder::new().recursive(true).create(folder).with_context(|| file.path.clone())?;
        let mode = if file.executable { 0o777 } else { 0o666 };
        let mut new = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        new.write_all(&file.bytes).with_context(|| file.path.clone())?;
    }
    Ok(())
}
