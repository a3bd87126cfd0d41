//! Which headers of a request are the host's own, so that neither a guest nor a secret's grant sets them.

/// They frame a message or belong to one connection (RFC 9110, sections 7.2, 7.6.1 and 10.1; RFC 9112, section 6).
const OF_THE_CONNECTION: [&str; 11] = [
    "connection",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "trailers",
    "transfer-encoding",
    "upgrade",
    "via",
];
/// With these some servers and frameworks take another method, host, path or client than the request has: what a rule
/// allowed and what is done would differ.
const REWRITING: [&str; 10] = [
    "forwarded",
    "x-host",
    "x-http-host-override",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-host",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
];
/// And every header that starts so.
const PREFIXES: [&str; 3] = ["proxy-", "x-forwarded-", "x-original-"];

/// Whether a guest may not set this header. CGI and its heirs read `_` and `-` alike, so they count as one here.
pub(crate) fn is_reserved(name: &str) -> bool {
    let plain = plain_name(name);
    OF_THE_CONNECTION.contains(&plain.as_str())
        || REWRITING.contains(&plain.as_str())
        || PREFIXES.iter().any(|prefix| plain.starts_with(prefix))
        // The true `content-length` is checked against the body; its look-alike is not.
        || (plain == "content-length" && name.contains('_'))
}

/// In lower case, with `-` for `_`.
pub(crate) fn plain_name(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}
