//! Secrets go where their grant says, and do not come back.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::*;
use crate::policy::SecretGrant;

const VALUE: &str = "s3cr3t/t0ken+value";

fn load(grant: &SecretGrant, value: &str) -> Result<LoadedSecret, SecretError> {
    LoadedSecret::load_from(grant, |_| Some(OsString::from(value)))
}

fn secret(grant: &str) -> LoadedSecret {
    load(&grant.parse().unwrap(), VALUE).unwrap()
}

/// A call that may reach the server, with a secret for `/in/`.
fn call(server: &Server) -> Call {
    let mut setup = Setup::new(&[&server.grant()]);
    setup.secrets = vec![secret(&format!("token env:T {} GET,POST", server.url("/in/")))];
    setup.call()
}

#[tokio::test]
async fn a_secret_goes_along_where_its_grant_says() {
    let (server, other) = (Server::start(OK).await, Server::start(OK).await);
    let mut setup = Setup::new(&[&server.grant(), &other.grant()]);
    setup.secrets = vec![secret(&format!("token env:T {} GET", server.url("/in/")))];
    let mut call = setup.call();
    let request = |url: &str| {
        get(url).header("authorization", "guess").header("Authorization", "again").header("accept-encoding", "gzip")
    };
    let sent = async |call: &mut Call, server: &Server, path: &str| {
        call.send(request(&server.url(path)).body(empty()).unwrap()).await.unwrap();
        server.requests().pop().unwrap()
    };
    let with = sent(&mut call, &server, "/in/x").await;
    assert_eq!(with.matches("authorization").count(), 1, "{with}");
    assert!(with.contains(&format!("\r\nauthorization: Bearer {VALUE}\r\n")), "{with}");
    assert!(with.contains("\r\naccept-encoding: identity\r\n") && !with.contains("gzip"), "{with}");
    for (server, path) in [(&server, "/out"), (&server, "/in"), (&server, "/inner/"), (&other, "/in/x")] {
        let without = sent(&mut call, server, path).await;
        assert!(!without.contains(VALUE) && without.contains("authorization: guess\r\n"), "{without}");
    }
    // Another method, and a path that is in `to` and in no http grant.
    let post = Request::builder().method("POST").uri(server.url("/in/x")).body(empty()).unwrap();
    call.send(post).await.unwrap();
    assert!(!server.requests().pop().unwrap().contains(VALUE));
    let decided = call.decided();
    let uses: Vec<_> = decided.iter().filter(|(_, _, rule)| rule.starts_with("secret=")).collect();
    let rule = format!("secret=token to {} GET", server.url("/in/"));
    assert_eq!(uses, [&(true, format!("GET {}", server.url("/in/x")), rule)]);
}

#[tokio::test]
async fn a_secrets_grant_reaches_no_host_of_its_own() {
    let server = Server::start(OK).await;
    let mut setup = Setup::new(&[&format!("{} GET 127.0.0.1", server.url("/out/"))]);
    setup.secrets = vec![secret(&format!("token env:T {}", server.url("/in/")))];
    let mut call = setup.call();
    assert_eq!(word(&call.get(&server.url("/in/x")).await), "HttpRequestDenied");
    assert_eq!(server.requests().len(), 0);
    assert_eq!(word(&call.get(&server.url("/out/x")).await), "200");
}

#[tokio::test]
async fn an_echo_comes_back_overwritten() {
    let bearer = format!("Bearer {VALUE}");
    let echoes = [
        VALUE.to_owned(),
        bearer.clone(),
        STANDARD.encode(VALUE),
        STANDARD.encode(&bearer),
        URL_SAFE_NO_PAD.encode(VALUE),
        VALUE.replace('/', r"\/"),
        VALUE.replace('/', "%2F").replace('+', "%2B"),
    ];
    for echo in &echoes {
        let text = format!("<{echo}> and again {echo}");
        for size in [1, 7, text.len()] {
            let pieces: Vec<_> =
                text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            let reply = chunked(&format!("x-echo: a {echo} b\r\nset-cookie: t={echo}\r\n"), pieces);
            let reply = reply.strip_suffix("\r\n").unwrap().to_owned() + &format!("x-late: {echo}\r\n\r\n");
            let server = Server::start(reply).await;
            let mut call = call(&server);
            let stars = "*".repeat(echo.len());
            let answer = call.get(&server.url("/in/")).await.unwrap();
            assert_eq!(answer.body.unwrap(), format!("<{stars}> and again {stars}"), "{echo} in chunks of {size}");
            assert_eq!(answer.headers["x-echo"], format!("a {stars} b"));
            assert_eq!(answer.headers["set-cookie"], format!("t={stars}"));
            assert_eq!(answer.trailers.unwrap()["x-late"], stars);
            // A request that carried no secret comes back as it was sent.
            assert_eq!(call.get(&server.url("/out/")).await.unwrap().body.unwrap(), text);
        }
    }
}

