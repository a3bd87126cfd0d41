//! A server that is a program of this machine: one message a line, over its standard input and output.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::lines::{Line, Lines, line};
use super::super::message;
use super::wire::{Answer, Ask, Broken, Heard, cancelled, heard, loose_id, quoted, too_long};
use super::{MountError, MountName};
use crate::ProgressSink;

/// Messages that wait for a server to read them. One that reads none makes calls wait, not memory grow.
const WAITING: usize = 64;
/// How long a program has to end once its input is closed.
const GRACE: Duration = Duration::from_secs(2);
/// Between two looks at whether it has.
const LOOK: Duration = Duration::from_millis(10);
/// What a server may send in [`A_MINUTE`] without an answer among it: sixteen messages of the greatest length.
const FLOOD: usize = 64 << 20;
const A_MINUTE: Duration = Duration::from_secs(60);
/// Lines of its standard error that are logged, and bytes of each. The log is the operator's, and so is its disk.
const LOGGED: (usize, usize) = (1_000, 1 << 10);

/// A program to start. It gets no variable of this process's environment, and no file but its three streams.
#[derive(Clone)]
pub struct ChildServer {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    origin: String,
}

/// Arguments and variables may hold secrets.
impl std::fmt::Debug for ChildServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChildServer").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl ChildServer {
    /// This program with these arguments. A name without a slash is looked for in the `PATH` it is given with
    /// [`Self::env`], or else in `/bin` and `/usr/bin`.
    pub fn new<A: Into<OsString>>(program: impl Into<OsString>, args: impl IntoIterator<Item = A>) -> Self {
        let program = program.into();
        // Arguments may hold a secret, and a path says more of the machine than a listing should.
        let origin = std::path::Path::new(&program).file_name().unwrap_or(&program);
        let origin = origin.to_string_lossy().escape_debug().to_string();
        Self { program, args: args.into_iter().map(Into::into).collect(), env: Vec::new(), directory: None, origin }
    }

    /// Give it one variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Start it in this directory, and not in that of this process.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    pub(super) fn origin(&self) -> &str {
        &self.origin
    }
}

/// A running program. It ends when this is dropped: with its input closed, and by force two seconds later.
pub(super) struct Channel {
    calls: Arc<Calls>,
    outgoing: mpsc::Sender<Vec<u8>>,
    last_id: AtomicU64,
    stop: CancellationToken,
    _stop: DropGuard,
    /// Cancelled once the program and its group are dead.
    dead: CancellationToken,
}

/// Those who wait for an answer.
struct Calls(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    by_id: HashMap<u64, Waiter>,
    /// Why no answer will come any more.
    ended: Option<String>,
    /// Whether it reads no more. What it has read it may still answer.
    deaf: bool,
}

struct Waiter {
    reply: oneshot::Sender<Result<Answer, Broken>>,
    progress: Option<ProgressSink>,
}

