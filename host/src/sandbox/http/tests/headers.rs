//! What a guest may say in a request's headers, and how much.

use wasmtime_wasi_http::{FieldMap, FieldMapError};

use super::*;

#[tokio::test]
async fn a_guest_sets_no_header_of_the_hosts() {
    let mut call = Setup::new(&[]).call();
    let mut set = |name: &str, value: &str| {
        FieldMap::new_mutable(FIELD_BYTES).set(&mut call.context, name.to_owned(), vec![value.as_bytes().to_vec()])
    };
    for name in [
        "host",
        "Host",
        "connection",
        "transfer-encoding",
        "Transfer_Encoding",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "x-forwarded-for",
        "forwarded",
        "content_length",
        "x-http-method-override",
        "x-original-url",
        "http2-settings",
    ] {
        assert_eq!(set(name, "x"), Err(FieldMapError::Forbidden), "{name}");
    }
    for name in ["accept", "authorization", "x-custom", "range", "cookie", "user-agent"] {
        assert_eq!(set(name, "x"), Ok(()), "{name}");
    }
    // Smuggling: a line break ends no header, and no name is cut.
    for value in ["a\r\nhost: evil", "a\nb", "a\rb", "a\0b"] {
        assert_eq!(set("x-custom", value), Err(FieldMapError::InvalidHeaderValue), "{value:?}");
    }
    for name in ["x y", "x:y", "x\r\ny", "", "x\0"] {
        assert_eq!(set(name, "x"), Err(FieldMapError::InvalidHeaderName), "{name:?}");
    }
    for value in ["+5", "5, 5", "-1", "", "0x5"] {
        assert_eq!(set("content-length", value), Err(FieldMapError::InvalidHeaderValue), "{value:?}");
    }
    assert_eq!(set("content-length", "5"), Ok(()));
}

/// Should a way past the header map be found, the request still does not go out.
#[tokio::test]
async fn smuggled_headers_end_at_the_host() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()]).call();
    for (name, value) in [
        ("transfer-encoding", "chunked"),
        ("connection", "x-custom"),
        ("host", "evil.test"),
        ("x-forwarded-host", "evil"),
        ("te", "trailers"),
        ("trailer", "x"),
    ] {
        let request = get(&server.url("/")).header(name, value).body(empty()).unwrap();
        assert_eq!(word(&call.send(request).await), "HttpProtocolError", "{name}");
    }
    let request = get(&server.url("/")).header("content-length", "0").header("content-length", "5");
    assert_eq!(word(&call.send(request.body(empty()).unwrap()).await), "HttpProtocolError");
    assert_eq!(server.requests().len(), 0);
    let request = get(&server.url("/")).header("x-custom", "1").body(empty()).unwrap();
    assert_eq!(word(&call.send(request).await), "200");
    let sent = server.requests().pop().unwrap();
    assert_eq!(sent, format!("GET / HTTP/1.1\r\nx-custom: 1\r\nhost: 127.0.0.1:{}\r\n\r\n", server.port()));
}

#[tokio::test]
async fn headers_are_counted() {
    let server = Server::start(OK).await;
    let mut call = Setup::new(&[&server.grant()])
        .bounds(|bounds| (bounds.request_headers, bounds.request_header_bytes) = (3, 64))
        .call();
    let with = |headers: &[(&str, &str)]| {
        let request =
            headers.iter().fold(get(&server.url("/")), |request, (name, value)| request.header(*name, *value));
        request.body(empty()).unwrap()
    };
    assert_eq!(word(&call.send(with(&[("a", "1"), ("b", "2"), ("c", "3")])).await), "200");
    let answer = call.send(with(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")])).await;
    assert!(word(&answer).starts_with("HttpRequestHeaderSectionSize"));
    assert_eq!(word(&call.send(with(&[("a", &"x".repeat(59))])).await), "200");
    let answer = call.send(with(&[("a", &"x".repeat(60))])).await;
    assert!(word(&answer).starts_with("HttpRequestHeaderSectionSize"));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_servers_hop_by_hop_headers_stay_outside() {
    let server =
        Server::start("HTTP/1.1 200 OK\r\nconnection: close\r\nx-custom: 1\r\ncontent-length: 0\r\n\r\n").await;
    let mut call = Setup::new(&[&server.grant()]).call();
    let answer = call.get(&server.url("/")).await.unwrap();
    let fields = FieldMap::new_immutable(&mut call.context, answer.headers);
    assert!(fields.contains_key("x-custom") && !fields.contains_key("connection"));
}
