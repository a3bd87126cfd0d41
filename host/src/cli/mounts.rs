//! Other servers whose tools are served beside the components.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use fumehood::mcp::mount::{ChildServer, HttpServer, MountName, Mounting, Place, mount};
use fumehood::{CancellationToken, Finding, Mounted, Policy, Severity, TlsRoots};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::exit::Exit;
use super::host::read_text;
use super::screen;
use super::token::read_token;

/// A bundle of certificate authorities is some hundreds of kilobytes.
const MAX_ROOTS_BYTES: u64 = 4 << 20;

/// What is mounted, and what it gets.
#[derive(clap::Args)]
pub(super) struct MountArgs {
    /// Mount another server, whose tools are NOT sandboxed. Repeatable
    ///
    /// COMMAND is a program and its arguments, separated by spaces, or a JSON array of them; it is started without a shell
    /// and without environment. The tools are called NAME_tool.
    #[arg(long, value_name = "NAME=COMMAND|URL")]
    mount_server: Vec<Named>,
    /// Give a mounted command one variable of this environment, for example notes=HOME. Repeatable
    #[arg(long, value_name = "NAME=VARIABLE", requires = "mount_server")]
    mount_env: Vec<Named>,
    /// Send a mounted URL the bearer token in a file. Repeatable
    #[arg(long, value_name = "NAME=FILE", requires = "mount_server")]
    mount_token_file: Vec<Named>,
    /// Let the certificate authorities in a PEM file vouch for a mounted URL, beside those of the web. Repeatable
    #[arg(long, value_name = "NAME=FILE", requires = "mount_server")]
    mount_roots_file: Vec<Named>,
}

/// A mount's name and what belongs to it.
#[derive(Clone)]
struct Named {
    name: MountName,
    rest: String,
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once('=').ok_or("write NAME=…, for example notes=/usr/bin/notes-server")?;
        let name = name.parse::<MountName>().map_err(|error| error.to_string())?;
        if rest.trim().is_empty() {
            return Err(format!("nothing is named {name} here; write {name}=…"));
        }
        Ok(Self { name, rest: rest.to_owned() })
    }
}

/// The servers that could be mounted.
pub(super) struct Mounts(Vec<Mounting>);

impl Mounts {
    pub(super) fn tools(&self) -> impl Iterator<Item = Mounted> {
        self.0.iter().flat_map(|mounting| mounting.tools.iter().cloned())
    }

    pub(super) async fn close(&self) {
        for mounting in &self.0 {
            mounting.close().await;
        }
    }
}

impl MountArgs {
    /// Mount all of them. One that cannot be mounted costs only its own tools.
    /// When told to stop, none.
    pub(super) async fn mount(self, policy: &Policy, verbose: bool, stop: &CancellationToken) -> Result<Mounts, Exit> {
        let mut working = JoinSet::new();
        for (name, place) in self.places()? {
            let policy = policy.clone();
            working.spawn(async move { (mount(&name, place, &policy).await, name) });
        }
        let mut mounted = BTreeMap::new();
        loop {
            let done = tokio::select! {
                () = stop.cancelled() => return Ok(Mounts(Vec::new())),
                done = working.join_next() => done,
            };
            let Some(done) = done else { break };
            let (mounting, name) = done.context("a server could not be mounted")?;
            match mounting {
                Ok(mounting) => {
                    mounted.insert(name, mounting);
                }
                Err(error) => screen::error(&format!("{name}: not mounted, not before the next start: {error}")),
            }
        }
        mounted.iter().for_each(|(name, mounting)| told(name, mounting, verbose));
        Ok(Mounts(mounted.into_values().collect()))
    }

    /// The files that a mounted server is, starts from or is trusted by: a tool that may write to one would choose what runs
    /// outside every sandbox.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let words = self.mount_server.iter().filter(|named| !is_url(&named.rest)).flat_map(|named| words(&named.rest));
        let programs = words.flatten().map(PathBuf::from).filter(|path| path.is_file());
        let named = self.mount_token_file.iter().chain(&self.mount_roots_file);
        programs.chain(named.map(|named| PathBuf::from(&named.rest)))
    }

    pub(super) fn any(&self) -> bool {
        !self.mount_server.is_empty()
    }

    fn places(self) -> Result<BTreeMap<MountName, Place>, Exit> {
        let mut places = BTreeMap::new();
        for (flag, files) in
            [("--mount-roots-file", &self.mount_roots_file), ("--mount-token-file", &self.mount_token_file)]
        {
            let mut names = BTreeSet::new();
            if let Some(twice) = files.iter().find(|named| !names.insert(&named.name)) {
                return Err(Exit::usage(format!("{flag} {}: two files for one server; name one", twice.name)));
            }
        }
        for Named { name, rest } in self.mount_server {
            let place = place(&rest).map_err(|error| Exit::usage(format!("--mount-server {name}: {error}")))?;
            if places.insert(name.clone(), place).is_some() {
                return Err(Exit::usage(format!("--mount-server {name}: two servers of one name")));
            }
        }
        for Named { name, rest } in self.mount_env {
            let Some(Place::Child(server)) = places.get(&name).cloned() else {
                return Err(Exit::usage(format!("--mount-env {name}: no command is mounted under this name")));
            };
            let server = server.env(&rest, variable(&rest)?);
            places.insert(name, server.into());
        }
        for Named { name, rest } in self.mount_roots_file {
            let server = mounted_url(&places, &name, "--mount-roots-file")?;
            if places.get(&name).is_some_and(|place| place.origin().starts_with("http://")) {
                return Err(Exit::usage(format!(
                    "--mount-roots-file {name}: nobody vouches for an address of http://"
                )));
            }
            let pem = read_text(Path::new(&rest), MAX_ROOTS_BYTES)?;
            // An empty text would mean the authorities of the web alone.
            let pem = if pem.is_empty() { b"\n" } else { pem.as_bytes() };
            let roots = TlsRoots::with_pem(pem).map_err(|error| Exit::usage(format!("{rest}: {error}")))?;
            places.insert(name, server.trusting(&roots).into());
        }
        for Named { name, rest } in self.mount_token_file {
            let server = mounted_url(&places, &name, "--mount-token-file")?;
            let token = read_token(Path::new(&rest)).with_context(|| rest.clone())?;
            let server = server.bearer(token.trim()).map_err(|error| Exit::usage(format!("{rest}: {error}")))?;
            places.insert(name, server.into());
        }
        Ok(places)
    }
}