impl Channel {
    pub(super) fn start(name: &MountName, server: &ChildServer) -> Result<Self, MountError> {
        let ChildServer { program, args, env, directory, .. } = server;
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(env.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        // Its standard output is not ours: in stdio mode ours is the wire.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let spawned = command.process_group(0).kill_on_drop(true).spawn();
        let mut child = spawned.map_err(|error| {
            let hint = match error.kind() {
                std::io::ErrorKind::NotFound => "; write its whole path, or give it a PATH to be found in",
                _ => "",
            };
            MountError::Unavailable(format!("{} cannot be started: {error}{hint}", program.display()))
        })?;
        let (Some(input), Some(output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(MountError::Unavailable("it has no streams".to_owned()));
        };
        let group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
        let calls = Arc::new(Calls(Mutex::default()));
        let (outgoing, queue) = mpsc::channel(WAITING);
        let (stop, dead) = (CancellationToken::new(), CancellationToken::new());
        let work = {
            let died = dead.clone().drop_guard();
            let (calls, answers, stop) = (calls.clone(), outgoing.downgrade(), stop.clone());
            let log = log(name.clone(), errors);
            async move {
                let why = tokio::select! {
                    () = stop.cancelled() => "it was told to end".to_owned(),
                    why = read(output, &calls, answers) => why,
                    never = async { tokio::join!(write(input, queue, &calls), log) } => match never.0 {},
                };
                calls.end(&why);
                reap(child, group).await;
                drop(died);
            }
        };
        tokio::spawn(work);
        Ok(Self { calls, outgoing, last_id: AtomicU64::new(0), stop: stop.clone(), _stop: stop.drop_guard(), dead })
    }

    /// End the program, and wait until it has.
    pub(super) async fn close(&self) {
        self.stop.cancel();
        self.dead.cancelled().await;
    }

    pub(super) fn is_gone(&self) -> bool {
        let calls = self.calls.lock();
        calls.deaf || calls.ended.is_some()
    }

    pub(super) async fn ask(&self, ask: Ask) -> Result<Answer, Broken> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let text = line(&ask.message(id)).map_err(|error| Broken::Gone(error.to_string()))?;
        let (reply, answer) = oneshot::channel();
        self.calls.wait(id, Waiter { reply, progress: ask.progress })?;
        let mut asked = Asked { channel: self, id, sent: false };
        self.outgoing.send(text).await.map_err(|_| self.calls.gone())?;
        asked.sent = true;
        let answer = answer.await;
        asked.sent = false;
        answer.unwrap_or_else(|_| Err(self.calls.gone()))
    }

    pub(super) async fn tell(&self, message: Value) -> Result<(), Broken> {
        let text = line(&message).map_err(|error| Broken::Gone(error.to_string()))?;
        self.outgoing.send(text).await.map_err(|_| self.calls.gone())
    }
}

/// Tells the server, when it is dropped, that nobody waits any more.
struct Asked<'a> {
    channel: &'a Channel,
    id: u64,
    /// And is not answered.
    sent: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.channel.calls.lock().by_id.remove(&self.id);
        if self.sent
            && let Ok(text) = line(&cancelled(self.id))
        {
            // A server that reads nothing is not told.
            let _ = self.channel.outgoing.try_send(text);
        }
    }
}

impl Calls {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, id: u64, waiter: Waiter) -> Result<(), Broken> {
        let mut waiting = self.lock();
        if let Some(why) = &waiting.ended {
            return Err(Broken::Gone(why.clone()));
        }
        waiting.by_id.insert(id, waiter);
        Ok(())
    }

    fn gone(&self) -> Broken {
        Broken::Gone(self.lock().ended.clone().unwrap_or_else(|| "it reads no more".to_owned()))
    }

    fn end(&self, why: &str) {
        let mut waiting = self.lock();
        waiting.ended = Some(why.to_owned());
        waiting.by_id.drain().for_each(|(_, waiter)| {
            let _ = waiter.reply.send(Err(Broken::Gone(why.to_owned())));
        });
    }

    /// Whether somebody waited for it.
    fn answer(&self, id: u64, answer: Result<Answer, Broken>) -> bool {
        match self.lock().by_id.remove(&id) {
            Some(waiter) => waiter.reply.send(answer).is_ok(),
            None => {
                tracing::debug!(id, "an answer that nobody waits for");
                false
            }
        }
    }

    /// It cannot be told whose answer this was. Whether somebody waited for one.
    fn answer_all(&self, broken: &Broken) -> bool {
        self.lock()
            .by_id
            .drain()
            .map(|(_, waiter)| waiter.reply.send(Err(broken.clone())))
            .filter(Result::is_ok)
            .count()
            > 0
    }

    /// Takes one line; what to send back, if anything. `true`: it was somebody's answer.
    fn hear(&self, text: &[u8]) -> (bool, Option<Value>) {
        // What programs print that think they talk to a person. It answers nobody, and is no broken answer either.
        if text.trim_ascii_start().first() != Some(&b'{') {
            tracing::debug!(text = %shown(text), "a line that is no message");
            return (false, None);
        }
        let json = match message::json(text) {
            Ok(json) => json,
            Err(error) => {
                let broken = Broken::Malformed(format!("the server's answer cannot be used: {error}"));
                let heard = match loose_id(text) {
                    Some(id) => self.answer(id, Err(broken)),
                    None => self.answer_all(&broken),
                };
                return (heard, None);
            }
        };
        match heard(json.value()) {
            Heard::Answer(id, answer) => {
                return (self.answer(id, Ok(answer)), None);
            }
            Heard::Progress(id, progress) => {
                let sink = self.lock().by_id.get(&id).and_then(|waiter| waiter.progress.clone());
                if let Some(sink) = sink {
                    sink(progress);
                }
            }
            Heard::Asked(answer) => return (false, Some(answer)),
            Heard::Other => {}
        }
        (false, None)
    }
}

