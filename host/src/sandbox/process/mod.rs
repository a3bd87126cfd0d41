//! Granted programs: `fumehood:host/process`.
//!
//! The host checks a request, and hands it to a supervisor: this same program, started once more. It never starts a
//! granted program itself, because it could not kill what that one starts.

#[cfg(target_os = "linux")]
mod descendants;
mod hold;
mod protocol;
#[cfg(target_os = "linux")]
mod supervise;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::Dir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use wasmtime::component::Val;

use self::hold::{Hold, Holds};
use self::protocol::{ANSWER_BYTES, Answer, Exit, VERSION};
#[cfg(target_os = "linux")]
pub(crate) use self::supervise::supervise;

/// Only Linux has child subreapers and a `/proc` to find descendants in.
#[cfg(not(target_os = "linux"))]
pub(crate) fn supervise() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
use super::mounts::OpenMount;
use super::state::State;
use crate::bindings::host::fumehood::host::process::{self, Completed, ProcessError, Request};
use crate::capability::{Capability, CapabilityKind, Name};
use crate::decision::Decisions;
use crate::engine::WORKER;
use crate::policy::{Approved, GuestPath, GuestPathError, LimitName, ProcessGrant, permit};

/// The second argument that makes a program a supervisor. The first is [`WORKER`].
pub(crate) const SUPERVISE: &str = "supervise";

/// The most that arguments and environment may take together: what Linux allows a program where the stack has its usual
/// 8 MiB, a quarter of it; see execve(2).
const COMMAND_BYTES: usize = 2 << 20;
/// What the system counts for each argument and variable, besides its text.
const POINTER: usize = 8;
/// How long after its program's time a supervisor may answer. It kills in milliseconds; a machine that swaps takes longer.
const LATE: Duration = Duration::from_secs(5);
/// As much of a command as a decision keeps.
const COMMAND_SHOWN: usize = 512;

/// The longest text of an argument or a path that a message repeats.
const SHOWN: usize = 200;

/// What one component may run, and what it takes to do so.
pub(super) struct Programs {
    /// A program that becomes a supervisor when told to.
    worker: PathBuf,
    asked: Vec<Name>,
    grants: Vec<ProcessGrant>,
    mounts: Arc<[OpenMount]>,
    holds: Holds,
}

/// A program is granted, and this host cannot run it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoProgramsError {
    /// Nothing could end what a program starts.
    #[error(
        "programs are granted ({0}) and this host has no worker to supervise them; name one with \
         Compiler::ChildProcess, or take the grants of `process` out of the policy"
    )]
    NoWorker(String),
    /// Only Linux has what it takes to find all that a program started.
    #[error(
        "programs are granted ({0}), which only a host on Linux can run; take the grants of `process` out of the policy"
    )]
    NotLinux(String),
}

impl Programs {
    /// `None` where no program is granted.
    pub(super) fn granted(
        approved: &Approved,
        worker: Option<&Path>,
        mounts: &Arc<[OpenMount]>,
    ) -> Result<Option<Arc<Self>>, NoProgramsError> {
        let grants: Vec<_> = approved.grants().processes().cloned().collect();
        let names = || grants.iter().map(ProcessGrant::name).collect::<Vec<_>>().join(", ");
        if grants.is_empty() {
            return Ok(None);
        }
        if !cfg!(target_os = "linux") {
            return Err(NoProgramsError::NotLinux(names()));
        }
        let worker = worker.ok_or_else(|| NoProgramsError::NoWorker(names()))?.to_owned();
        let asked =
            approved.inspected().manifest().capabilities.iter().filter_map(|request| match &request.capability {
                Capability::Process { program } => Some(program.clone()),
                _ => None,
            });
        Ok(Some(Arc::new(Self { worker, asked: asked.collect(), grants, mounts: mounts.clone(), holds: Holds::new() })))
    }

