//! The supervisor: a process that runs one program, and ends when nothing of it is left.
//!
//! A program can fork, detach and ignore signals; a host that knows only its first process cannot kill the rest. So the
//! host starts itself once more as this: a process that adopts every orphan below it, and kills until it has no child.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, WaitOptions, getpid, set_child_subreaper, setrlimit, setsid, wait};

use super::descendants::{Found, Processes};
use super::protocol::{self, Answer, Exit, REQUEST_BYTES, Request, Stream, VERSION};

/// Between two passes over all processes while something is left. A pass costs about a millisecond itself.
const PASS: Duration = Duration::from_millis(1);
/// Between two passes at most, while they find the same processes: some cannot die yet, as one that waits for a disk.
const LONG_PASS: Duration = Duration::from_millis(100);
/// How long output may take to end once no process is left. Only a process that is none of ours, and was handed the pipe
/// by one that was, can hold it open longer.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The first descriptor that is no standard stream.
const FIRST_INHERITED: i32 = 3;

enum Event {
    /// The host is gone, or nobody waits for this run any more.
    HostGone,
    /// The program itself ended; what it started may go on.
    Ended(Exit),
    /// There is no child left, and so no descendant: orphans would have become children.
    NoneLeft,
    /// A stream of output ended.
    StreamEnded,
}

/// The whole of a supervisor. Reads a request from standard input, writes an answer to standard output.
pub(crate) fn supervise() -> ExitCode {
    // Errors here mean that the host is gone or is no host: nobody to tell but the exit status.
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_streams) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut input = io::stdin();
    let request: Request = protocol::read(&mut input, REQUEST_BYTES)?;
    let mut stdin = Vec::new();
    let announced = request.stdin_bytes.unwrap_or(0);
    input.take(announced).read_to_end(&mut stdin)?;
    if stdin.len() as u64 != announced {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if request.version != VERSION {
        let reason = "the host's own program was replaced while it ran; restart the host";
        return answer(&Answer::NotStarted(reason.to_owned()), &[]);
    }
    let processes = match prepare() {
        Ok(processes) => processes,
        Err(error) => return answer(&Answer::NotStarted(format!("it cannot be supervised: {error}")), &[]),
    };
    match Run::start(&request, stdin) {
        Ok(run) => run.finish(&processes, request.time_limit_ms),
        Err(error) => {
            // It may have started all the same, with nobody to hear of its end.
            kill_until_none_is_left(&processes);
            answer(&Answer::NotStarted(error.to_string()), &[])
        }
    }
}

/// Passes, closer together while they find anything new.
struct Passes<'a> {
    processes: &'a Processes,
    found: Found,
    wait: Duration,
}

impl<'a> Passes<'a> {
    fn over(processes: &'a Processes) -> Self {
        Self { processes, found: Found::default(), wait: PASS }
    }

    /// Kills once, and says how long to wait before the next time. A pass that fails, for want of a descriptor say, is
    /// followed by the next.
    fn kill(&mut self) -> Duration {
        let found = self.processes.kill_descendants().unwrap_or_default();
        self.wait = if found == self.found { (self.wait * 2).min(LONG_PASS) } else { PASS };
        self.found = found;
        self.wait
    }
}

/// For when no thread collects who ends.
fn kill_until_none_is_left(processes: &Processes) {
    let mut passes = Passes::over(processes);
    loop {
        let pause = passes.kill();
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => break,
                Err(_no_child) => return,
            }
        }
        thread::sleep(pause);
    }
}

/// What has to hold before anything is started.
fn prepare() -> io::Result<Processes> {
    // A session of its own, so that a program finds no terminal to write to or to read from.
    setsid()?;
    // What it starts has the rights of the host's user and gains none: no setuid file, no `sudo`. Else there could be
    // descendants that this process may not kill.
    capctl::prctl::set_no_new_privs()?;
    // A library in the host may have opened files without the mark that closes them here; std's own have it.
    close_fds::set_fds_cloexec(FIRST_INHERITED, &[]);
    set_child_subreaper(Some(getpid()))?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Processes::open()
}

struct Run {
    events: Receiver<Event>,
    started: Instant,
    stdout: Kept,
    stderr: Kept,
}

