use url::Host;

use super::*;

fn target(url: &str) -> Result<Target, TargetError> {
    let (scheme, rest) = url.split_once("://").expect("a scheme");
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    Target::parse(scheme, authority, path)
}

fn rule(text: &str) -> HttpRule {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Each layer costs a reading of the whole path, so there are few of them.
#[test]
fn a_path_escaped_many_times_over_is_disguised() {
    let check = |layers: usize, name: &str, expect: bool| {
        let url = format!("https://a/v1/%{}{name}", "25".repeat(layers));
        assert_eq!(target(&url).unwrap().is_disguised(), expect, "{layers} {name}");
    };
    // A letter is one; a third layer is the last that is undone, and a dot is found below it.
    check(0, "41", false);
    check(1, "41", false);
    check(2, "41", false);
    check(3, "41", true);
    check(2, "2ea", false);
    check(2, "2e", true);
    check(2, "2e./x", true);
    check(3, "2e./x", true);
    check((8_000 - 3) / 2, "41", true);
    check((8_000 - 3) / 2, "2e./x", true);
    // Length alone is no disguise, nor are many segments or escapes.
    for plain in ["a".repeat(8_000), "a/".repeat(4_000), "%41".repeat(2_600), "a;b/".repeat(2_000)] {
        assert!(!target(&format!("https://a/{plain}")).unwrap().is_disguised());
    }
}

#[test]
fn a_rule_reads_and_writes_one_spelling() {
    let check = |text: &str, expect: &str| {
        let rule = rule(text);
        assert_eq!(rule.to_string(), expect, "{text}");
        assert_eq!(expect.parse(), Ok(rule), "{text}");
    };
    check("https://api.example.com/v1/", "https://api.example.com/v1/ GET,HEAD");
    check("https://api.example.com", "https://api.example.com/ GET,HEAD");
    check("https://API.example.com:443/v1 POST,GET,POST", "https://api.example.com/v1 GET,POST");
    check("http://api.example.com:8080/ M-SEARCH", "http://api.example.com:8080/ M-SEARCH");
    check("https://*/", "https://*/ GET,HEAD");
    check("https://*:8443/", "https://*:8443/ GET,HEAD");
    check("https://*.example.com/", "https://*.example.com/ GET,HEAD");
    check("https://*.example.com.:444/a", "https://*.example.com:444/a GET,HEAD");
    check("https://bücher.example/", "https://xn--bcher-kva.example/ GET,HEAD");
    check("http://0x7f.1/", "http://127.0.0.1/ GET,HEAD");
    check("http://[0:0::1]:81/", "http://[::1]:81/ GET,HEAD");
}

#[test]
fn a_rule_that_is_none_says_what_to_write() {
    let check = |text: &str, expect: &str| {
        let error = text.parse::<HttpRule>().expect_err(text).to_string();
        assert!(error.contains(expect), "{text}: {error}");
    };
    check("", "write URL");
    check("api.example.com GET", "write URL");
    check("https://a/ GET POST", "write URL");
    check("ftp://a/", "only http and https");
    check("https://", "a host is missing");
    check("https:///x", "a host is missing");
    check("https://user@a/", "leave it out");
    check("https://a/?x", "leave out what follows");
    check("https://a/#x", "a fragment");
    check("https://a\\b/", "a backslash");
    check("https://a/x/../y", "\"/y\"");
    check("https://a/ä", "\"/%C3%A4\"");
    check("https://a/x%2fy", "write it plainly");
    check("https://a/%252e%252e/", "write it plainly");
    check("https://a/ get", "in capitals");
    check("https://a/ GET,", "in capitals");
    check("https://a/ CONNECT", "never allowed");
    check("https://a/ GET,TRACE", "never allowed");
    check("https://a/ trace", "never allowed");
    check("https://*x.example/", "\"*.example.com\"");
    check("https://a.*.example/", "\"*.example.com\"");
    check("https://*.*.example/", "\"*.example.com\"");
    check("https://*.127.0.0.1/", "\"*.example.com\"");
    check("https://*.1/", "\"*.example.com\"");
    check("https://*.[::1]/", "\"*.example.com\"");
    check("https://a:0/", "the port");
    check("https://a:65536/", "the port");
    check("https://fe80::1%25eth0/", "a percent sign");
}

#[test]
fn a_rule_allows_its_own_requests_and_no_other() {
    let check = |text: &str, method: &str, url: &str, expect: bool| {
        let target = target(url).unwrap_or_else(|error| panic!("{url}: {error}"));
        assert_eq!(rule(text).allows(&target, method), expect, "{text} and {method} {url}");
    };
    let api = "https://api.example.com/v1/ GET";
    for (url, expect) in [
        ("https://api.example.com/v1/x", true),
        ("https://api.example.com/v1/", true),
        ("https://API.EXAMPLE.COM:443/v1/x?q=../..", true),
        ("https://api.example.com./v1/x", true),
        ("https://api.example.com/v1/a/../b", true),
        ("https://api.example.com/v0/../v1/b", true),
        ("https://api.example.com/v1", false),
        ("https://api.example.com/v1evil", false),
        ("https://api.example.com/V1/x", false),
        ("https://api.example.com/v1/../admin", false),
        ("https://api.example.com/v1/%2e%2e/admin", false),
        ("https://api.example.com/v1/.%2E/admin", false),
        ("https://api.example.com/v1/..", false),
        ("https://api.example.com//v1/x", false),
        ("http://api.example.com/v1/x", false),
        ("http://api.example.com:443/v1/x", false),
        ("https://api.example.com:8443/v1/x", false),
        ("https://example.com/v1/x", false),
        ("https://evilapi.example.com/v1/x", false),
        ("https://api.example.com.evil.test/v1/x", false),
        // A server may read these otherwise than they stand.
        ("https://api.example.com/v1/..%2fadmin", false),
        ("https://api.example.com/v1/%2e%2e%2fadmin", false),
        ("https://api.example.com/v1/..%5cadmin", false),
        ("https://api.example.com/v1/x%00", false),
        ("https://api.example.com/v1/%252e%252e/admin", false),
        ("https://api.example.com/v1/%25252e%25252e/admin", false),
        ("https://api.example.com/v1/%252fadmin", false),
        ("https://api.example.com/v1/..;/admin", false),
        ("https://api.example.com/v1/..;x=y/admin", false),
        ("https://api.example.com/v1/%2e%2e;/admin", false),
        ("https://api.example.com/v1/%c0%ae%c0%ae/admin", false),
        ("https://api.example.com/v1/%c0%af", false),
        // And these alike.
        ("https://api.example.com/v1/a%20b", true),
        ("https://api.example.com/v1/50%25", true),
        ("https://api.example.com/v1/a%2520b", true),
        ("https://api.example.com/v1/..a", true),
        ("https://api.example.com/v1/a;b=c", true),
        ("https://api.example.com/v1/%C3%A4", true),
    ] {
        check(api, "GET", url, expect);
    }
    check(api, "HEAD", "https://api.example.com/v1/x", false);
    check(api, "get", "https://api.example.com/v1/x", false);
    check("https://a/v1", "GET", "https://a/v1", true);
    check("https://a/v1", "GET", "https://a/v1/x", true);
    check("https://a/v1", "GET", "https://a/v1?x", true);
    check("https://a/v1", "GET", "https://a/v1evil", false);
    // The whole host holds whatever a server makes of the path.
    check("https://a/", "GET", "https://a/x%2f..%2fy", true);
    check("https://a/", "CONNECT", "https://a/", false);
    check("https://*.example.com/", "GET", "https://a.example.com/", true);
    check("https://*.example.com/", "GET", "https://a.b.example.com/", true);
    check("https://*.example.com/", "GET", "https://example.com/", false);
    check("https://*.example.com/", "GET", "https://evilexample.com/", false);
    check("https://*.example.com/", "GET", "https://a.example.com.evil.test/", false);
    check("https://*/", "GET", "https://10.0.0.1/", true);
    check("https://*/", "GET", "https://[::1]/", true);
    check("http://127.0.0.1:8080/", "GET", "http://2130706433:8080/", true);
    check("http://127.0.0.1:8080/", "GET", "http://[::ffff:127.0.0.1]:8080/", false);
}

#[test]
fn a_target_has_one_spelling() {
    let check = |url: &str, expect: &str| {
        let target = target(url).unwrap_or_else(|error| panic!("{url}: {error}"));
        assert_eq!(target.to_string(), expect, "{url}");
    };
    for spelling in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "１２７.0.0.1",
        "127。0。0。1",
        "0x7F.0.0.0x1",
    ] {
        check(&format!("http://{spelling}/"), "http://127.0.0.1/");
    }
    for spelling in ["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::0.0.0.1]"] {
        check(&format!("http://{spelling}/"), "http://[::1]/");
    }
    check("http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/");
    check("HTTPS://Example.COM:443", "https://example.com/");
    check("https://example.com.:8443/x", "https://example.com:8443/x");
    check("https://ＥＸＡＭＰＬＥ.com/", "https://example.com/");
    check("https://exa\u{ad}mple.com/", "https://example.com/");
    check("https://faß.example/", "https://xn--fa-hia.example/");
    check("https://_dmarc.example.com/", "https://_dmarc.example.com/");
    check("https://a/b/./c/%2e/d/../e", "https://a/b/c/e");
    check("https://a?x=/../y", "https://a/");
    check("https://a:080/", "https://a:80/");
    let target = target("https://a/b?x=%2e#").map(|target| target.path_and_query());
    assert_eq!(target, Err(TargetError::Characters("the path")));
    assert_eq!(super::tests::target("https://a/b?x=%2e").unwrap().path_and_query(), "/b?x=%2e");
}