    /// Run a program to its end. Dropping the future kills it and all that comes from it.
    async fn run(&self, request: Request, output_bytes: u64, decisions: &Decisions) -> Result<Completed, ProcessError> {
        let Request { program, args, working_directory, stdin, time_limit_ms, .. } = request;
        let command = || shown(&program, &args);
        if !self.asked.iter().any(|asked| asked.as_str() == program) {
            decisions.denied(CapabilityKind::Process, &command(), "the manifest does not ask for it");
            return Err(ProcessError::NotGranted(format!(
                "the program {:?} is not granted, and the manifest does not ask for it: no policy can grant it before \
                 the vendor does",
                shortened(&program)
            )));
        }
        too_long(&args, &BTreeMap::new())?;
        let grant = permit(&self.grants, &program, &args).map_err(|denied| {
            decisions.denied(CapabilityKind::Process, &command(), &denied.logged);
            ProcessError::NotGranted(denied.told)
        })?;
        too_long(&args, grant.env())?;
        decisions.allowed(CapabilityKind::Process, &command(), &grant.to_string());
        let directory = match working_directory {
            Some(guest) => Some(self.directory(&guest).await?),
            None => None,
        };
        let message = protocol::Request {
            version: VERSION.to_owned(),
            path: grant.path().to_owned(),
            args,
            env: grant.env().clone(),
            stdin_bytes: stdin.as_ref().map(|bytes| bytes.len() as u64),
            output_bytes,
            time_limit_ms,
        };
        let not_known =
            |error: io::Error| ProcessError::Unavailable(format!("the program {program} was lost: {error}"));
        let mut head = protocol::head(&message).map_err(not_known)?;
        head.extend(stdin.unwrap_or_default());
        let (hold, input, output) = self.start(directory.as_ref()).map_err(|error| {
            ProcessError::Unavailable(format!("the program {program} cannot be supervised: {error}"))
        })?;
        // Its directory is open in the supervisor by now.
        drop(directory);
        let answer = converse(input, output, &head, output_bytes);
        let answer = match time_limit_ms {
            Some(limit) => tokio::time::timeout(Duration::from_millis(limit) + LATE, answer).await,
            // The call's own deadline drops this.
            None => Ok(answer.await),
        };
        hold.ended().await;
        match answer {
            Ok(Ok(Ok(completed))) => Ok(completed),
            Ok(Ok(Err(reason))) => {
                Err(ProcessError::Unavailable(format!("the program {program} cannot be started: {reason}")))
            }
            Ok(Err(error)) => Err(not_known(error)),
            Err(_elapsed) => Err(not_known(io::Error::other("its time is up, and its supervisor does not answer"))),
        }
    }

    /// A granted directory, or one below it. Symbolic links are followed as long as they stay inside of the grant.
    async fn directory(&self, guest: &str) -> Result<Dir, ProcessError> {
        let path: GuestPath = guest.parse().map_err(|error: GuestPathError| {
            ProcessError::Invalid(format!("the working directory is not one: {}", shortened(&error.to_string())))
        })?;
        let (mounts, path) = (self.mounts.clone(), path.as_str().to_owned());
        let opened = tokio::task::spawn_blocking(move || {
            let below =
                |mount: &OpenMount| below(mount.guest(), &path).map(|rest| (rest.to_owned(), mount.guest().len()));
            let found =
                mounts.iter().filter_map(|mount| Some((mount, below(mount)?))).max_by_key(|(_, (_, depth))| *depth);
            let (mount, (rest, _)) = found.ok_or_else(|| io::Error::other("no granted directory holds it"))?;
            if rest.is_empty() { mount.dir().try_clone() } else { mount.dir().open_dir(rest) }
        });
        let opened = opened.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        opened.map_err(|error| {
            ProcessError::Invalid(format!("the working directory {:?} cannot be used: {error}", shortened(guest)))
        })
    }

    fn start(&self, directory: Option<&Dir>) -> io::Result<(Hold, ChildStdin, ChildStdout)> {
        // The descriptor's own path: nobody can put another directory in its place. It is read in the new process, which
        // has this one's descriptors until it becomes another program.
        let directory = directory.map_or_else(|| PathBuf::from("/"), by_descriptor);
        let mut command = Command::new(&self.worker);
        command
            .args([WORKER, SUPERVISE])
            .env_clear()
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // Not killed when dropped: its input ends then, and it kills what it has started before it ends itself.
        self.holds.start(&mut command)
    }
}

#[cfg(unix)]
fn by_descriptor(directory: &Dir) -> PathBuf {
    use std::os::fd::{AsFd as _, AsRawFd as _};
    PathBuf::from(format!("/proc/self/fd/{}", directory.as_fd().as_raw_fd()))
}

/// What of `path` lies below `mount`: nothing, a relative path, or it does not.
fn below<'a>(mount: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(mount.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// What the supervisor says of the program: how it ended, or why it did not start.
async fn converse(
    mut input: ChildStdin,
    mut output: ChildStdout,
    head: &[u8],
    most: u64,
) -> io::Result<Result<Completed, String>> {
    // Kept open until the answer is in, and closed when this future is dropped: the supervisor then kills everything.
    input.write_all(head).await?;
    input.flush().await?;
    let mut length = [0; 4];
    output.read_exact(&mut length).await?;
    let mut json = vec![0; protocol::length(length, ANSWER_BYTES)?];
    output.read_exact(&mut json).await?;
    let (exit, timed_out, stdout, stderr) = match serde_json::from_slice(&json).map_err(io::Error::other)? {
        Answer::Ended { exit, timed_out, stdout, stderr } => (exit, timed_out, stdout, stderr),
        Answer::NotStarted(reason) => return Ok(Err(reason)),
    };
    let completed = Completed {
        exit: match exit {
            Exit::Code(code) => process::Exit::Code(code),
            Exit::Signal(signal) => process::Exit::Signal(signal),
        },
        timed_out,
        stdout: stream(&mut output, stdout.bytes, most).await?,
        stderr: stream(&mut output, stderr.bytes, most).await?,
        stdout_truncated: stdout.truncated,
        stderr_truncated: stderr.truncated,
    };
    drop(input);
    Ok(Ok(completed))
}