#[tokio::test]
async fn an_echo_inside_something_in_base64_is_overwritten() {
    for before in ["", "u", "us", "user:", "a longer beginning: "] {
        let encoded = STANDARD.encode(format!("{before}{VALUE} and after"));
        let server = Server::start(chunked("", [encoded.as_str()])).await;
        let body = call(&server).get(&server.url("/in/")).await.unwrap().body.unwrap();
        assert_eq!(body.len(), encoded.len());
        let stars = body.matches('*').count();
        // All but the characters at its ends, which hold bits of the neighbours too.
        assert!(stars >= VALUE.len() * 4 / 3 - 2, "{body}");
    }
}

/// The frames of two echoes are alike, whether one begins the secret or not.
#[tokio::test]
async fn the_parts_of_an_answer_tell_no_guess_from_another() {
    let frames = async |guess: &str| {
        let pieces = [format!("{}{guess}", "-".repeat(200)), "-".repeat(200), format!("{guess}--")];
        let server = Server::start(chunked("", pieces.iter().map(String::as_str))).await;
        let mut call = call(&server);
        let (response, connection) = call.start(get(&server.url("/in/")).body(empty()).unwrap(), None).await.unwrap();
        let connection = wasmtime_wasi::runtime::spawn(Box::into_pin(connection));
        let (mut body, mut sizes) = (response.into_body(), Vec::new());
        while let Some(frame) = body.frame().await {
            sizes.push(frame.unwrap().into_data().unwrap().len());
        }
        drop(connection);
        sizes
    };
    let wrong = frames("---------").await;
    assert_eq!(wrong.iter().sum::<usize>(), 420);
    for length in 1..=9 {
        assert_eq!(frames(&format!("{:-<9}", &VALUE[..length])).await, wrong, "{length}");
        assert_eq!(frames(&format!("{:->9}", &VALUE[..length])).await, wrong, "{length}");
    }
}

#[tokio::test]
async fn a_name_that_holds_a_secret_is_dropped() {
    let server =
        Server::start("HTTP/1.1 200 OK\r\nX-Hex-0123456789ABCDEF: 1\r\nx-other: 2\r\ncontent-length: 0\r\n\r\n").await;
    let grant = format!("token env:T {}", server.url("/"));
    let mut setup = Setup::new(&[&server.grant()]);
    setup.secrets = vec![load(&grant.parse().unwrap(), "0123456789ABCDEF").unwrap()];
    let answer = setup.call().get(&server.url("/")).await.unwrap();
    assert_eq!(answer.headers.len(), 2, "{:?}", answer.headers);
    assert!(answer.headers.contains_key("x-other"));
}

/// What cannot be looked through is not passed on, and parts that could be put together are not asked for.
#[tokio::test]
async fn no_coding_and_no_part_hides_an_echo() {
    let coded = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nok";
    let server = Server::start(coded).await;
    let answer = call(&server).get(&server.url("/in/")).await;
    assert_eq!(word(&answer), "HttpResponseContentCoding(Some(\"gzip\"))");
    assert_eq!(word(&call(&server).get(&server.url("/out/")).await), "200");
    let server = Server::start("HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\ncontent-length: 2\r\n\r\nok").await;
    assert_eq!(word(&call(&server).get(&server.url("/in/")).await), "200");
    for name in ["range", "if-range"] {
        let request = |path: &str| get(&server.url(path)).header(name, "bytes=0-3").body(empty()).unwrap();
        let mut call = call(&server);
        assert_eq!(word(&call.send(request("/in/")).await), "HttpRequestDenied");
        assert!(call.denial().unwrap().contains("the secret token"));
        assert_eq!(word(&call.send(request("/out/")).await), "200");
    }
}

