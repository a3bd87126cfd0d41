//! Cards and content blocks as plain lines. It switches on the card's case and knows no tool.

use std::fmt::Write as _;

use fumehood::{Card, ContentBlock, ExitStatus, ResourceBody, SearchResults, WebResults};

const DIFF_TIME: std::time::Duration = std::time::Duration::from_millis(500);

/// One content block as text. Media are named, not dumped.
pub(super) fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text, .. } => text.clone(),
        ContentBlock::Image { data, mime_type, .. } => format!("[image {mime_type}, {} bytes]", data.0.len()),
        ContentBlock::Audio { data, mime_type, .. } => format!("[audio {mime_type}, {} bytes]", data.0.len()),
        ContentBlock::ResourceLink { uri, name, .. } => format!("[{name}: {uri}]"),
        ContentBlock::Resource { resource, .. } => match &resource.body {
            ResourceBody::Text(text) => format!("[{}]\n{text}", resource.uri),
            ResourceBody::Blob(data) => format!("[{}, {} bytes]", resource.uri, data.0.len()),
        },
    }
}

/// A card as lines: its title, an empty line, its body.
pub(super) fn draw(card: &Card) -> String {
    let mut text = format!("{}\n\n", card.title());
    // Writing into a string cannot fail.
    let _ = body(card, &mut text);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn body(card: &Card, out: &mut String) -> std::fmt::Result {
    match card {
        Card::Generic { input, body, locations, .. } => {
            if let Some(input) = input {
                writeln!(out, "{input:#}\n")?;
            }
            for one in body {
                writeln!(out, "{}", block(one))?;
            }
            for place in locations {
                let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
                writeln!(out, "{}{line}", place.path)?;
            }
            Ok(())
        }
        Card::Terminal { cwd, output, exit, timed_out, .. } => {
            if let Some(cwd) = cwd {
                writeln!(out, "in {cwd}")?;
            }
            writeln!(out, "{output}")?;
            match exit {
                Some(ExitStatus::Code(code)) => writeln!(out, "exit {code}")?,
                Some(ExitStatus::Signal(signal)) => writeln!(out, "ended by {signal}")?,
                None => {}
            }
            if *timed_out { writeln!(out, "timed out") } else { Ok(()) }
        }
        Card::Diff { diffs, .. } => diffs.iter().try_for_each(|diff| {
            let old = diff.old.as_deref().unwrap_or_default();
            // The best diff of two long texts that have nothing in common takes quadratic time; past this, a rougher one.
            let changes = similar::TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, &diff.new);
            let before = if diff.old.is_some() { diff.path.as_str() } else { "/dev/null" };
            writeln!(out, "{}", changes.unified_diff().header(before, &diff.path))
        }),
        Card::Read { lines, total_lines, offset, .. } => {
            for line in lines {
                writeln!(out, "{:>6}  {}", line.number, line.text)?;
            }
            writeln!(out, "{} of {total_lines} lines, from line {offset}", lines.len())
        }
        Card::Search { results: SearchResults::Matches { files, truncated, total }, .. } => {
            for file in files {
                writeln!(out, "{}", file.path)?;
                for found in &file.matches {
                    writeln!(out, "{:>6}  {}", found.line_number, found.line)?;
                }
            }
            let shown: usize = files.iter().map(|file| file.matches.len()).sum();
            tail(out, shown, *total, *truncated)
        }
        Card::Search { results: SearchResults::Paths { paths, truncated, total }, .. } => {
            for path in paths {
                writeln!(out, "{path}")?;
            }
            tail(out, paths.len(), *total, *truncated)
        }
        Card::Web { results: WebResults::Search { sources, answer, truncated }, .. } => {
            if let Some(answer) = answer {
                writeln!(out, "{answer}\n")?;
            }
            for source in sources {
                writeln!(out, "{}\n  {}", source.title.as_deref().unwrap_or(&source.url), source.url)?;
                if let Some(snippet) = &source.snippet {
                    writeln!(out, "  {snippet}")?;
                }
            }
            if *truncated { writeln!(out, "…") } else { Ok(()) }
        }
        Card::Web { results: WebResults::Fetch { url, status, truncated }, .. } => {
            writeln!(out, "{url}\nHTTP {status}{}", if *truncated { ", cut" } else { "" })
        }
    }
}

fn tail(out: &mut String, shown: usize, total: u64, truncated: bool) -> std::fmt::Result {
    if truncated { writeln!(out, "{shown} of {total}") } else { writeln!(out, "{total} in all") }
}
