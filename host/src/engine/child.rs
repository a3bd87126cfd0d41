//! The host's side of a compile worker: start it, feed it, bound it, understand how it ended.

use std::{
    os::unix::process::ExitStatusExt,
    path::Path,
    pin::pin,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Instant,
};

use rustix::process::Signal;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, Command},
    task::JoinSet,
};

use super::{
    compile::{Budget, LocalError},
    config::Recipe,
    error::{CompileError, CompileLimit},
    protocol::{Answer, Request, Status},
    worker::{COMPILE, WORKER},
};

/// The most of a worker's standard error that is kept: room for a panic with its backtrace.
const LOG_BYTES: u64 = 8 << 10;

/// The most of an answer that is no code. The worker cuts messages at 4 KiB.
const MESSAGE_BYTES: u64 = 8 << 10;

/// One attempt at one component.
pub(super) struct Job<'a> {
    pub(super) program: &'a Path,
    pub(super) recipe: Recipe,
    pub(super) identity: [u8; 32],
    pub(super) budget: Budget,
}

/// What came out of the worker's standard output.
enum Said {
    Nothing,
    Answer(Status, Vec<u8>),
    Garbage(String),
    TooLarge(u64),
}

impl Job<'_> {
    /// Native code for `wasm`. When this future is dropped, the worker is killed.
    pub(super) async fn run(&self, wasm: &Arc<[u8]>) -> Result<Vec<u8>, CompileError> {
        let started = Instant::now();
        let mut child = self.start()?;
        match tokio::time::timeout(self.budget.wall(), self.converse(&mut child, wasm)).await {
            Ok(result) => result,
            // `child` is killed as it drops.
            Err(_elapsed) => {
                let used = format!("still compiling after {} ms", started.elapsed().as_millis());
                Err(self.budget.exceeded(CompileLimit::Wall, used))
            }
        }
    }

    fn start(&self) -> Result<Child, CompileError> {
        Command::new(self.program)
            .args([WORKER, COMPILE])
            .env_clear()
            // Each arena of glibc reserves 64 MiB of the worker's bounded address space, and there is one per thread.
            .env("MALLOC_ARENA_MAX", "2")
            .current_dir("/")
            // Ctrl-C is the host's to answer: it reaches every process of the terminal's group.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| CompileError::Start { program: self.program.to_owned(), source: Arc::new(source) })
    }

    async fn converse(&self, child: &mut Child, wasm: &[u8]) -> Result<Vec<u8>, CompileError> {
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(self.protocol("its streams are missing", String::new()));
        };
        // A set, because it ends its task when dropped: a cancelled compile leaves nothing behind.
        let mut log = JoinSet::new();
        log.spawn(first_bytes(stderr));
        let (mut feed, mut listen) = (pin!(self.feed(stdin, wasm)), pin!(self.listen(stdout)));
        let said = tokio::select! {
            // Answered before it took all of its input: no need to wait until it does.
            said = &mut listen => said,
            // The input stays open until the answer is in: its end tells the worker to end.
            _open = &mut feed => listen.await,
        };
        match &said {
            Said::Garbage(fault) => return Err(self.protocol(fault, String::new())),
            Said::TooLarge(bytes) => {
                return Err(self.budget.exceeded(CompileLimit::Artifact, format!("{bytes} bytes of code")));
            }
            Said::Answer(..) | Said::Nothing => {}
        }
        let status =
            child.wait().await.map_err(|error| self.protocol(format!("cannot wait: {error}"), String::new()))?;
        let log = log.join_next().await.and_then(Result::ok).unwrap_or_default();
        match said {
            Said::Answer(kind, body) if status.success() => self.understand(kind, body, log),
            _ => Err(self.autopsy(status, log)),
        }
    }

    /// Write errors mean that the worker ended early: its status says why.
    async fn feed(&self, mut stdin: ChildStdin, wasm: &[u8]) -> Option<ChildStdin> {
        let request = Request {
            recipe: self.recipe,
            identity: self.identity,
            cpu_seconds: self.budget.cpu_seconds,
            address_space_bytes: self.budget.address_space_bytes,
            wasm_bytes: wasm.len() as u64,
        };
        stdin.write_all(&request.encode()).await.ok()?;
        stdin.write_all(wasm).await.ok()?;
        stdin.flush().await.ok()?;
        Some(stdin)
    }

    async fn listen(&self, mut stdout: impl AsyncRead + Unpin) -> Said {
        let mut header = Vec::new();
        if (&mut stdout).take(Answer::BYTES as u64).read_to_end(&mut header).await.is_err() || header.is_empty() {
            return Said::Nothing;
        }
        let Some(answer) = header.first_chunk().and_then(Answer::decode) else {
            return Said::Garbage("its answer does not begin as one".into());
        };
        let most = if answer.status == Status::Compiled { self.budget.artifact_bytes } else { MESSAGE_BYTES };
        if answer.body_bytes > most {
            return match answer.status {
                Status::Compiled => Said::TooLarge(answer.body_bytes),
                _ => Said::Garbage(format!("its message has {} bytes", answer.body_bytes)),
            };
        }
        let mut body = Vec::new();
        // One byte more than announced, to see whether there is more.
        match stdout.take(answer.body_bytes + 1).read_to_end(&mut body).await {
            Ok(_) if body.len() as u64 == answer.body_bytes => Said::Answer(answer.status, body),
            Ok(_) if body.len() as u64 > answer.body_bytes => {
                Said::Garbage("its answer is longer than announced".into())
            }
            _ => Said::Nothing,
        }
    }

    fn understand(&self, status: Status, body: Vec<u8>, log: String) -> Result<Vec<u8>, CompileError> {
        if status == Status::Compiled {
            return Ok(body);
        }
        let message = String::from_utf8_lossy(&body).into_owned();
        Err(match status {
            Status::Compiled | Status::Refused => LocalError::Refused(message).into(),
            Status::OutOfMemory => self.budget.exceeded(CompileLimit::AddressSpace, message),
            Status::Panicked => CompileError::Crashed { how: format!("panicked: {message}"), log },
            Status::OtherVersion => self.protocol(format!("its compiler is another one: {message}"), log),
            Status::BadRequest => self.protocol(message, log),
        })
    }

    /// Why a worker ended without an answer.
    fn autopsy(&self, status: ExitStatus, log: String) -> CompileError {
        match status.signal().and_then(Signal::from_named_raw) {
            Some(Signal::XCPU) => self.budget.exceeded(CompileLimit::Cpu, "still compiling when it was used up"),
            // The standard library's last words before it aborts.
            Some(Signal::ABORT) if log.contains("memory allocation of ") => {
                let words = log.lines().find(|line| line.contains("memory allocation of ")).unwrap_or_default();
                self.budget.exceeded(CompileLimit::AddressSpace, words.trim())
            }
            Some(Signal::KILL) => CompileError::Crashed {
                how: "was killed (signal 9): by an operator, or by the system for want of memory".into(),
                log,
            },
            _ if status.signal().is_some() => CompileError::Crashed { how: format!("died: {status}"), log },
            _ => self.protocol(format!("it ended with {status} and no whole answer"), log),
        }
    }

    fn protocol(&self, fault: impl Into<String>, log: String) -> CompileError {
        CompileError::Protocol { program: self.program.to_owned(), fault: fault.into(), log }
    }
}

/// Keeps the first [`LOG_BYTES`] and drains the rest, so that the worker never blocks on its log.
async fn first_bytes(mut stream: impl AsyncRead + Unpin) -> String {
    let mut kept = Vec::new();
    let whole = (&mut stream).take(LOG_BYTES).read_to_end(&mut kept).await;
    if whole.is_ok() {
        let _drained = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    }
    String::from_utf8_lossy(&kept).into_owned()
}