#[tokio::test]
async fn two_secrets_for_one_header_are_none() {
    let server = Server::start(OK).await;
    let mut setup = Setup::new(&[&server.grant()]);
    setup.secrets =
        vec![secret(&format!("one env:T {}", server.url("/a/"))), secret(&format!("two env:T {}", server.url("/")))];
    let mut call = setup.call();
    assert_eq!(word(&call.get(&server.url("/a/")).await), "HttpRequestDenied");
    assert!(call.denial().unwrap().contains("the same header"));
    assert_eq!(word(&call.get(&server.url("/b/")).await), "200");
}

#[tokio::test]
async fn nothing_that_is_written_down_holds_the_value() {
    let server = Server::start(OK).await;
    let mut call = call(&server);
    let loaded = secret("token env:T https://a/");
    call.get(&server.url("/in/")).await.unwrap();
    call.send(get(&server.url("/in/")).header("range", "bytes=0-1").body(empty()).unwrap()).await.unwrap_err();
    let decided = format!("{:?}", call.decided());
    let denial = call.denial().unwrap();
    for text in [decided, denial, format!("{loaded:?}"), format!("{:?}", loaded.value())] {
        assert!(!text.contains(VALUE) && !text.contains("Bearer"), "{text}");
    }
}

#[test]
fn a_value_that_a_header_cannot_carry_is_refused_without_being_shown() {
    let grant: SecretGrant = "token env:T https://a/".parse().unwrap();
    let check = |value: &str, expect: Result<(), &str>| match (load(&grant, value), expect) {
        (Ok(_), Ok(())) => {}
        (Err(error), Err(expect)) => {
            let text = format!("{error} {error:?}");
            assert!(text.contains(expect) && (value.is_empty() || !text.contains(value)), "{text}");
        }
        (found, _) => panic!("{value:?}: {found:?}"),
    };
    check("12345678", Ok(()));
    check(&"x".repeat(4_096), Ok(()));
    check("", Err("shorter"));
    check("1234567", Err("shorter"));
    check(&"x".repeat(4_097), Err("longer"));
    check("1234\r\n5678", Err("line break"));
    check("1234\u{7f}5678", Err("control character"));
    check("12345678ä", Err("outside ASCII"));
    check(" 12345678", Err("a space"));
    let unset = LoadedSecret::load_from(&grant, |_| None).unwrap_err();
    assert!(unset.to_string().contains("no variable T"), "{unset}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the files are the test's own")]
fn a_secrets_file_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let grant = |path: &std::path::Path| -> SecretGrant {
        format!("token file:{} https://a/", path.display()).parse().unwrap()
    };
    let check = |text: &str, mode: u32, expect: Result<(), &str>| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        match (LoadedSecret::load(&grant(&path)), expect) {
            (Ok(secret), Ok(())) => assert_eq!(secret.value(), "Bearer 0123456789"),
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (found, _) => panic!("{mode:o}: {found:?}"),
        }
    };
    for mode in [0o600, 0o400] {
        check("0123456789", mode, Ok(()));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    for mode in [0o640, 0o604, 0o660, 0o700, 0o644, 0o620] {
        check("0123456789", mode, Err("chmod 600"));
    }
    check("0123456789\n", 0o600, Ok(()));
    check("0123456789\r\n", 0o600, Ok(()));
    check("0123456789\n\n", 0o600, Err("line break"));
    check(&"x".repeat(5_000), 0o600, Err("longer"));
    let error = |path: &std::path::Path| LoadedSecret::load(&grant(path)).unwrap_err().to_string();
    assert!(error(folder.path()).contains("not a regular file"));
    assert!(error(&folder.path().join("nothing")).contains("cannot read"));
    let fifo = folder.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(error(&fifo).contains("not a regular file"));
}

use rustix::fs::{FileType, Mode};
