//! The programs that are measured, and how they come about.

use std::ffi::OsStr;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::tools::{self, TEXT, WORD_COUNT};
use crate::wire::{Call, Era};

/// The Node server that shows all of the protocol, as npm has it.
pub(crate) const EVERYTHING: &str = "@modelcontextprotocol/server-everything";
/// Pinned: figures of two versions do not compare.
const EVERYTHING_VERSION: &str = "2026.8.31";

/// The least that a native server can be.
pub(crate) const RMCP_ECHO: &str = "rmcp-echo";
/// A server of fresh instances and nothing else.
pub(crate) const EXPORTS: &str = "three exports on bare wasmtime";
/// What tells this program to be that server.
pub(crate) const SERVE_EXPORTS: &str = "--serve-exports";

/// Everything that is built or fetched for the measurement.
const PEERS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/../peers");
const ECHO_MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/rmcp-echo/Cargo.toml");

/// A server: how it starts, and a small call of its tool.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    program: PathBuf,
    args: Vec<String>,
    http: Http,
    /// The revisions it speaks over HTTP.
    pub(crate) eras: &'static [Era],
    pub(crate) call: Call,
}

/// How a program is told to serve HTTP.
enum Http {
    /// These arguments more; the address stands on standard error.
    Args(&'static [&'static str]),
    /// This argument instead of the last one, and the port as `PORT`.
    Port(&'static str),
}

impl Program {
    pub(crate) fn over_stdio(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    /// The command, and the port it serves, if that is known before.
    pub(crate) fn over_http(&self) -> (Command, Option<u16>) {
        let mut command = Command::new(&self.program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        match self.http {
            Http::Args(args) => {
                command.args(&self.args).args(args);
                (command, None)
            }
            Http::Port(mode) => {
                let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
                command.args(&self.args[..self.args.len() - 1]).arg(mode).env("PORT", port.to_string());
                (command, Some(port))
            }
        }
    }
}

fn fumehood(name: &'static str, place: &str, tool: String, cache: &Path) -> Program {
    Program {
        name,
        program: env!("CARGO_BIN_EXE_fumehood").into(),
        args: ["serve", place, "--cache", cache.to_str().unwrap()].map(str::to_owned).to_vec(),
        http: Http::Args(&["--http", "127.0.0.1:0"]),
        eras: &[Era::Newer, Era::Older],
        call: Call { tool, arguments: json!({ "text": TEXT }), proof: r#""words":9"# },
    }
}

/// The sample tool `word_count`, the whole pipeline in each call.
pub(crate) fn word_count(cache: &Path) -> Program {
    fumehood("fumehood serve", WORD_COUNT, "word_count".to_owned(), cache)
}

/// A directory of many tools.
pub(crate) fn thousand(directory: &Path, cache: &Path) -> Program {
    fumehood("fumehood serve, 1,000 tools", directory.to_str().unwrap(), tools::name(0), cache)
}

/// The least that a native server on rmcp can be.
pub(crate) fn rmcp_echo() -> Program {
    let target = Path::new(PEERS).join(RMCP_ECHO);
    run(Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--quiet", "--manifest-path", ECHO_MANIFEST, "--target-dir"])
        .arg(&target))
    .unwrap();
    Program {
        name: RMCP_ECHO,
        program: target.join("release/rmcp-echo"),
        args: Vec::new(),
        http: Http::Args(&["--http"]),
        eras: &[Era::Newer, Era::Older],
        call: Call { tool: "echo".to_owned(), arguments: json!({ "text": TEXT }), proof: "lazy dog" },
    }
}

/// This very program, as [`crate::exports`].
pub(crate) fn exports() -> Program {
    Program {
        name: EXPORTS,
        program: std::env::current_exe().unwrap(),
        args: [SERVE_EXPORTS, WORD_COUNT].map(str::to_owned).to_vec(),
        http: Http::Args(&[]),
        eras: &[],
        call: Call { tool: "word_count".to_owned(), arguments: json!({ "text": TEXT }), proof: r#""words":9"# },
    }
}

/// [`EVERYTHING`], or why it is not there.
pub(crate) fn everything() -> Result<Program, String> {
    let home = Path::new(PEERS).join("npm");
    let script = home.join("node_modules").join(EVERYTHING).join("dist/index.js");
    if !script.exists() {
        std::fs::create_dir_all(&home).unwrap();
        let package = format!("{EVERYTHING}@{EVERYTHING_VERSION}");
        run(Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&home).arg(package))?;
    }
    Ok(Program {
        name: "server-everything",
        program: "node".into(),
        args: vec![script.to_str().unwrap().to_owned(), "stdio".to_owned()],
        http: Http::Port("streamableHttp"),
        eras: &[Era::Older],
        call: Call { tool: "echo".to_owned(), arguments: json!({ "message": TEXT }), proof: "lazy dog" },
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let args: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    Err(format!("{name} {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)))
}
