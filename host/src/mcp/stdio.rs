//! Standard input and output as the wire.
//!
//! Where they are pipes or sockets, as a client makes them, they are read and written by the runtime itself: a message
//! crosses no thread on its way in or out. Answers that are ready together leave in one write.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage, JsonRpcNotification,
    JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rustix::fs::FileType;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::{Mutex, Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::lines::{Line, Lines, line};
use super::message::{self, Malformed};

/// How much a thread reads at once from what the runtime cannot wait for.
const CHUNK: usize = 64 << 10;

/// Standard input and output, or two other open files, as a transport. Take it once in a process.
pub struct Stdio {
    input: Input,
    lines: Lines,
    output: Arc<Output>,
}

enum Input {
    Pipe(pipe::Receiver),
    Socket(UnixStream),
    /// A terminal or a file: read by a thread of its own.
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
}

/// Answers that wait for a client to read them: past this, none of its messages is read.
const MOST_WAITING: usize = 8 << 20;
/// Requests that are being answered: past this, the next one waits. Each holds its arguments, and a place in the queue for
/// an instance.
const MOST_OPEN: usize = 1_024;
/// Requests for being told of changes, of one client.
const MOST_LISTENING: usize = 16;

struct Output {
    /// Whole lines that wait for their turn.
    waiting: StdMutex<Vec<u8>>,
    /// Requests without an answer yet, and whether they are for being told of changes: those have none for long.
    open: StdMutex<HashMap<RequestId, bool>>,
    /// Told whenever one of the two becomes less.
    less: Notify,
    to: Mutex<Sink>,
    /// Cancelled when the reader is gone: nobody waits for an answer any more.
    gone: CancellationToken,
}

enum Sink {
    Pipe(pipe::Sender),
    Socket(UnixStream),
    File(Arc<std::fs::File>),
}

impl Stdio {
    /// Standard input and output of this process. Needs a tokio runtime with I/O enabled.
    ///
    /// # Errors
    /// One of the two is closed.
    pub fn new() -> io::Result<Self> {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        Self::of(input, output)
    }

    /// Two open files.
    ///
    /// # Errors
    /// The runtime cannot wait for one of them.
    pub fn of(input: OwnedFd, output: OwnedFd) -> io::Result<Self> {
        let input = match file_type(&input)? {
            // Opened anew: whether it blocks is a property that others may share, a shell for one.
            FileType::Fifo => match pipe::OpenOptions::new().open_receiver(again(&input)) {
                Ok(pipe) => Input::Pipe(pipe),
                Err(_) => Input::Pipe(pipe::Receiver::from_owned_fd(input)?),
            },
            FileType::Socket => Input::Socket(socket(input)?),
            _ => Input::Thread(read_in_a_thread(input)),
        };
        let to = match file_type(&output)? {
            FileType::Fifo => match pipe::OpenOptions::new().open_sender(again(&output)) {
                Ok(pipe) => Sink::Pipe(pipe),
                Err(_) => Sink::Pipe(pipe::Sender::from_owned_fd(output)?),
            },
            FileType::Socket => Sink::Socket(socket(output)?),
            _ => Sink::File(Arc::new(output.into())),
        };
        let output = Output {
            waiting: StdMutex::default(),
            open: StdMutex::default(),
            less: Notify::new(),
            to: Mutex::new(to),
            gone: CancellationToken::new(),
        };
        Ok(Self { input, lines: Lines::default(), output: Arc::new(output) })
    }

    /// Cancelled when nobody reads the answers any more.
    pub(super) fn gone(&self) -> CancellationToken {
        self.output.gone.clone()
    }

    /// Read more. `false` at the end. Safe to drop at any time: what was read is kept.
    async fn more(&mut self) -> bool {
        let room = self.lines.room();
        let read = match &mut self.input {
            Input::Pipe(pipe) => pipe.read_buf(room).await,
            Input::Socket(socket) => socket.read_buf(room).await,
            Input::Thread(chunks) => match chunks.recv().await {
                Some(Ok(chunk)) => {
                    room.extend_from_slice(&chunk);
                    Ok(chunk.len())
                }
                Some(Err(error)) => Err(error),
                None => Ok(0),
            },
        };
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "standard input cannot be read");
            0
        }) > 0
    }

    /// Tell the client what it sent that is no message.
    fn answer(&self, Malformed { id, error }: Malformed) {
        self.output.push(&ServerJsonRpcMessage::error(*error, id));
        self.flushing();
    }

    /// Writes what waits, also where nobody waits for that: no line is left half written.
    fn flushing(&self) -> JoinHandle<io::Result<()>> {
        let output = self.output.clone();
        tokio::spawn(async move { output.flush().await })
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(response) => self.output.answered(&response.id),
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => self.output.answered(id),
            _ => {}
        }
        self.output.push(&message);
        let output = self.output.clone();
        async move { output.flush().await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.output.room().await;
            let line = match self.lines.next() {
                Some(line) => line,
                None if self.more().await => continue,
                None => match self.lines.rest() {
                    Some(line) => line,
                    None => {
                        // Whoever ended its input may still read, and the process ends next.
                        let _ = self.flushing().await;
                        return None;
                    }
                },
            };
            let read = match line {
                Line::Whole(text) => message::read(&text),
                Line::TooLong => Err(message::too_long()),
            };
            match read {
                Ok(message) => match self.output.count(&message) {
                    Ok(()) => return Some(message),
                    Err(malformed) => self.answer(malformed),
                },
                Err(malformed) => self.answer(malformed),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.flush().await
    }
}

