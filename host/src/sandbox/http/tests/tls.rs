//! Whom a server has to be.

#[path = "../../../../../tests/support/self_signed.rs"]
mod self_signed;

use self_signed::acceptor;

use super::*;

/// A TLS server with a certificate for `name.test`; it gives the certificate, its port and the names it was asked for.
async fn start() -> (String, u16, Arc<Mutex<Vec<Option<String>>>>) {
    let (pem, acceptor) = acceptor("name.test");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let names = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&names);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate ends the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            log.lock().unwrap().push(stream.get_ref().1.server_name().map(ToOwned::to_owned));
            read_request(&mut stream).await;
            stream.write_all(OK.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    (pem, port, names)
}

#[tokio::test]
async fn a_server_is_who_a_root_says_it_is() {
    let (pem, port, names) = start().await;
    let check = async |roots: TlsRoots, host: &str, expect: &str| {
        let setup = Setup { roots, ..Setup::new(&[&format!("https://{host}:{port}/ GET 127.0.0.1")]) };
        assert_eq!(word(&setup.call().get(&format!("https://{host}:{port}/")).await), expect, "{host}");
    };
    let trusting = TlsRoots::with_pem(pem.as_bytes()).unwrap();
    check(trusting.clone(), "name.test", "200").await;
    assert_eq!(names.lock().unwrap().as_slice(), [Some("name.test".to_owned())]);
    check(TlsRoots::of_the_web().unwrap(), "name.test", "TlsCertificateError").await;
    check(trusting.clone(), "other.test", "TlsCertificateError").await;
    check(trusting, "127.0.0.1", "TlsCertificateError").await;
    assert_eq!(names.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn https_is_not_spoken_in_the_clear() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = vec![0; 4_096];
        let read = stream.read(&mut hello).await.unwrap();
        stream.write_all(OK.as_bytes()).await.unwrap();
        hello.truncate(read);
        hello
    });
    let mut call = Setup::new(&[&format!("{url} GET 127.0.0.1")]).call();
    assert_eq!(word(&call.get(&url).await), "TlsProtocolError");
    // A handshake record of TLS 1.0 to 1.3 (RFC 8446, section 5.1).
    assert_eq!(server.await.unwrap()[..2], [22, 3]);
}

#[test]
fn roots_that_are_none_are_refused() {
    assert!(TlsRoots::with_pem(b"").is_ok());
    for pem in [&b"x"[..], b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let error = TlsRoots::with_pem(pem).unwrap_err().to_string();
        assert!(error.contains("CERTIFICATE blocks"), "{error}");
    }
}
