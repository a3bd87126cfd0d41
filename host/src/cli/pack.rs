//! `fumehood pack`.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use fumehood::{Component, Host, Inspected, LoadLimits, Package};

use super::exit::Exit;
use super::host::{EngineArgs, read_text};
use super::screen;

/// Make a tool component from a build's output and a manifest.
///
/// Takes a component, or a core module with its WIT embedded (what wit-bindgen's languages emit), which it turns
/// into a component, with the WASI preview 1 adapter where the module needs it. The manifest is embedded and the
/// result is checked with the checks of a host: what this command writes loads.
///
/// A tool made with the crate fumehood-tool says its manifest itself: it is run once, sealed, and asked. What it asks for
/// is in Cargo.toml, under [package.metadata.fumehood].
///
/// Ship a release build: this takes its debug information out, and does not optimise.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood pack target/wasm32-wasip2/release/dice.wasm --cargo Cargo.toml -o dice.wasm
  fumehood pack target/wasm32-wasip2/release/word_count.wasm --manifest manifest.json -o word-count.wasm
  fumehood pack core.wasm --manifest manifest.json -o tool.wasm

Exit status:
  0  packed    1  refused, with every reason    2  a file cannot be read or written")]
pub(super) struct Args {
    /// The component or core module
    #[arg(value_name = "FILE.wasm")]
    input: PathBuf,
    /// The manifest, JSON; without one the component is asked
    #[arg(long, value_name = "FILE.json", conflicts_with = "cargo")]
    manifest: Option<PathBuf>,
    /// The Cargo.toml whose table [package.metadata.fumehood] adds to what the component says
    #[arg(long, value_name = "Cargo.toml")]
    cargo: Option<PathBuf>,
    /// Keep debug information, and with it the names of your folders: it is left out otherwise, and names of functions stay
    #[arg(long)]
    debug: bool,
    /// Where to write the tool; an existing file is replaced when all went well
    #[arg(short, long, value_name = "TOOL.wasm")]
    output: PathBuf,
}

/// A manifest is at most a megabyte; one byte more is enough for the check that says so.
const MAX_MANIFEST_BYTES: u64 = (1 << 20) + 1;

/// The same for a Cargo.toml, which is a page of text.
const MAX_CARGO_BYTES: u64 = 1 << 20;

/// How the commands that call a tool take one that is built and not packed: in memory, and nothing is written.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PackingArgs {
    /// Take TOOL.wasm as the build left it, and pack it in memory with what this Cargo.toml adds, as `fumehood pack` does
    #[arg(long, value_name = "Cargo.toml", conflicts_with = "manifest")]
    cargo: Option<PathBuf>,
    /// The same with this manifest, JSON, for a component that does not say its own
    #[arg(long, value_name = "FILE.json")]
    manifest: Option<PathBuf>,
}

impl PackingArgs {
    /// The files besides the component that decide what comes out.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.cargo, &self.manifest].into_iter().flatten().map(PathBuf::as_path)
    }

    fn how(&self) -> Option<How<'_>> {
        match self {
            Self { manifest: Some(manifest), .. } => Some(How::Manifest(manifest)),
            Self { cargo: Some(cargo), .. } => Some(How::Ask(Some(cargo))),
            _ => None,
        }
    }

    /// The file's bytes, packed first where these flags say so. A host is made where the component has to be asked.
    pub(super) async fn read(&self, path: &Path, host: impl FnOnce() -> anyhow::Result<Host>) -> Result<Vec<u8>, Exit> {
        let input = read(path, LoadLimits::standard().bytes + 1)?;
        match self.how() {
            Some(how) => packed(path, &input, &how, host).await,
            None => Ok(input),
        }
    }

    /// The component in this file, packed first where these flags say so.
    pub(super) async fn inspect(&self, path: &Path, host: &Host) -> Result<Inspected, Exit> {
        if self.how().is_none() {
            return fumehood::inspect(path.to_owned()).await.map_err(|error| Exit::of(path, error));
        }
        let limits = LoadLimits::standard();
        let packed = self.read(path, || Ok(host.clone())).await?;
        let refused = |error: String| Exit::failed(format!("{}: {error}", path.display()));
        let component = Component::from_bytes(packed, &limits).map_err(|error| refused(error.to_string()))?;
        Inspected::of(component).map_err(|error| refused(error.to_string()))
    }
}

/// Where a manifest comes from.
enum How<'a> {
    /// From this file.
    Manifest(&'a Path),
    /// The component says it, and this Cargo.toml adds to it.
    Ask(Option<&'a Path>),
}

pub(super) async fn run(args: Args) -> Result<ExitCode, Exit> {
    let input = read(&args.input, LoadLimits::standard().bytes + 1)?;
    let how = match &args.manifest {
        Some(manifest) => How::Manifest(manifest),
        None => How::Ask(args.cargo.as_deref()),
    };
    let shipped = if args.debug { Cow::Borrowed(input.as_slice()) } else { fumehood::strip_debug(&input) };
    let packed = packed(&args.input, &shipped, &how, || EngineArgs::uncached().host()).await?;
    write(&args.output, &packed).with_context(|| args.output.display().to_string())?;
    let left_out = match input.len() - shipped.len() {
        0 => String::new(),
        bytes => format!("; {bytes} bytes of debug information are left out, which --debug keeps"),
    };
    screen::note(&format!("{}: {} bytes{left_out}", args.output.display(), packed.len()));
    Ok(ExitCode::SUCCESS)
}

/// The tool that a build's output becomes. A host is made where the component has to be asked.
async fn packed(
    path: &Path,
    input: &[u8],
    how: &How<'_>,
    host: impl FnOnce() -> anyhow::Result<Host>,
) -> Result<Vec<u8>, Exit> {
    let limits = LoadLimits::standard();
    let refused = |error: String| Exit::failed(format!("{} is not packed: {error}", path.display()));
    match how {
        How::Manifest(manifest) => {
            let manifest = read(manifest, MAX_MANIFEST_BYTES)?;
            fumehood::pack(input, &manifest, &limits).map_err(|error| refused(error.to_string()))
        }
        How::Ask(cargo) => {
            let package = match cargo {
                Some(path) => Package::from_cargo(&read_text(path, MAX_CARGO_BYTES)?)
                    .map_err(|finding| Exit::failed(format!("{}: {finding}", path.display())))?,
                None => Package::default(),
            };
            host()?.pack(input, &package, &limits).await.map_err(|error| refused(error.to_string()))
        }
    }
}

pub(super) fn read(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    #[expect(clippy::disallowed_methods, reason = "the vendor names the file; it is read through a cap")]
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).with_context(|| path.display().to_string())?;
    Ok(bytes)
}

/// Write beside the target and rename: a reader sees the old file or the new one, never a half.
pub(super) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Less the umask, as for any new file.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".fumehood-").permissions(mode).tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
