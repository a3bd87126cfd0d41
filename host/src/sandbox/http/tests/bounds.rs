//! How much may go out and come in, and for how long it is waited.

use std::time::Duration;

use super::*;

fn post(url: &str, length: Option<&str>, text: &str) -> Request<WasiBody> {
    let request = Request::builder().method("POST").uri(url);
    match length {
        Some(length) => request.header("content-length", length),
        None => request,
    }
    .body(body(text))
    .unwrap()
}

#[tokio::test]
async fn a_request_body_ends_at_its_bound() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()]).bounds(|bounds| bounds.request_body_bytes = 8).call();
    assert_eq!(word(&call.send(post(&server.url("/"), None, "12345678")).await), "200");
    assert!(server.requests()[0].ends_with("\r\n\r\n12345678"), "{:?}", server.requests());
    let answer = call.send(post(&server.url("/"), None, "123456789")).await;
    assert_eq!(word(&answer), "HttpRequestBodySize(Some(9))");
    let answer = call.send(post(&server.url("/"), Some("9"), "123456789")).await;
    assert_eq!(word(&answer), "HttpRequestBodySize(Some(9))");
}

#[tokio::test]
async fn a_request_body_is_as_long_as_it_says() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()]).call();
    assert_eq!(word(&call.send(post(&server.url("/"), Some("5"), "12345")).await), "200");
    for length in ["4", "6"] {
        let answer = call.send(post(&server.url("/"), Some(length), "12345")).await;
        assert_eq!(word(&answer), "HttpRequestBodySize(Some(5))", "{length}");
    }
    // One that says it is empty is not even looked at.
    let request = post(&server.url("/"), Some("0"), "GET /evil HTTP/1.1\r\n\r\n");
    assert_eq!(word(&call.send(request).await), "200");
    assert!(server.requests().iter().all(|request| !request.contains("evil")));
}