impl Output {
    fn push(&self, message: &ServerJsonRpcMessage) {
        match line(message) {
            Ok(line) => self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&line),
            // Everything in an answer is a string, a number or made of them.
            Err(error) => tracing::error!(%error, "an answer cannot be written as JSON"),
        }
    }

    /// Take note of a request, until its answer.
    fn count(&self, message: &RxJsonRpcMessage<RoleServer>) -> Result<(), Malformed> {
        match message {
            JsonRpcMessage::Request(JsonRpcRequest { id, request, .. }) => {
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                let refuse = |what: &str| {
                    let error = Box::new(ErrorData::new(ErrorCode::INVALID_REQUEST, what.to_owned(), None));
                    Err(Malformed { id: Some(id.clone()), error })
                };
                let listens = matches!(request, ClientRequest::SubscriptionsListenRequest(_));
                if open.contains_key(id) {
                    return refuse("a request with this id has no answer yet: ids are used once");
                }
                if listens && open.values().filter(|listens| **listens).count() >= MOST_LISTENING {
                    return refuse("this connection listens often enough");
                }
                open.insert(id.clone(), listens);
            }
            // It gets no answer.
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(cancelled),
                ..
            }) => {
                if let Some(id) = &cancelled.params.request_id {
                    self.answered(id);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn answered(&self, id: &RequestId) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.less.notify_one();
    }

    /// Requests that are being answered.
    fn at_work(&self) -> usize {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().filter(|listens| !**listens).count()
    }

    /// Wait until another message can be taken on.
    async fn room(&self) {
        loop {
            let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).len();
            let open = self.at_work();
            if self.gone.is_cancelled() || (waiting < MOST_WAITING && open < MOST_OPEN) {
                return;
            }
            tokio::select! {
                () = self.less.notified() => {}
                () = self.gone.cancelled() => {}
            }
        }
    }

    /// Write what waits. Whoever comes first writes for all.
    async fn flush(&self) -> io::Result<()> {
        let mut to = self.to.lock().await;
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if waiting.is_empty() {
            return Ok(());
        }
        let written = match &mut *to {
            Sink::Pipe(pipe) => pipe.write_all(&waiting).await,
            Sink::Socket(socket) => socket.write_all(&waiting).await,
            Sink::File(file) => {
                let file = file.clone();
                let work = move || io::Write::write_all(&mut &*file, &waiting);
                tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
            }
        };
        self.less.notify_one();
        if written.is_err() {
            self.gone.cancel();
        }
        written
    }
}

fn file_type(file: &impl AsFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode))
}

/// The name under which a process can open a file that it has open.
fn again(file: &OwnedFd) -> String {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn socket(file: OwnedFd) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(file);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

fn read_in_a_thread(file: OwnedFd) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (tx, rx) = mpsc::channel(1);
    let mut file = std::fs::File::from(file);
    std::thread::spawn(move || {
        loop {
            let mut chunk = vec![0; CHUNK];
            let read = io::Read::read(&mut file, &mut chunk).map(|read| chunk.truncate(read));
            let ended = read.is_err() || chunk.is_empty();
            if tx.blocking_send(read.map(|()| chunk)).is_err() || ended {
                break;
            }
        }
    });
    rx
}
