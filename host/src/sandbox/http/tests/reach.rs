//! Where a request may go.

use super::*;

const DENIED: &str = "HttpRequestDenied";
/// What a name comes to that has no address which may be dialled.
const NOWHERE: &str = "DnsError { rcode: Some(\"address not available\"), info_code: None }";

#[tokio::test]
async fn a_granted_request_is_sent_and_another_is_not() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&format!("{} GET 127.0.0.1", server.url("/v1/"))]).call();
    let answer = call.get(&server.url("/v1/x?q=1")).await.unwrap();
    assert_eq!((answer.status, answer.body.unwrap().as_str()), (200, "ok"));
    assert_eq!(call.denial(), None);
    assert_eq!(word(&call.get(&server.url("/v2/x")).await), DENIED);
    let denial = call.denial().unwrap();
    let line = format!("allow it with --allow 'http={} GET'", server.url("/v2/x"));
    assert!(denial.contains(&line), "{denial}");
    assert_eq!(server.requests().len(), 1);
    assert!(server.requests()[0].starts_with("GET /v1/x?q=1 HTTP/1.1\r\nhost: 127.0.0.1:"), "{:?}", server.requests());
}

#[tokio::test]
async fn nothing_is_granted_that_is_not_asked_for() {
    let server = Server::start(OK).await;
    let with = |asked: Vec<Option<HttpRule>>| Setup { asked, ..Setup::new(&[&server.grant()]) }.call();
    assert_eq!(word(&with(vec![]).get(&server.url("/")).await), DENIED);
    let mut call = with(vec![Some(format!("{} GET", server.url("/v1/")).parse().unwrap())]);
    assert_eq!(word(&call.get(&server.url("/")).await), DENIED);
    assert!(call.denial().unwrap().contains("the manifest does not ask for it"));
    assert_eq!(word(&call.get(&server.url("/v1/")).await), "200");
    assert_eq!(server.requests().len(), 1);
}