#[tokio::test]
async fn response_headers_end_at_their_bounds() {
    let check = async |headers: String, expect: &str| {
        let server = Server::start(format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n{headers}\r\n")).await;
        let mut call = Setup::new(&[&server.grant()]).bounds(|bounds| bounds.response_headers = 10).call();
        let word = word(&call.get(&server.url("/")).await);
        assert!(word.starts_with(expect), "{word}");
    };
    check("a: b\r\n".repeat(9), "200").await;
    check("a: b\r\n".repeat(10), "Http").await;
    check(format!("a: {}\r\n", "b".repeat(60 << 10)), "200").await;
    check(format!("a: {}\r\n", "b".repeat(70 << 10)), "HttpResponseHeaderSectionSize").await;
    check("a: b\r\n c\r\n".to_owned(), "HttpProtocolError").await;
}

#[tokio::test]
async fn a_response_body_ends_at_its_bound() {
    let check = async |reply: String, expect: &str| {
        let server = Server::start(reply).await;
        let mut call = Setup::new(&[&server.grant()]).bounds(|bounds| bounds.response_body_bytes = 10).call();
        assert_eq!(word(&call.get(&server.url("/")).await), expect);
    };
    check("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n1234567890".to_owned(), "200").await;
    check("HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n12345678901".to_owned(), "HttpResponseBodySize(Some(11))")
        .await;
    check(chunked("", ["12345", "67890"]), "200").await;
    check(chunked("", ["12345", "678901"]), "body: HttpResponseBodySize(Some(10))").await;
    check("HTTP/1.1 200 OK\r\n\r\n1234567890".to_owned(), "200").await;
    check("HTTP/1.1 200 OK\r\n\r\n12345678901".to_owned(), "body: HttpResponseBodySize(Some(10))").await;
}

#[tokio::test]
async fn a_lying_response_is_no_response() {
    let check = async |reply: &str, expect: &str| {
        let server = Server::start(reply).await;
        let mut call = Setup::new(&[&server.grant()]).call();
        let answer = call.get(&server.url("/")).await;
        assert_eq!(word(&answer), expect, "{reply:?}");
        answer
    };
    check("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345", "body: HttpResponseIncomplete").await.unwrap();
    let answer = check("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n12345", "200").await.unwrap();
    assert_eq!(answer.body.unwrap(), "12");
    let lengths = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 2\r\n\r\n12345";
    check(lengths, "HttpProtocolError").await.unwrap_err();
    let coded = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check(coded, "HttpResponseTransferCoding(Some(\"gzip, chunked\"))").await.unwrap_err();
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for chunks in ["FFFFFFFFFFFFFFFFF\r\nx", "-1\r\nx", "2\r\nokX", "2\r\nok\r\n"] {
        let answer = check_start(&format!("{head}{chunks}")).await;
        assert!(answer.starts_with("body: Http"), "{chunks}: {answer}");
    }
    check(&chunked("", ["o", "k"]), "200").await.unwrap();
    check("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "HttpUpgradeFailed")
        .await
        .unwrap_err();
    check("not http\r\n\r\n", "HttpProtocolError").await.unwrap_err();
    check("", "HttpResponseIncomplete").await.unwrap_err();
}

async fn check_start(reply: &str) -> String {
    let server = Server::start(reply).await;
    word(&Setup::new(&[&server.grant()]).call().get(&server.url("/")).await)
}

/// Bytes that are no body cost the host nothing that grows: extensions of chunks, endless interim answers, trailers.
#[tokio::test]
async fn what_is_around_a_body_is_bounded_too() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let extension = format!("{head}1;{}\r\nx\r\n0\r\n\r\n", "a".repeat(1 << 20));
    assert!(check_start(&extension).await.starts_with("body: Http"));
    let trailers = format!("{head}0\r\n{}\r\n", "a: b\r\n".repeat(10_000));
    assert!(check_start(&trailers).await.starts_with("body: Http"));
    let interim =
        format!("{}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100));
    assert_eq!(check_start(&interim).await, "200");
}

/// Each wait has an end of its own, and an answer in time has none.
#[tokio::test]
async fn no_wait_is_longer_than_its_bound() {
    let short = Duration::from_millis(5);
    let silent = Server::start(Reply::Stall(Vec::new())).await;
    let mut call = Setup::new(&[&silent.grant()]).bounds(|bounds| bounds.times.first_byte = short).call();
    assert_eq!(word(&call.get(&silent.url("/")).await), "ConnectionReadTimeout");

    let stalls = Server::start(Reply::Stall(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12".to_vec())).await;
    let mut call = Setup::new(&[&stalls.grant()]).bounds(|bounds| bounds.times.between_bytes = short).call();
    assert_eq!(word(&call.get(&stalls.url("/")).await), "body: ConnectionReadTimeout");

    struct Never;
    impl Resolve for Never {
        fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Resolved<'a> {
            Box::pin(std::future::pending())
        }
    }
    let setup = Setup::new(&["http://name.test/ GET"]).resolver(Arc::new(Never));
    let mut call = setup.bounds(|bounds| bounds.times.connect = short).call();
    assert_eq!(word(&call.get("http://name.test/").await), "DnsTimeout");

    let server = Server::start(OK).await;
    assert_eq!(word(&Setup::new(&[&server.grant()]).call().get(&server.url("/")).await), "200");
}

#[tokio::test]
async fn a_guest_shortens_the_waits_and_does_not_lengthen_them() {
    let call = Setup::new(&["http://a.test/ GET"]).call();
    let times = |options| {
        let request = get("http://a.test/").body(empty()).unwrap();
        call.context.shared.plan(request, options).map(|(plan, _)| plan.times).unwrap()
    };
    let own = HttpBounds::STANDARD.times;
    let all =
        |time| Some(RequestOptions { connect_timeout: time, first_byte_timeout: time, between_bytes_timeout: time });
    assert_eq!(times(None), own);
    assert_eq!(times(all(None)), own);
    assert_eq!(times(all(Some(Duration::MAX))), own);
    let short = Duration::from_secs(2);
    assert_eq!(times(all(Some(short))), Times { connect: short, first_byte: short, between_bytes: short });
    // The first has a floor: each attempt may leave a look-up behind.
    for short in [Duration::ZERO, Duration::from_millis(1)] {
        assert_eq!(times(all(Some(short))), Times { connect: LEAST_CONNECT, first_byte: short, between_bytes: short });
    }
}

/// A look-up that nobody waits for any more holds its place, and with it a thread, until it ends.
#[tokio::test]
async fn look_ups_left_behind_are_counted() {
    let server = Server::start(OK).await;
    let (begun, begins) = std::sync::mpsc::channel();
    let (end, ends) = std::sync::mpsc::channel::<()>();
    let ends = Mutex::new(ends);
    let resolver = Arc::new(SystemResolver::bounded(1, move |_, _| {
        begun.send(()).unwrap();
        ends.lock().unwrap().recv().unwrap();
        Ok(vec![([127, 0, 0, 1], 9).into()])
    }));
    let grant = format!("http://name.test:{}/ GET 127.0.0.1", server.port());
    let url = format!("http://name.test:{}/", server.port());
    let call = |connect| {
        let setup = Setup::new(&[&grant]).resolver(resolver.clone());
        setup.bounds(|bounds| bounds.times.connect = connect).call()
    };
    // Several calls of one host share its resolver. One look-up begins, however many give up.
    for _ in 0..4 {
        assert_eq!(word(&call(Duration::from_millis(5)).get(&url).await), "DnsTimeout");
    }
    assert_eq!(begins.iter().take(1).count(), 1);
    assert_eq!(begins.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty));
    // Its end is the next one's turn, and the twin that waits for it is answered.
    let mut patient = call(HttpBounds::STANDARD.times.connect);
    let mut sending = patient.start(get(&url).body(empty()).unwrap(), None);
    assert!(is_pending(&mut sending).await);
    end.send(()).unwrap();
    end.send(()).unwrap();
    assert_eq!(sending.await.unwrap().0.status(), 200);
    assert_eq!(begins.try_recv(), Ok(()));
}

#[tokio::test]
async fn connections_at_once_are_counted() {
    let server = Server::start(Reply::Stall(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12".to_vec())).await;
    let mut call = Setup::new(&[&server.grant()]).bounds(|bounds| bounds.concurrent = 1).call();
    let request = || get(&server.url("/")).body(empty()).unwrap();
    let (response, connection) = call.start(request(), None).await.unwrap();
    assert_eq!(word(&call.send(request()).await), "ConnectionLimitReached");
    drop((response, connection));
    assert!(call.start(request(), None).await.is_ok());
}

/// Answers that are kept hold memory of the host, and denials lines of its log: both are counted, and the one past the
/// bound is neither sent nor written down.
#[tokio::test]
async fn requests_of_a_call_are_counted() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()]).bounds(|bounds| bounds.requests = 3).call();
    assert_eq!(word(&call.get(&server.url("/a")).await), "200");
    assert_eq!(word(&call.get("http://other.test/").await), "HttpRequestDenied");
    assert_eq!(word(&call.get(&server.url("/b")).await), "200");
    // The first of a rule is written down, and each denial.
    assert_eq!((call.context.made(), call.decided().len()), (3, 2));
    assert_eq!(word(&call.get("http://another.test/").await), "HttpRequestDenied");
    assert_eq!(word(&call.get(&server.url("/c")).await), "HttpRequestDenied");
    assert_eq!(call.context.made(), 5);
    assert_eq!((server.requests().len(), call.decided().len()), (2, 0));
}

/// A call that ends takes its connections along, whether a response has come or not.
#[tokio::test]
async fn a_dropped_request_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let mut call = Setup::new(&[&format!("{url} GET 127.0.0.1")]).call();
    for answer in ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12"] {
        let mut sending = call.start(get(&url).body(empty()).unwrap(), None);
        let mut stream = tokio::select! {
            accepted = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                read_request(&mut stream).await;
                stream
            } => accepted,
            _ = &mut sending => panic!("there was no answer yet"),
        };
        stream.write_all(answer.as_bytes()).await.unwrap();
        if answer.is_empty() {
            assert!(is_pending(&mut sending).await);
            drop(sending);
        } else {
            drop(sending.await.unwrap());
        }
        // The end of the stream, or its reset: it is over either way.
        assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
    }
}
