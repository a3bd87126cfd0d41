use super::*;

fn grant(text: &str) -> HttpGrant {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn target(url: &str) -> Target {
    let (scheme, rest) = url.split_once("://").expect("a scheme");
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    Target::parse(scheme, authority, path).unwrap_or_else(|error| panic!("{url}: {error}"))
}

fn access(asked: &[Option<&str>], granted: &[&str]) -> HttpAccess {
    let asked: Vec<Option<HttpRule>> = asked.iter().map(|rule| rule.map(|rule| rule.parse().unwrap())).collect();
    HttpAccess::new(asked.iter().map(Option::as_ref), granted.iter().map(|text| grant(text)).collect())
}

#[test]
fn the_short_form() {
    let check = |text: &str, expect: &str| {
        assert_eq!(grant(text).to_string(), expect, "{text}");
        assert_eq!(grant(expect), grant(text), "{text}");
        let table = toml::Table::try_from(grant(text)).unwrap();
        assert_eq!(table.try_into::<HttpGrant>().unwrap(), grant(text), "{text}");
    };
    check("https://a/", "https://a/ GET,HEAD");
    check("https://a/ POST", "https://a/ POST");
    check("http://a/ 127.0.0.1,::1", "http://a/ GET,HEAD 127.0.0.1,::1");
    check("http://a/ GET 10.0.0.0/8", "http://a/ GET 10.0.0.0/8");
    check("http://a/ GET 10.1.2.3/32", "http://a/ GET 10.1.2.3");
    check("http://a/ GET fd00::/8", "http://a/ GET fd00::/8");
}

#[test]
fn a_grant_that_is_none_says_what_to_write() {
    let check = |text: &str, expect: &str| {
        let error = text.parse::<HttpGrant>().expect_err(text).to_string();
        assert!(error.contains(expect), "{text}: {error}");
    };
    check("", "write URL");
    check("https://a/ GET 10.0.0.0/8 x", "write URL");
    check("https://a/ get", "in capitals");
    check("https://a/ GET localhost", "write 127.0.0.1");
    check("https://a/ GET 10.0.0.0/33", "write 127.0.0.1");
    check("https://a/ GET 10.0.0.1/8", "10.0.0.0/8");
    check("https://a/ GET ::ffff:10.0.0.0/104", "10.0.0.0/8");
    check("https://a/ GET ::ffff:10.0.0.1", "10.0.0.1/32");
}

#[test]
fn the_table_of_a_policy_file() {
    let check = |text: &str, expect: Result<&str, &str>| match (toml::from_str::<HttpGrant>(text), expect) {
        (Ok(grant), Ok(expect)) => assert_eq!(grant.to_string(), expect),
        (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
        (found, _) => panic!("{text}: {found:?}"),
    };
    check("url = 'https://a/'", Ok("https://a/ GET,HEAD"));
    check("url = 'https://a/'\nmethods = ['POST', 'GET']", Ok("https://a/ GET,POST"));
    check("url = 'https://a/'\naddresses = ['10.0.0.0/8']", Ok("https://a/ GET,HEAD 10.0.0.0/8"));
    check("url = 'https://a/'\nmethods = []", Err("in capitals"));
    check("url = 'https://a/ POST'\nmethods = ['GET']", Err("a space"));
    check("url = 'https://a/'\nmethods = ['GET POST']", Err("in capitals"));
    check("url = 'https://a/'\naddress = []", Err("unknown field"));
    check("methods = ['GET']", Err("missing field"));
}

#[test]
fn a_request_is_asked_for_and_granted() {
    let decide =
        |asked: &[Option<&str>], granted: &[&str], method, url| access(asked, granted).decide(&target(url), method);
    let a = "https://a/ GET";
    assert_eq!(decide(&[Some(a)], &[a], "GET", "https://a/x").unwrap().rule.to_string(), a);
    assert_eq!(decide(&[None], &[a], "GET", "https://a/x").unwrap().rule.to_string(), a);
    // Each alone is not enough, and a request in neither is for the vendor first.
    assert!(matches!(decide(&[Some(a)], &[], "GET", "https://a/x"), Err(HttpDenied::NotGranted { .. })));
    assert!(matches!(decide(&[], &[a], "GET", "https://a/x"), Err(HttpDenied::NotAsked { .. })));
    assert!(matches!(decide(&[Some(a)], &[a], "GET", "https://b/"), Err(HttpDenied::NotAsked { .. })));
    // Asked below one path, granted below another: what is in both.
    let (asked, granted) = (&[Some("https://a/v1/ GET,POST")][..], &["https://a/v1/public/ GET"][..]);
    assert!(decide(asked, granted, "GET", "https://a/v1/public/x").is_ok());
    assert!(decide(asked, granted, "GET", "https://a/v1/x").is_err());
    assert!(decide(asked, granted, "POST", "https://a/v1/public/x").is_err());
    for method in ["CONNECT", "TRACE", "connect", "get"] {
        let denied = decide(&[None], &["https://a/ GET"], method, "https://a/");
        assert!(matches!(denied, Err(HttpDenied::Method { .. })), "{method}");
    }
}

/// What a denial says to write, on the command line and in a file.
fn pasted(denied: &HttpDenied) -> (HttpGrant, HttpGrant) {
    let text = denied.to_string();
    let (_, line) = text.split_once("--allow '").unwrap_or_else(|| panic!("{text}"));
    let (short, table) = line.split_once("', or at the top of the policy file: grants.http = [").expect("a table");
    let short = short.replace(r"'\''", "'");
    let short = short.strip_prefix("http=").expect("the kind");
    let table: toml::Table = format!("grant = {}", table.strip_suffix(']').unwrap()).parse().unwrap();
    (grant(short), table["grant"].clone().try_into().unwrap())
}

#[test]
fn a_denial_names_the_grant_that_allows_the_request() {
    let check = |method: &str, url: &str| {
        let target = target(url);
        let denied = access(&[None], &[]).decide(&target, method).expect_err(url);
        let (short, table) = pasted(&denied);
        assert_eq!(short, table, "{denied}");
        let asked: Option<&HttpRule> = None;
        HttpAccess::new([asked], vec![short]).decide(&target, method).unwrap_or_else(|again| panic!("{again}"));
    };
    check("GET", "https://a/v1/x?token=1");
    check("DELETE", "http://127.0.0.1:8080/");
    check("GET", "http://[::1]/it's,odd");
    check("GET", "https://a/v1/..%2fx");
    check("POST", "https://a/%22quoted%22");
}

#[test]
fn what_is_wide_and_what_is_not() {
    let check = |text: &str, expect: &[&str]| {
        let why = grant(text).width();
        assert_eq!(why.is_some(), !expect.is_empty(), "{text}: {why:?}");
        let why = why.unwrap_or_default();
        assert_eq!(why.split("; it ").filter(|reason| !reason.is_empty()).count(), expect.len(), "{text}: {why}");
        assert!(expect.iter().all(|part| why.contains(part)), "{text}: {why}");
    };
    check("https://*/", &["every host"]);
    for wide in [
        "https://*.com/",
        "https://*.co.uk/",
        "https://*.internal/",
        "https://*.github.io/",
        "https://*.s3.amazonaws.com/",
    ] {
        check(wide, &["anyone who takes a name"]);
    }
    for narrow in [
        "https://*.example.com/",
        "https://com/",
        "https://me.github.io/",
        "https://example.co.uk/",
        "https://10.0.0.1/",
    ] {
        check(narrow, &[]);
    }
    check("http://example.com/", &["without encryption"]);
    check("http://*.com/", &["anyone", "without encryption"]);
    check("http://localhost.example.com/", &["without encryption"]);
    for local in [
        "http://localhost:8080/ GET 127.0.0.1,::1",
        "http://a.localhost/ 127.0.0.0/8",
        "http://127.1/ 127.0.0.1",
        "http://[::1]/ ::1",
    ] {
        check(local, &[]);
    }
    let addresses = |list: &str, expect: &[&str]| check(&format!("https://build.corp.example/ GET {list}"), expect);
    addresses("10.1.2.3", &[]);
    addresses("10.1.0.0/16,fd12:3456:789a::/48", &[]);
    addresses("10.0.0.0/15", &["one site's network, by 10.0.0.0/15"]);
    addresses("fd00:1234::/47", &["one site's network"]);
    addresses("169.254.169.254", &["metadata, by 169.254.169.254"]);
    addresses("169.253.0.0/16", &[]);
    addresses("168.63.129.16", &["a cloud's platform"]);
    addresses("168.63.129.15", &[]);
    addresses("100.64.0.0/10", &["a cloud's metadata", "one site's network"]);
    addresses("192.0.0.0/24", &["a cloud's metadata"]);
    addresses("fd00:ec2::254", &["a cloud's metadata"]);
    addresses("fe80::1", &["link-local"]);
    addresses("127.0.0.1", &["this machine alone"]);
    addresses("::1", &["this machine alone"]);
    addresses("0.0.0.0", &["this machine alone"]);
    addresses("0.0.0.0/0", &["link-local", "this machine", "one site's network"]);
    addresses("::/0", &["link-local", "this machine", "one site's network"]);
}

#[test]
fn a_denied_address_names_itself() {
    let allowed = access(&[None], &["http://a/ GET 10.0.0.0/8", "http://*/ GET 127.0.0.1"])
        .decide(&target("http://a/"), "GET")
        .unwrap();
    let check = |address: &str, expect| assert_eq!(allowed.names(address.parse().unwrap()), expect, "{address}");
    check("10.1.2.3", true);
    check("::ffff:10.1.2.3", true);
    check("127.0.0.1", true);
    check("127.0.0.2", false);
    check("::1", false);
    let addresses = vec!["::1".parse().unwrap(), "::ffff:192.168.0.1".parse().unwrap()];
    let remedy = Box::new(allowed.with(&addresses));
    let denied = HttpDenied::Address { request: "GET http://a/".to_owned(), addresses, remedy };
    assert!(denied.to_string().contains("is at ::1, ::ffff:192.168.0.1, which is not public"), "{denied}");
    let told = denied.for_a_model();
    assert!(!told.contains("::1") && !told.contains("10.0.0.0"), "{told}");
    assert_eq!(told, HttpDenied::NotFound { request: "GET http://a/".to_owned() }.for_a_model());
    let (short, table) = pasted(&denied);
    assert_eq!(short, table);
    assert_eq!(short.to_string(), "http://a/ GET 10.0.0.0/8,127.0.0.1,192.168.0.1,::1");
}

#[test]
fn a_thousand_rules_are_looked_up_by_host() {
    let granted: Vec<_> = (0..1_000)
        .map(|at| grant(&format!("https://host-{at}.example.com/{at}/ GET")))
        .chain([grant("https://*.wild.example.com/ GET"), grant("https://*/public/ GET")])
        .collect();
    let access = HttpAccess::new([None], granted);
    // The index holds what a scan would find, and few of the others.
    for url in [
        "https://host-7.example.com/7/x",
        "https://a.b.wild.example.com/",
        "https://other.test/public/x",
        "https://[::1]/",
    ] {
        let target = target(url);
        let candidates: Vec<_> = access.granted_by_host.candidates(target.host()).collect();
        assert!(candidates.len() <= 3, "{url}: {candidates:?}");
        let scanned: Vec<_> =
            (0..access.granted.len()).filter(|at| access.granted[*at].rule.allows(&target, "GET")).collect();
        assert_eq!(
            candidates.iter().copied().filter(|at| access.granted[*at].rule.allows(&target, "GET")).collect::<Vec<_>>(),
            scanned
        );
    }
}
