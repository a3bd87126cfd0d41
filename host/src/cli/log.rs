//! The log: `tracing` events of the library, on standard error.

use clap::ValueEnum;
use tracing_subscriber::fmt::format::FmtSpan;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One line for a person
    Text,
    /// One JSON object a line, with OpenTelemetry's attribute names
    Json,
}

/// From here on, events are written. What a tool chose in them is escaped by the library, and by JSON.
pub(super) fn start(format: Format) {
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_max_level(tracing_subscriber::filter::LevelFilter::INFO);
    let done = match format {
        Format::Text => builder.try_init(),
        Format::Json => builder.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init(),
    };
    // Only a second call could fail, and there is one.
    let _ = done;
}
