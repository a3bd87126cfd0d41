//! `fumehood new`.

mod capability;
mod files;
mod name;
mod project;

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;

use super::exit::Exit;
use super::screen;
use capability::Asked;
use name::ProjectName;

/// Start a tool: write a project that builds, tests and packs with the commands that are printed.
///
/// The project goes into a folder of its own in the current one, with the library for its language in it: nothing but
/// what the language's own registry has is fetched to build it. Nothing that exists is touched.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fumehood new tidy-lines --lang rust
  fumehood new tidy-lines --lang python
  fumehood new page-watch --lang rust --capability http:https://example.com/ --capability clock

Exit status:
  0  written    2  the name is no name, the folder exists, or it cannot be written")]
pub(super) struct Args {
    /// What the tool is called: lower-case letters, digits and single dashes, up to 40
    #[arg(value_name = "NAME")]
    name: String,
    /// What it is written in
    #[arg(long, value_enum)]
    lang: Lang,
    /// What it asks for. Repeatable: filesystem:read, filesystem:read-write, http, http:TARGET, secret:NAME, env:NAME,
    /// process:PROGRAM, tools:TOOL, clock, random
    #[arg(long, value_name = "CAPABILITY")]
    capability: Vec<Asked>,
}

/// The languages that there is a library and a template for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    Rust,
    /// JavaScript, with types for TypeScript
    Js,
    Python,
    C,
}

pub(super) fn run(args: Args) -> Result<ExitCode, Exit> {
    let name = ProjectName::of(&args.name, args.lang).map_err(|error| Exit::usage(error.to_string()))?;
    let files = project::made(&name, args.lang, &args.capability).map_err(Exit::usage)?;
    project::write(Path::new("."), &name, &files)?;
    screen::print(&said(&name, &files, &args.capability)).map_err(anyhow::Error::from)?;
    Ok(ExitCode::SUCCESS)
}

/// What stands on the terminal afterwards: what to type, as the project's own README has it.
fn said(name: &ProjectName, files: &[project::Made], asked: &[Asked]) -> String {
    let file = |path: &str| files.iter().find(|file| file.path == path).and_then(|file| file.text());
    let commands: String = commands(file("README.md").unwrap_or_default()).map(|line| format!("  {line}\n")).collect();
    let mut text =
        format!("{name}/ is a tool that works. To test, build, check, pack and run it:\n\n  cd {name}\n{commands}");
    if !asked.is_empty() {
        let holder = if file("manifest.json").is_some() { "manifest.json" } else { "Cargo.toml" };
        text.push_str(&format!(
            "\nIt asks for {}, and so far runs without. Say in {holder} what for: whoever may grant it reads the reasons.\n",
            asked.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        ));
    }
    text
}

/// The lines of the first block of commands in a README.
fn commands(readme: &str) -> impl Iterator<Item = &str> {
    let block = readme.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```")).map(|(block, _)| block);
    block.unwrap_or_default().lines()
}

#[cfg(test)]
mod tests;
