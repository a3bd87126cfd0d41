//! An HTTP server with canned answers, on this machine alone.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

/// Longer than any request's head: our own client sends no more.
const MAX_HEAD: u64 = 128 << 10;

const NOT_FOUND: &[u8] = b"HTTP/1.1 404 \r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// On a port that nobody else has. It ends when this is dropped.
pub(super) struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    listening: Option<TcpListener>,
    task: Option<AbortHandle>,
}

impl Server {
    pub(super) async fn bind() -> io::Result<Self> {
        let listening = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listening.local_addr()?);
        Ok(Self { url, asked: Arc::default(), listening: Some(listening), task: None })
    }

    /// `http://127.0.0.1:PORT`.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Send the bytes that belong to each path, and 404 for others; note the paths. One request a connection, one
    /// connection after the other.
    pub(super) fn answer(&mut self, answers: BTreeMap<String, Vec<u8>>) {
        let Some(listening) = self.listening.take() else { return };
        let asked = Arc::clone(&self.asked);
        let task = tokio::spawn(async move {
            // Who has read enough, hangs up; who asks next is none the worse for it.
            while let Ok((stream, _)) = listening.accept().await {
                let _ = serve(stream, &answers, &asked).await;
            }
        });
        self.task = Some(task.abort_handle());
    }

    /// The paths that were asked for so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

async fn serve(stream: TcpStream, answers: &BTreeMap<String, Vec<u8>>, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut reading = tokio::io::BufReader::new(reading.take(MAX_HEAD));
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(reading.read_u8().await?);
    }
    let request = String::from_utf8_lossy(&request);
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let answer = answers.get(&path).map_or(NOT_FOUND, Vec::as_slice);
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    writing.write_all(answer).await?;
    writing.shutdown().await
}