#[test]
fn a_target_that_is_none_is_refused() {
    use TargetError as E;
    let check = |scheme: &str, authority: &str, path: &str, expect: fn(&E) -> bool| {
        let error = Target::parse(scheme, authority, path).expect_err(&format!("{scheme}://{authority}{path}"));
        assert!(expect(&error), "{scheme}://{authority}{path}: {error:?}");
    };
    for scheme in ["ftp", "file", "ws", "https ", "", "http:"] {
        check(scheme, "a", "/", |error| matches!(error, E::Scheme(_)));
    }
    for authority in ["user@a", "user:pass@a", "@a", "a@", "a@b@c", "user%40a@b"] {
        check("http", authority, "/", |error| matches!(error, E::Credentials));
    }
    for authority in ["", ":80", "::1", ".", "\u{ad}"] {
        check("http", authority, "/", |error| matches!(error, E::NoHost | E::Host(..)));
    }
    for authority in ["ex%61mple.com", "127.0.0.1%00", "[fe80::1%25eth0]", "[fe80::1%eth0]", "a%2eb"] {
        check("http", authority, "/", |error| matches!(error, E::Escape));
    }
    for authority in ["a/b", "a\\b", "a?b", "a#b", "a b", "a\tb", "a\r\nb", "a\0b", " a", "a\u{7f}"] {
        check("http", authority, "/", |error| matches!(error, E::Characters(_)));
    }
    for authority in [
        "a..b",
        "a..",
        "*",
        "*.a",
        "a,b",
        "a;b",
        "a'b",
        "a|b",
        "1.2.3.4.5",
        "0x100000000",
        "999.1.1.1",
        "[::1",
        "a:b:80",
        "[::1]x",
        "[v1.a]",
        "xn--",
        "a\u{2024}\u{2024}b",
        "a\u{2100}b",
    ] {
        check("http", authority, "/", |error| matches!(error, E::Host(..) | E::Port));
    }
    for authority in ["a:0", "a:65536", "a:-1", "a:+1", "a:0x50", "a:8o"] {
        check("http", authority, "/", |error| matches!(error, E::Port | E::Host(..)));
    }
    for path in ["/a\\b", "/a b", "/a\tb", "/a\r\nX: y", "/a#b", "/a\0"] {
        check("http", "a", path, |error| matches!(error, E::Characters(_)));
    }
    for path in ["x", "http://b/", "*", "@b/"] {
        check("http", "a", path, |error| matches!(error, E::Path));
    }
    check("http", &"a".repeat(64), "/", |error| matches!(error, E::Host(..)));
    check("http", &"a.".repeat(127).repeat(2), "/", |error| matches!(error, E::Host(..)));
    check("http", "a", &format!("/{}", "b".repeat(9_000)), |error| matches!(error, E::TooLong));
    check("http", "a", &format!("/{}", "ä".repeat(3_000)), |error| matches!(error, E::TooLong));
}