async fn stream(from: &mut (impl AsyncRead + Unpin), bytes: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if bytes > most || from.take(bytes).read_to_end(&mut kept).await? as u64 != bytes {
        return Err(io::Error::other("the output is not as announced"));
    }
    Ok(kept)
}

/// The beginning of a command, for the log: a tool may hand over megabytes that nobody will read.
fn shown(program: &str, args: &[String]) -> String {
    let mut command = String::new();
    for (index, word) in std::iter::once(program).chain(args.iter().map(String::as_str)).enumerate() {
        if index > 0 {
            command.push(' ');
        }
        let room = COMMAND_SHOWN.saturating_sub(command.len());
        command.push_str(&word[..word.floor_char_boundary(room)]);
        if room <= word.len() {
            break;
        }
    }
    command
}

/// What the system would not start is not even encoded.
fn too_long(args: &[String], env: &BTreeMap<String, String>) -> Result<(), ProcessError> {
    // Each string has a zero byte at its end and a pointer to it; a variable has an equals sign too.
    let args = args.iter().map(|arg| arg.len() + POINTER + 1);
    let env = env.iter().map(|(key, value)| key.len() + value.len() + POINTER + 2);
    let bytes: usize = args.chain(env).sum();
    if bytes <= COMMAND_BYTES {
        return Ok(());
    }
    Err(ProcessError::Invalid(format!(
        "the arguments and the environment take {bytes} bytes, and a program is started with at most {COMMAND_BYTES}; \
         pass less, or pass it on standard input"
    )))
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(SHOWN)]
}

/// The program and the arguments of a call that was denied before it was read.
pub(super) fn asked_for(params: &[Val]) -> Option<(&str, Vec<String>)> {
    let [Val::Record(fields)] = params else { return None };
    let field = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value);
    let (Some(Val::String(program)), Some(Val::List(args))) = (field("program"), field("args")) else { return None };
    let text = |value: &Val| if let Val::String(text) = value { Some(text.clone()) } else { None };
    Some((program, args.iter().map(text).collect::<Option<_>>()?))
}

impl process::Host for State {
    async fn run(&mut self, request: Request) -> wasmtime::Result<Result<Completed, ProcessError>> {
        // Where nothing is granted, a denial stands in place of this function.
        let Some((programs, decisions)) = self.programs() else {
            return Ok(Err(ProcessError::NotGranted("no program is granted".to_owned())));
        };
        self.meter.count_process_run()?;
        let most = self.meter.limits().value(LimitName::ProcessOutput);
        let output_bytes = request.output_bytes.unwrap_or(most).min(most);
        Ok(programs.run(request, output_bytes, &decisions).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_up_to_a_bound() {
        let args = |args: &[&str]| args.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown("git", &args(&[])), "git");
        assert_eq!(shown("git", &args(&["log", "", "a b"])), "git log  a b");
        let long = shown("git", &vec!["\u{fc}".repeat(1 << 20); 3]);
        assert!(long.len() <= COMMAND_SHOWN && long.starts_with("git \u{fc}"), "{long}");
        assert!(shown("git", &vec![String::new(); 1 << 20]).len() <= COMMAND_SHOWN + 1);
        assert!(shown(&"x".repeat(1 << 20), &[]).len() <= COMMAND_SHOWN);
    }

    #[test]
    fn a_command_that_no_system_would_start_is_refused() {
        let value = |bytes: usize| BTreeMap::from([("A".to_owned(), "x".repeat(bytes))]);
        let fits = COMMAND_BYTES - POINTER - 1;
        assert!(too_long(&["x".repeat(fits)], &BTreeMap::new()).is_ok());
        let Err(ProcessError::Invalid(text)) = too_long(&["x".repeat(fits + 1)], &BTreeMap::new()) else {
            panic!("one more byte passes")
        };
        assert!(text.contains("2097153 bytes") && text.contains("at most 2097152"), "{text}");
        assert!(too_long(&[], &value(fits - 2)).is_ok());
        assert!(too_long(&[], &value(fits - 1)).is_err());
        assert!(too_long(&["x".repeat(fits - 100)], &value(100)).is_err());
        // Empty ones take room too.
        assert!(too_long(&vec![String::new(); COMMAND_BYTES / 9], &BTreeMap::new()).is_ok());
        assert!(too_long(&vec![String::new(); COMMAND_BYTES / 9 + 1], &BTreeMap::new()).is_err());
    }

    #[test]
    fn a_path_lies_below_a_mount_by_whole_names() {
        let check = |mount: &str, path: &str, expect: Option<&str>| assert_eq!(below(mount, path), expect, "{path}");
        check("/", "/", Some(""));
        check("/", "/a/b", Some("a/b"));
        check("/data", "/data", Some(""));
        check("/data", "/data/a", Some("a"));
        check("/data", "/database", None);
        check("/data", "/", None);
        check("/data", "/dat", None);
    }
}