/// Reads until there is nothing more, and says why.
async fn read(mut output: impl AsyncRead + Unpin, calls: &Calls, answers: mpsc::WeakSender<Vec<u8>>) -> String {
    let mut lines = Lines::default();
    let (mut since, mut unanswered) = (Instant::now(), 0);
    loop {
        let ended = match output.read_buf(lines.room()).await {
            Ok(0) => Some("it ended, or closed its output".to_owned()),
            Ok(read) => {
                if since.elapsed() > A_MINUTE {
                    (since, unanswered) = (Instant::now(), 0);
                }
                unanswered += read;
                None
            }
            Err(error) => Some(format!("its output cannot be read: {error}")),
        };
        let rest = |lines: &mut Lines| if ended.is_some() { lines.rest() } else { None };
        while let Some(read) = lines.next().or_else(|| rest(&mut lines)) {
            let (answered, answer) = match read {
                Line::Whole(text) => calls.hear(&text),
                Line::TooLong => {
                    calls.answer_all(&too_long());
                    (false, None)
                }
            };
            if answered {
                unanswered = 0;
            }
            if let (Some(answer), Some(answers)) = (answer, answers.upgrade())
                && let Ok(text) = line(&answer)
                && answers.try_send(text).is_err()
            {
                return "it asks and does not read the answers".to_owned();
            }
        }
        if let Some(ended) = ended {
            return ended;
        }
        if unanswered > FLOOD {
            return format!("it sent over {FLOOD} bytes that nobody asked for");
        }
    }
}

/// Writes what is queued. It does not end: a program that closed its input may still answer.
async fn write(mut input: ChildStdin, mut queue: mpsc::Receiver<Vec<u8>>, calls: &Calls) -> std::convert::Infallible {
    while let Some(text) = queue.recv().await {
        if input.write_all(&text).await.is_err() {
            // Whoever sends more is told, and the next call starts another.
            calls.lock().deaf = true;
            queue.close();
            break;
        }
    }
    std::future::pending().await
}

/// What it writes to its standard error, for the operator's log.
async fn log(name: MountName, mut errors: impl AsyncRead + Unpin) {
    let (most, width) = LOGGED;
    let (mut logged, mut line, mut chunk) = (0, Vec::new(), vec![0; 8 << 10]);
    while let Ok(read @ 1..) = errors.read(&mut chunk).await {
        if logged > most {
            continue;
        }
        for &byte in &chunk[..read] {
            if byte != b'\n' && line.len() < width {
                line.push(byte);
            } else if byte == b'\n' && !line.is_empty() {
                logged += 1;
                if logged <= most {
                    tracing::info!(mounted = %name, sandboxed = false, stderr = %shown(&line), "the server says");
                }
                line.clear();
            }
        }
        if logged > most {
            tracing::info!(mounted = %name, "it says more, which is not logged");
        }
    }
}

fn shown(text: &[u8]) -> String {
    quoted(String::from_utf8_lossy(&text[..text.len().min(LOGGED.1)]).trim_end()).escape_debug().to_string()
}

/// All processes that the program started and that stayed in its group. They end with this.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Wait until the program has ended, or make it. Until its group is dead it is not reaped: its id is nobody else's.
async fn reap(mut child: Child, group: Group) {
    let ended = async {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while let Some(pid) = group.0 {
            match rustix::process::waitid(WaitId::Pid(pid), options) {
                Ok(None) => tokio::time::sleep(LOOK).await,
                Ok(Some(_)) | Err(_) => break,
            }
        }
    };
    let _ = tokio::time::timeout(GRACE, ended).await;
    drop(group);
    match child.wait().await {
        Ok(status) => tracing::info!(%status, "a mounted server has ended"),
        Err(error) => tracing::warn!(%error, "a mounted server cannot be waited for"),
    }
}
