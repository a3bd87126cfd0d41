use super::*;

fn check(html: &str, expect: &str) {
    assert_eq!(text(html, Url::parse("https://a.test/b/c?d").ok()), (expect.to_owned(), false), "{html}");
}

#[test]
fn blocks() {
    check("", "");
    check(" a\n  b<b> c</b>&nbsp;d ", "a b c d");
    check("<title>T</title><body><h1>One</h1>a<h3> Two\n</h3><p>b<p>c", "T\n\n# One\n\na\n\n### Two\n\nb\n\nc");
    check("a<div>b<div>c</div></div>d", "a\nb\nc\nd");
    check("a<br>b<br><br><br>c", "a\nb\n\nc");
    check("a<hr>b", "a\n\n---\n\nb");
    check("<h2></h2>a", "a");
    check("<blockquote>a<p>b</blockquote>c", "> a\n\n> b\n\nc");
    check("<pre>\n  a\n\n   <b>b</b> </pre>c", "```\n  a\n\n   b \n```\n\nc");
    check("<pre>a", "```\na\n```");
    check("<table><tr><th>a<th>b<tr><td>c</td><td> d</td></table>e", "a | b\nc | d\n\ne");
}

#[test]
fn lists() {
    check("a<ul><li>b<li>c</ul>d", "a\n\n- b\n- c\n\nd");
    check("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
    check("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c");
    check("<ul><li>a<br>b<li></li></ul>c", "- a\n  b\n\nc");
    check("<li>a</li></ul></ol>b", "- a\n\nb");
    check("<ul><li><h2>a</h2></ul>", "- ## a");
}

#[test]
fn links_and_images() {
    check("<a href=x>y</a>!", "y (https://a.test/b/x)!");
    check("<a href='/x?y&amp;z'> y </a>!", "y (https://a.test/x?y&z) !");
    check("<base href=/e/><base href=/f/><a href=x>y</a>", "y (https://a.test/e/x)");
    check("<a href=https://e.test/>https://e.test/</a>", "https://e.test/");
    check("<a href=mailto:a@b.test>a</a>", "a (mailto:a@b.test)");
    for href in ["#x", "javascript:x", "data:text/html,x", "http://[", "tel:1"] {
        check(&format!("<a href='{href}'>y</a>"), "y");
    }
    check("<a href=x></a><a href=y>z<a href=w>v", "z (https://a.test/b/y)v");
    check("<a href=x><img src=i alt='an eye'></a><img alt=' '><img>", "[image: an eye] (https://a.test/b/x)");
}

#[test]
fn what_is_not_shown() {
    check("a<script>b</script><style>c</style><!-- d --><svg><title>e</title><svg></svg>f</svg>g", "ag");
    check("a<noscript>b</noscript>c", "abc");
    check("a\u{202e}b\u{200b}\u{e0041}\u{7f}\u{1b}[31m\u{feff}c", "ab[31mc");
    check("&#x202e;&#27;&zwj;a", "\u{200d}a");
    check("a<template>b", "a");
}

#[test]
fn without_a_base_only_whole_links_lead_somewhere() {
    let found = |html| text(html, None).0;
    assert_eq!(found("<a href=x>y</a> <a href=https://b.test/>z</a>"), "y z (https://b.test/)");
    assert_eq!(found("<base href=https://b.test/e/><a href=x>y</a>"), "y (https://b.test/e/x)");
}

#[test]
fn growth_has_a_bound() {
    let base = Url::parse(&format!("https://a.test/{}/", "x".repeat(7000))).ok();
    for html in ["<a href=x>y</a>".repeat(60_000), "<blockquote><ul><li>x".repeat(60_000), "x".repeat(3 << 20)] {
        let (text, cut) = text(&html, base.clone());
        assert!(text.len() < TEXT_BYTES + 8192, "{}", text.len());
        assert_eq!(cut, text.len() > TEXT_BYTES);
    }
}

/// Everything at hand in every order: no panic, no growth, and what is text only stays what it is.
#[test]
fn any_text_is_html() {
    const PIECES: [&str; 40] = [
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "<!",
        "<?",
        "&",
        ";",
        "&#",
        "&#x",
        "amp",
        "\"",
        "'",
        "=",
        " ",
        "\n",
        "é",
        "😀",
        "\0",
        "\u{202e}",
        "<a href=",
        "</a>",
        "<li>",
        "<ul>",
        "</ul>",
        "<ol start=",
        "<pre>",
        "</pre>",
        "<td>",
        "<tr>",
        "<script>",
        "</script>",
        "<svg>",
        "<h1>",
        "</h1>",
        "<blockquote>",
        "</blockquote>",
        "x",
    ];
    let base = Url::parse("https://a.test/").ok();
    // A linear congruential generator (Knuth's MMIX): the same texts on every machine.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap()
    };
    for _ in 0..20_000 {
        let length = next() % 24;
        let html: String = (0..length).map(|_| PIECES[next() % PIECES.len()]).collect();
        let (text, cut) = text(&html, base.clone());
        assert!(!cut && text.len() < 100 * (1 + html.len()), "{html:?}");
        assert!(!text.contains(['\0', '\u{202e}']), "{html:?}");
    }
}