#[test]
fn the_host_header_has_a_port_that_is_not_the_schemes_own() {
    let check = |url: &str, expect: &str| assert_eq!(target(url).unwrap().authority(), expect);
    check("https://a:443/", "a");
    check("http://a:443/", "a:443");
    check("http://[::1]:80/", "[::1]");
    check("http://[::1]:81/", "[::1]:81");
    assert_eq!(target("http://a/").unwrap().host(), &Host::Domain("a".to_owned()));
}

#[test]
fn rules_cover_and_overlap() {
    let check = |wide: &str, narrow: &str, covers: bool, overlaps: bool| {
        let (wide, narrow) = (rule(wide), rule(narrow));
        assert_eq!(wide.covers(&narrow), covers, "{wide} covers {narrow}");
        assert_eq!((wide.overlaps(&narrow), narrow.overlaps(&wide)), (overlaps, overlaps), "{wide} overlaps {narrow}");
        assert!(wide.covers(&wide) && narrow.overlaps(&narrow));
    };
    check("https://a/", "https://a/v1/", true, true);
    check("https://a/v1/", "https://a/", false, true);
    check("https://a/v1/", "https://a/v2/", false, false);
    check("https://a/v1", "https://a/v1/", true, true);
    check("https://a/v1", "https://a/v1evil", false, false);
    check("https://a/", "http://a/", false, false);
    check("https://a/", "https://a:444/", false, false);
    check("https://a/ GET", "https://a/ GET,POST", false, true);
    check("https://a/ GET", "https://a/ POST", false, false);
    check("https://*/", "https://*.a/", true, true);
    check("https://*/", "https://[::1]/", true, true);
    check("https://*.a/", "https://*.b.a/", true, true);
    check("https://*.a/", "https://b.a/", true, true);
    check("https://*.a/", "https://a/", false, false);
    check("https://*.a/", "https://*.b/", false, false);
    check("https://*.a/", "https://127.0.0.1/", false, false);
}

