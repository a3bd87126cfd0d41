//! An HTTP server with canned answers, on this machine alone.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

pub(crate) struct Server(TcpListener);

impl Server {
    /// On a port that nobody else has.
    pub(crate) fn bind() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// `http://127.0.0.1:PORT`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }

    /// Send the bytes that belong to each path, and 404 for others; note the paths. One request a connection.
    pub(crate) fn answer(self, answers: HashMap<String, Vec<u8>>) -> Arc<Mutex<Vec<String>>> {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in self.0.incoming() {
                let mut stream = stream.unwrap();
                let (mut request, mut byte) = (String::new(), [0]);
                while !request.ends_with("\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                    request.push(byte[0].into());
                }
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let none = b"HTTP/1.1 404 \r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec();
                let answer = answers.get(&path).unwrap_or(&none);
                log.lock().unwrap().push(path);
                // Who has read enough, hangs up.
                let _ = stream.write_all(answer);
            }
        });
        asked
    }
}
