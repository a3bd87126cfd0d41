//! A report as a page of text.

use std::fmt::Write as _;

use super::word;
use crate::check::{Check, Counts, Peak, Report, Verdict};
use crate::{Finding, Used};

pub(super) fn page(report: &Report) -> String {
    let mut page = String::new();
    let name = match (&report.name, &report.version) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        _ => "no component".to_owned(),
    };
    // Writing into a string cannot fail, here and below.
    let _ = writeln!(page, "{name}{}\n", report.digest.map(|digest| format!("\n{digest}")).unwrap_or_default());
    let width = report.checks.iter().map(|check| check.id.len()).max().unwrap_or_default();
    for check in &report.checks {
        let _ = writeln!(page, "{:7}  {:width$}  {}", check.verdict.word(), check.id, check.line);
        findings(&mut page, check);
    }
    // Who asks for some checks alone asks for this one too, or not.
    if !report.headroom.is_empty() && report.checks.iter().any(|check| check.id == "headroom") {
        headroom(&mut page, &report.headroom);
    }
    let Counts { passed, warned, failed, skipped } = report.counts();
    let _ =
        writeln!(page, "\n{passed} passed, {warned} warned, {failed} failed, {skipped} skipped; seed {}", report.seed);
    page
}

fn findings(page: &mut String, check: &Check) {
    for finding in &check.findings {
        let Finding { at, message, remedy, .. } = finding;
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        let _ = writeln!(page, "  {}{at}: {}", word(finding), set_in(message));
        if !remedy.is_empty() {
            let _ = writeln!(page, "    {}", set_in(remedy));
        }
    }
    if matches!(check.verdict, Verdict::Failed | Verdict::Warned) {
        let _ = writeln!(page, "    see {}", check.page);
    }
}

/// A text of the tool: its further lines stand under the first, each marked, so that none can pass for a line of the
/// report.
fn set_in(text: &str) -> String {
    text.replace('\n', "\n    | ")
}

fn headroom(page: &mut String, peaks: &[Peak]) {
    let rows: Vec<_> = peaks
        .iter()
        .map(|peak| {
            let Used { limit, used, max, .. } = peak.used;
            [
                limit.key().to_owned(),
                used.to_string(),
                max.to_string(),
                format!("{} %", peak.percent()),
                peak.run.clone(),
            ]
        })
        .collect();
    let head = ["limit", "used", "of", "", "by"].map(str::to_owned);
    let width =
        |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or_default();
    let [limit, used, of] = [0, 1, 2].map(width);
    // Room for 100 %, so that a slow machine does not move a column.
    let percent = "100 %".len();
    let _ = writeln!(page);
    for row in [&head].into_iter().chain(&rows) {
        let line = format!(
            "{:limit$}  {:>used$}  {:>of$}  {:>percent$}  {}",
            row[0],
            row[1],
            row[2],
            row[3],
            row[4].replace('\n', " ")
        );
        let _ = writeln!(page, "{}", line.trim_end());
    }
}
