//! `fumehood spilled`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use fumehood::{Locator, SpillLimits, SpillStore};

use super::exit::Exit;
use super::screen;

/// Print a text that was too long for a model, whole.
///
/// The model read its beginning, its end and this name for it; `run --spill DIR` kept the text. One that was changed since is
/// refused.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood spilled texts fumehood:spill/sha256-e456c69d…
  fumehood spilled texts fumehood:spill/sha256-e456c69d… | less

Exit status:
  0 the text   2 there is no such text, or it is not what was kept")]
pub(super) struct Args {
    /// Where texts were kept
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The name that the model read, and that the log has
    #[arg(value_name = "LOCATOR")]
    locator: Locator,
}

pub(super) fn run(args: Args) -> Result<ExitCode, Exit> {
    // Opening a store makes it where it is missing; looking for a text should not.
    args.directory.metadata().with_context(|| args.directory.display().to_string())?;
    let store = SpillStore::open(args.directory, SpillLimits::standard()).map_err(anyhow::Error::from)?;
    let text = store.read(&args.locator).map_err(anyhow::Error::from)?;
    screen::print(&text).map_err(anyhow::Error::from)?;
    Ok(ExitCode::SUCCESS)
}