#[test]
fn the_rule_of_a_request_allows_it() {
    for url in ["https://a/x/y?z", "http://[::1]:81/", "https://a/..%2fb", "https://a/it's", "https://a/a,b;c"] {
        let target = target(url).unwrap();
        let rule = HttpRule::for_request(&target, "GET").unwrap();
        assert!(rule.allows(&target, "GET"), "{rule}");
        assert!(!rule.allows(&target, "POST"), "{rule}");
        assert_eq!(rule.to_string().parse(), Ok(rule));
    }
    assert_eq!(HttpRule::for_request(&target("https://a/").unwrap(), "TRACE"), None);
    assert_eq!(HttpRule::for_request(&target("https://a/").unwrap(), "get"), None);
}

#[test]
fn the_hosts_own_headers() {
    for name in [
        "Host",
        "connection",
        "Transfer-Encoding",
        "transfer_encoding",
        "content_length",
        "TE",
        "Trailer",
        "upgrade",
        "expect",
        "proxy-authorization",
        "Proxy-Connection",
        "X-Forwarded-For",
        "x_forwarded_host",
        "Forwarded",
        "X-HTTP-Method-Override",
        "x-original-url",
        "X-Rewrite-URL",
        "keep-alive",
        "via",
    ] {
        assert!(is_reserved(name), "{name}");
    }
    for name in
        ["accept", "authorization", "content-length", "content-type", "user-agent", "x-api-key", "x_custom", "range"]
    {
        assert!(!is_reserved(name), "{name}");
    }
}
