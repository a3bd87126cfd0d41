//! JUnit's XML. It has no standard; this is what Jenkins, GitLab and GitHub's actions all read:
//! <https://github.com/testmoapp/junitxml>.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::word;
use crate::check::{Check, Counts, Report, Verdict};

pub(super) fn document(report: &Report) -> String {
    let Counts { failed, skipped, .. } = report.counts();
    let suite = report.name.as_deref().unwrap_or("component");
    let count = report.checks.len();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing into a string cannot fail, here and below.
    let _ = writeln!(xml, "<testsuites tests=\"{count}\" failures=\"{failed}\" errors=\"0\">");
    let _ = writeln!(
        xml,
        "  <testsuite name=\"fumehood check {}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\">",
        escaped(suite)
    );
    xml.push_str("    <properties>\n");
    if let Some(digest) = report.digest {
        let _ = writeln!(xml, "      <property name=\"digest\" value=\"{digest}\"/>");
    }
    let _ = writeln!(xml, "      <property name=\"seed\" value=\"{}\"/>\n    </properties>", report.seed);
    report.checks.iter().for_each(|check| case(&mut xml, check));
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn case(xml: &mut String, check: &Check) {
    let _ = write!(xml, "    <testcase classname=\"fumehood.check\" name=\"{}\"", escaped(check.id));
    let line = escaped(&check.line);
    let _ = match check.verdict {
        Verdict::Passed => writeln!(xml, "/>"),
        Verdict::Skipped => writeln!(xml, ">\n      <skipped message=\"{line}\"/>\n    </testcase>"),
        // A warning does not fail; those who look find it in the output.
        Verdict::Warned => {
            writeln!(xml, ">\n      <system-out>{}</system-out>\n    </testcase>", escaped(&told(check)))
        }
        Verdict::Failed => writeln!(
            xml,
            ">\n      <failure message=\"{line}\" type=\"{}\">{}</failure>\n    </testcase>",
            escaped(check.id),
            escaped(&told(check))
        ),
    };
}

fn told(check: &Check) -> String {
    let mut told = String::new();
    for finding in &check.findings {
        let _ = writeln!(told, "{}: {finding}", word(finding));
    }
    told.push_str(&check.page);
    told
}

/// For an attribute in double quotes and for text alike. What XML 1.0 has no way to write is shown as Rust writes it.
fn escaped(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'') && is_xml(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c if is_xml(c) => escaped.push(c),
            c => escaped.extend(c.escape_debug()),
        }
    }
    Cow::Owned(escaped)
}

/// <https://www.w3.org/TR/xml/#charsets>, without what moves the cursor.
fn is_xml(c: char) -> bool {
    matches!(c, '\n' | '\t') || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_tool_can_be_markup() {
        assert_eq!(escaped("a b"), "a b");
        assert_eq!(escaped("]]></failure>\"'&"), "]]&gt;&lt;/failure&gt;&quot;&apos;&amp;");
        assert_eq!(escaped("\u{1b}[31m\0\u{ffff}\r"), "\\u{1b}[31m\\0\\u{ffff}\\r");
    }
}