/// What is mounted under this name, which a flag takes for a URL.
fn mounted_url(places: &BTreeMap<MountName, Place>, name: &MountName, flag: &str) -> Result<HttpServer, Exit> {
    match places.get(name) {
        Some(Place::Http(server)) => Ok(server.clone()),
        _ => Err(Exit::usage(format!("{flag} {name}: no URL is mounted under this name"))),
    }
}

fn is_url(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("http://") || text.starts_with("https://")
}

/// A command, taken apart.
fn words(text: &str) -> Result<Vec<String>, String> {
    let text = text.trim();
    if text.starts_with('[') {
        return serde_json::from_str(text).map_err(|_| "this is no JSON array of strings".to_owned());
    }
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

fn place(text: &str) -> Result<Place, String> {
    if is_url(text) {
        return HttpServer::new(text.trim()).map(Place::from).map_err(|error| error.to_string());
    }
    match words(text)?.split_first() {
        Some((program, args)) if !program.is_empty() => Ok(ChildServer::new(program, args.iter().cloned()).into()),
        _ => Err("no program is named".to_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "the operator names the variables that a mounted command gets")]
fn variable(name: &str) -> Result<std::ffi::OsString, Exit> {
    std::env::var_os(name).ok_or_else(|| Exit::usage(format!("--mount-env {name}: there is no such variable here")))
}

/// What a reviewer reads of the servers, as text. Each is started, and ends before this returns.
pub(super) async fn audit(args: MountArgs, json: bool) -> Result<(String, bool), Exit> {
    let (mut text, mut all, mut sound) = (String::new(), Vec::new(), true);
    for (name, place) in args.places()? {
        let origin = place.origin().to_owned();
        match mount(&name, place, &Policy::nothing()).await {
            Ok(mounting) => {
                mounting.close().await;
                all.push(as_json(&name, &mounting));
                text += &as_text(&name, &mounting);
            }
            Err(error) => {
                sound = false;
                all.push(
                    json!({ "name": name.as_str(), "at": origin, "sandboxed": false, "error": error.to_string() }),
                );
                text += &format!("{name}: mounted, at {origin}; NOT SANDBOXED: {error}\n");
            }
        }
    }
    let text = if json { serde_json::to_string_pretty(&all).map_err(anyhow::Error::from)? } else { text };
    Ok((text, sound))
}

fn as_json(name: &MountName, mounting: &Mounting) -> Value {
    let tools =
        mounting.tools.iter().flat_map(|mounted| mounted.manifest().tools.iter().map(move |tool| (mounted, tool)));
    let tools = tools.map(|(mounted, tool)| {
        json!({
            "name": tool.name, "title": tool.title, "description": tool.description, "annotations": tool.annotations,
            "inputSchema": tool.input_json(), "outputSchema": tool.output_json(),
            "outputChecked": mounted.findings().iter().all(|finding| finding.rule != UNCHECKED),
        })
    });
    let tools: Vec<_> = tools.collect();
    json!({
        "name": name.as_str(), "at": mounting.origin, "sandboxed": false, "tools": tools, "findings": mounting.findings,
    })
}

fn as_text(name: &MountName, mounting: &Mounting) -> String {
    let mut text = format!("{name}: mounted, at {}; NOT SANDBOXED\n", mounting.origin);
    for tool in mounting.tools.iter().flat_map(|mounted| &mounted.manifest().tools) {
        let title = tool.title.as_deref().map(|title| format!("  {title}")).unwrap_or_default();
        let description = tool.description.replace('\n', "\n    ");
        text += &format!("\n  {}{title}\n    {description}\n", tool.name);
    }
    if !mounting.findings.is_empty() {
        text += "\nFindings\n";
    }
    let line =
        |finding: &Finding| format!("  {:8} {}\n", finding.severity, finding.to_string().replace('\n', "\n    "));
    text.extend(mounting.findings.iter().map(line));
    text + "\n"
}

/// The finding of a tool whose `structuredContent` nobody checks.
const UNCHECKED: &str = "mount/output-unchecked";

/// An operator reads of every mount that it is not sandboxed, asked for or not.
fn told(name: &MountName, mounting: &Mounting, verbose: bool) {
    let tools = mounting.tools.iter().flat_map(|mounted| &mounted.manifest().tools);
    let tools: Vec<_> = tools.map(|tool| tool.name.as_str()).collect();
    let tools = if tools.is_empty() { "nothing".to_owned() } else { tools.join(", ") };
    screen::note(&format!("{name} (mounted, at {}; NOT sandboxed): serving {tools}", mounting.origin));
    let (refused, noted): (Vec<_>, Vec<_>) =
        mounting.findings.iter().partition(|finding| finding.severity == Severity::Refusal);
    refused.iter().for_each(|finding| screen::error(&format!("{name}: {finding}")));
    if verbose {
        noted.iter().for_each(|finding| screen::note(&format!("{name}: {finding}")));
    } else if !noted.is_empty() {
        let count = noted.len();
        screen::note(&format!("{name}: of {count} tools, structuredContent is not checked (-v says why)"));
    }
}