impl Run {
    fn start(request: &Request, stdin: Vec<u8>) -> io::Result<Self> {
        let (tell, events) = channel();
        watch_host(tell.clone())?;
        let mut child = Command::new(&request.path)
            .args(&request.args)
            .env_clear()
            .envs(&request.env)
            .stdin(if request.stdin_bytes.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // What it sends to its own group does not reach the supervisor.
            .process_group(0)
            .spawn()?;
        let started = Instant::now();
        let (stdout, stderr) = (Kept::new(request.output_bytes), Kept::new(request.output_bytes));
        feed(&mut child, stdin)?;
        if let Some(stream) = child.stdout.take() {
            stdout.keep(stream, tell.clone())?;
        }
        if let Some(stream) = child.stderr.take() {
            stderr.keep(stream, tell.clone())?;
        }
        let main = Pid::from_child(&child);
        in_a_thread(move || reap(main, &tell))?;
        Ok(Self { events, started, stdout, stderr })
    }

    fn finish(self, processes: &Processes, time_limit_ms: Option<u64>) -> io::Result<()> {
        let deadline = time_limit_ms.map(Duration::from_millis).and_then(|limit| self.started.checked_add(limit));
        let (mut exit, mut open, mut timed_out, mut wanted) = (None, 2, false, true);
        // Until there is a reason to kill.
        while wanted && exit.is_none() && !timed_out {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match self.next(left) {
                Ok(Event::Ended(how)) => exit = Some(how),
                Ok(Event::HostGone) | Err(RecvTimeoutError::Disconnected) => wanted = false,
                Ok(Event::StreamEnded) => open -= 1,
                // After the end of the program itself, which was told before.
                Ok(Event::NoneLeft) => {}
                Err(RecvTimeoutError::Timeout) => timed_out = true,
            }
        }
        // Until nothing is left. There is no giving up: as long as something runs, somebody has to be after it.
        // Mostly, a program that ended has left nobody, and that is told at once.
        let mut pause = if exit.is_some() { PASS } else { Duration::ZERO };
        let mut passes = Passes::over(processes);
        loop {
            match self.next(Some(pause)) {
                Ok(Event::Ended(how)) => exit = Some(how),
                Ok(Event::NoneLeft) => break,
                Ok(Event::StreamEnded) => open -= 1,
                Ok(Event::HostGone) => wanted = false,
                Err(_passed) => pause = passes.kill(),
            }
        }
        if !wanted {
            return Ok(());
        }
        let last = Instant::now() + LAST_WORDS;
        while open > 0 {
            match self.next(Some(last.saturating_duration_since(Instant::now()))) {
                Ok(Event::StreamEnded) => open -= 1,
                Ok(Event::HostGone) => return Ok(()),
                Ok(_) => {}
                Err(_passed) => break,
            }
        }
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        let stream = |kept: &Bytes| Stream { bytes: kept.bytes.len() as u64, truncated: kept.truncated || !kept.ended };
        let exit = exit.ok_or_else(|| io::Error::other("the program ended and nobody saw how"))?;
        let message = Answer::Ended { exit, timed_out, stdout: stream(&stdout), stderr: stream(&stderr) };
        answer(&message, &[&stdout.bytes, &stderr.bytes])
    }

    fn next(&self, wait: Option<Duration>) -> Result<Event, RecvTimeoutError> {
        match wait {
            Some(wait) => self.events.recv_timeout(wait),
            None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }
}

/// Other than `thread::spawn`, this does not panic where there is no room for a thread: what runs must be killed.
fn in_a_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// The end of standard input tells that the host is gone, however it ended.
fn watch_host(tell: Sender<Event>) -> io::Result<()> {
    in_a_thread(move || {
        let _end_or_noise = io::stdin().read(&mut [0]);
        let _ended = tell.send(Event::HostGone);
    })
}

/// Collects whoever ends, until nobody is left.
fn reap(main: Pid, tell: &Sender<Event>) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == main => {
                let exit = match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Exit::Code(code),
                    (None, Some(signal)) => Exit::Signal(signal),
                    // Stopped or continued: not asked for, not told.
                    (None, None) => continue,
                };
                let _ended = tell.send(Event::Ended(exit));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_none) => {
                let _ended = tell.send(Event::NoneLeft);
                return;
            }
        }
    }
}

/// A program that does not read its input blocks this thread, and nothing else.
fn feed(child: &mut Child, bytes: Vec<u8>) -> io::Result<()> {
    let Some(mut stdin) = child.stdin.take() else { return Ok(()) };
    in_a_thread(move || {
        let _not_read = stdin.write_all(&bytes);
    })
}

#[derive(Default)]
struct Bytes {
    bytes: Vec<u8>,
    truncated: bool,
    ended: bool,
}

/// The first bytes of a stream, while somebody reads on.
#[derive(Clone)]
struct Kept {
    most: u64,
    so_far: Arc<Mutex<Bytes>>,
}

impl Kept {
    fn new(most: u64) -> Self {
        Self { most, so_far: Arc::default() }
    }

    /// Keeps what there is room for and drops the rest: a program that writes without end neither blocks nor fills memory.
    fn keep(&self, mut stream: impl Read + Send + 'static, tell: Sender<Event>) -> io::Result<()> {
        let kept = self.clone();
        in_a_thread(move || {
            let mut part = vec![0; 64 << 10];
            loop {
                match stream.read(&mut part) {
                    Ok(0) => break,
                    Ok(count) => kept.add(&part[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_broken) => break,
                }
            }
            kept.lock().ended = true;
            let _ended = tell.send(Event::StreamEnded);
        })
    }

    fn add(&self, part: &[u8]) {
        let mut kept = self.lock();
        let room = usize::try_from(self.most).unwrap_or(usize::MAX).saturating_sub(kept.bytes.len());
        let fits = part.len().min(room);
        kept.bytes.extend_from_slice(&part[..fits]);
        kept.truncated |= fits < part.len();
    }

    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Bytes> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer(message: &Answer, streams: &[&[u8]]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(&protocol::head(message)?)?;
    for stream in streams {
        output.write_all(stream)?;
    }
    output.flush()
}