/// Each spelling of a private address is refused where any public host is granted, and dialled where the address is.
#[tokio::test]
async fn no_spelling_of_a_private_address_is_dialled() {
    let server = Server::start(OK).await;
    let port = server.port();
    let wide = format!("http://*:{port}/ GET");
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.0.0.1.nip.test",
        "a.localhost",
    ] {
        let url = format!("http://{host}:{port}/");
        let mut call = Setup::new(&[&wide]).call();
        let is_name = ["localhost", "LOCALHOST", "nip"].iter().any(|part| host.contains(part));
        assert_eq!(word(&call.get(&url).await), if is_name { NOWHERE } else { DENIED }, "{host}");
        let denial = call.denial().unwrap();
        assert!(
            denial.contains("not public") && denial.contains(&format!("http=http://*:{port}/ GET 127.0.0.1")),
            "{denial}"
        );
        assert_eq!(server.requests().len(), 0, "{host}");
    }
    for host in [
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "0.0.0.0",
        "0",
        "[::]",
        "169.254.169.254",
        "168.63.129.16",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "10.0.0.1",
        "192.168.1.1",
    ] {
        let mut call = Setup::new(&[&wide]).call();
        assert_eq!(word(&call.get(&format!("http://{host}:{port}/")).await), DENIED, "{host}");
        assert!(call.denial().unwrap().contains("not public"), "{host}");
    }
    assert_eq!(server.requests().len(), 0);
    let mut call = Setup::new(&[&format!("{wide} 127.0.0.1")]).call();
    for host in ["127.0.0.1", "127.1", "2130706433", "localhost", "LOCALHOST.", "[::ffff:127.0.0.1]"] {
        assert_eq!(word(&call.get(&format!("http://{host}:{port}/")).await), "200", "{host}");
    }
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_checked_answer_is_dialled() {
    let server = Server::start(OK).await;
    let rule = format!("http://name.test:{}/ GET", server.port());
    let url = format!("http://name.test:{}/", server.port());
    let with = |grant: &str, names: &Arc<Names>| Setup::new(&[grant]).resolver(names.clone()).call();
    // Public when checked, private when dialled: there is no second question.
    let names = Names::answer(&[&["127.0.0.1"], &["10.0.0.1"]]);
    assert_eq!(word(&with(&format!("{rule} 127.0.0.1"), &names).get(&url).await), "200");
    assert_eq!((names.asked(), server.requests().len()), (1, 1));
    // The next request is checked by its own answer.
    let names = Names::answer(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let mut call = with(&format!("{rule} 127.0.0.1"), &names);
    assert_eq!(word(&call.get(&url).await), "200");
    assert_eq!(word(&call.get(&url).await), NOWHERE);
    assert!(call.denial().unwrap().contains("GET 10.0.0.1,127.0.0.1"));
    // One bad answer among good ones refuses, wherever it stands, and nothing is dialled.
    for answer in [&["127.0.0.1", "10.0.0.1"], &["10.0.0.1", "127.0.0.1"]] {
        let names = Names::answer(&[answer]);
        assert_eq!(word(&with(&format!("{rule} 127.0.0.1"), &names).get(&url).await), NOWHERE);
    }
    assert_eq!(server.requests().len(), 2);
    // Nobody listens at the first: the next is tried.
    let names = Names::answer(&[&["127.0.0.2", "127.0.0.1"]]);
    assert_eq!(word(&with(&format!("{rule} 127.0.0.0/8"), &names).get(&url).await), "200");
    // A name that is nowhere.
    assert_eq!(word(&with(&rule, &Names::answer(&[&[]])).get(&url).await), NOWHERE);
}

/// Neither a guest nor a model can tell a name that the operator's network knows from one that nobody knows. The
/// operator can.
#[tokio::test]
async fn names_of_a_private_network_are_not_told_from_names_of_none() {
    let asked = async |answer: &[&str]| {
        let mut call = Setup::new(&["http://name.test/ GET"]).resolver(Names::answer(&[answer])).call();
        let seen = word(&call.get("http://name.test/").await);
        ((seen, call.context.take_denial().unwrap().for_a_model()), call.decided())
    };
    let (private, logged) = asked(&["10.0.0.1"]).await;
    let (absent, nothing) = asked(&[]).await;
    assert_eq!(private, absent);
    assert_eq!(private.0, NOWHERE);
    let [(false, request, rule)] = &logged[..] else { panic!("{logged:?}") };
    assert!(request == "GET http://name.test/" && rule.contains("is at 10.0.0.1, which is not public"), "{rule}");
    assert_eq!(nothing, []);
}

#[tokio::test]
async fn a_grant_of_one_port_is_of_no_other() {
    let (granted, other) = (Server::start(OK).await, Server::start(OK).await);
    let mut call = Setup::new(&[&granted.grant()]).call();
    assert_eq!(word(&call.get(&granted.url("/")).await), "200");
    assert_eq!(word(&call.get(&other.url("/")).await), DENIED);
    assert_eq!(word(&call.get("http://127.0.0.1/").await), DENIED);
    assert_eq!(other.requests().len(), 0);
}

/// What is matched is what is sent.
#[tokio::test]
async fn a_path_is_sent_as_it_was_matched() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&format!("{} GET 127.0.0.1", server.url("/v1/"))]).call();
    for path in [
        "/v1evil",
        "/v1",
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/.%2e/admin",
        "/v1/..%2fadmin",
        "/v1/..%5cadmin",
        "/v1/%252e%252e/admin",
        "/v1/..;/admin",
        "//v1/",
        "/V1/",
        "/v1/%00",
        "/v1/..\\admin",
    ] {
        assert_eq!(word(&call.get(&server.url(path)).await), DENIED, "{path}");
    }
    assert_eq!(server.requests().len(), 0);
    for (path, sent) in [
        ("/v1/", "/v1/"),
        ("/v1/a/../b", "/v1/b"),
        ("/v1/%2e/b", "/v1/b"),
        ("/v0/../v1/b", "/v1/b"),
        ("/v1/a%20b?../x", "/v1/a%20b?../x"),
    ] {
        assert_eq!(word(&call.get(&server.url(path)).await), "200", "{path}");
        let request = server.requests().pop().unwrap();
        assert!(request.starts_with(&format!("GET {sent} HTTP/1.1\r\n")), "{request}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_the_next_request_is_checked() {
    let elsewhere = Server::start(OK).await;
    for location in [
        elsewhere.url("/"),
        format!("http://localhost:{}/", elsewhere.port()),
        "https://127.0.0.1/".to_owned(),
        "//169.254.169.254/latest/meta-data".to_owned(),
        "/admin".to_owned(),
    ] {
        let answer = format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        let server = Server::start(answer).await;
        let mut call = Setup::new(&[&format!("{} GET 127.0.0.1", server.url("/v1/"))]).call();
        let answer = call.get(&server.url("/v1/")).await.unwrap();
        assert_eq!((answer.status, answer.headers["location"].to_str().unwrap()), (302, location.as_str()));
        assert_eq!((server.requests().len(), elsewhere.requests().len()), (1, 0));
        let next = match location.as_str() {
            "/admin" => server.url("/admin"),
            other if other.starts_with("//") => format!("http:{other}"),
            other => other.to_owned(),
        };
        assert_eq!(word(&call.get(&next).await), DENIED, "{next}");
        assert_eq!((server.requests().len(), elsewhere.requests().len()), (1, 0));
    }
    // Granted, the guest may follow it.
    let mut call = Setup::new(&[&elsewhere.grant()]).call();
    assert_eq!(word(&call.get(&elsewhere.url("/")).await), "200");
}

#[tokio::test]
async fn what_is_no_plain_address_goes_nowhere() {
    let server = Server::start(OK).await;
    let port = server.port();
    let mut call = Setup::new(&["http://*/ GET", &server.grant()]).call();
    for url in [
        format!("http://user@127.0.0.1:{port}/"),
        format!("http://user:pass@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}@evil.test/"),
        format!("http://evil.test@127.0.0.1:{port}/"),
        format!("ftp://127.0.0.1:{port}/"),
        format!("ws://127.0.0.1:{port}/"),
        "/only/a/path".to_owned(),
    ] {
        assert_eq!(word(&call.get(&url).await), DENIED, "{url}");
        assert!(call.denial().unwrap().starts_with("a request that goes nowhere"), "{url}");
    }
    assert_eq!(server.requests().len(), 0);
    assert_eq!(word(&call.get(&server.url("/")).await), "200");
}

#[tokio::test]
async fn connect_and_trace_are_never_sent() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()]).call();
    let with = |method: &str| Request::builder().method(method).uri(server.url("/")).body(empty()).unwrap();
    for method in ["CONNECT", "TRACE", "connect", "Trace", "get", "DELETE"] {
        assert_eq!(word(&call.send(with(method)).await), DENIED, "{method}");
    }
    assert_eq!(server.requests().len(), 0);
    for method in ["GET", "HEAD", "POST"] {
        assert_eq!(word(&call.send(with(method)).await), "200", "{method}");
    }
}

#[tokio::test]
async fn decisions_are_told_and_the_first_denial_is_kept() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()]).call();
    for path in ["/a", "/b?secret=1"] {
        call.get(&server.url(path)).await.unwrap();
    }
    call.get("http://first.test/").await.unwrap_err();
    call.get("http://second.test/").await.unwrap_err();
    let decided = call.decided();
    let [(true, first, rule), (false, second, why), (false, third, _)] = &decided[..] else { panic!("{decided:?}") };
    assert_eq!(*first, format!("GET {}", server.url("/a")));
    assert_eq!(*rule, format!("http={} GET,HEAD,POST", server.url("/")));
    assert_eq!((second.as_str(), third.as_str()), ("GET http://first.test/", "GET http://second.test/"));
    assert!(why.contains("--allow 'http=http://first.test/ GET'"), "{why}");
    assert!(call.denial().unwrap().contains("first.test"));
    assert_eq!(call.denial(), None);
}
