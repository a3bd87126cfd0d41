//! The process that reads debug information: what starts it, and what it is.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use super::dwarf::{Located, MAX_SECTIONS, Request, locate};
use crate::engine::{WORKER, bound_this_process};

/// The second argument that makes a program the reader of debug information.
pub(crate) const PLACES: &str = "places";

/// Processor time, in seconds. The 9 MB of a Rust tool with everything it uses take a tenth of one.
const CPU_SECONDS: u64 = 3;
/// Time on the wall: on a machine that others keep busy an honest one still has its time.
const WALL: Duration = Duration::from_secs(15);
/// Address space: program, stack and allocator, and twenty times the largest debug information that a component can hold.
const ADDRESS_SPACE_BYTES: u64 = 1 << 30;
/// The request without the sections: names, lengths, and an address a frame.
const REQUEST_BYTES: u32 = 64 << 10;
/// 20 frames of 32 inlined functions with two texts each take 700 kB.
const ANSWER_BYTES: u64 = 1 << 20;

/// Asks a process of this program. When the future is dropped, the process is killed.
pub(super) async fn ask(
    program: &Path,
    request: &Request,
    sections: impl Iterator<Item = &[u8]>,
) -> Result<Vec<Vec<Located>>, String> {
    let mut child = start(program).map_err(|error| format!("{} does not start: {error}", program.display()))?;
    let conversed = tokio::time::timeout(WALL, converse(&mut child, request, sections)).await;
    let (answer, status) = match conversed {
        Ok(conversed) => conversed.map_err(|error| format!("its reader cannot be talked to: {error}"))?,
        Err(_elapsed) => return Err(format!("it took more than {} s", WALL.as_secs())),
    };
    if !status.success() {
        return Err(format!(
            "its reader ended with {status}: it may use {CPU_SECONDS} s of processor time and {} MiB",
            ADDRESS_SPACE_BYTES >> 20
        ));
    }
    let answer: Result<Vec<Vec<Located>>, String> =
        serde_json::from_slice(&answer).map_err(|error| format!("its reader makes no sense: {error}"))?;
    answer
}

fn start(program: &Path) -> io::Result<Child> {
    Command::new(program)
        .args([WORKER, PLACES])
        .env_clear()
        .current_dir("/")
        // Ctrl-C is the host's to answer: it reaches every process of the terminal's group.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

async fn converse(
    child: &mut Child,
    request: &Request,
    sections: impl Iterator<Item = &[u8]>,
) -> io::Result<(Vec<u8>, std::process::ExitStatus)> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let json = serde_json::to_vec(request)?;
    let feed = async {
        // A write error means that it ended early: its status says why.
        let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
        stdin.write_all(&length.to_le_bytes()).await?;
        stdin.write_all(&json).await?;
        for section in sections {
            stdin.write_all(section).await?;
        }
        stdin.flush().await
    };
    let mut answer = Vec::new();
    let mut limited = stdout.take(ANSWER_BYTES);
    let (_fed, read) = tokio::join!(feed, limited.read_to_end(&mut answer));
    read?;
    // Whatever it still has to say, nobody listens.
    drop(limited);
    Ok((answer, child.wait().await?))
}

/// The whole of the process: reads a request and the sections from standard input, and writes an answer to standard output.
/// Before it looks at the sections it bounds itself.
pub(crate) fn places() -> ExitCode {
    // Errors here mean that the host is gone or is no host, or that the limits cannot be set.
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_streams) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    bound_this_process(CPU_SECONDS, ADDRESS_SPACE_BYTES)?;
    let mut input = io::stdin().lock();
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > REQUEST_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut json = vec![0; length as usize];
    input.read_exact(&mut json)?;
    let request: Request = serde_json::from_slice(&json)?;
    if !request.is_ours() || request.sections.len() > MAX_SECTIONS {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut sections = HashMap::new();
    for (name, bytes) in request.sections {
        let mut data = Vec::new();
        if (&mut input).take(bytes).read_to_end(&mut data)? as u64 != bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // Of two of one name the first: a linker writes one.
        sections.entry(name).or_insert(data);
    }
    let answer = locate(&sections, &request.addresses);
    let mut output = io::stdout().lock();
    output.write_all(&serde_json::to_vec(&answer)?)?;
    output.flush()
}
