//! The whole of it for an embedder: build a host, load a file under a policy, list its tools, call one, match the
//! outcome.
//!
//! `cargo run --release --example embed -- sample-tools/dist/word-count.wasm word_count '{"text":"to be or not to be"}'`

#![expect(clippy::print_stdout, reason = "an example prints")]

use anyhow::Context as _;
use fumehood::{CacheLocation, Compiler, EngineSettings, Host, Outcome, Policy};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let file = words.next().context("name a tool component")?;
    let tool = words.next().context("name a tool")?;
    let args = serde_json::from_str(&words.next().unwrap_or_else(|| "{}".to_owned()))?;

    let host = Host::new(EngineSettings::standard(Compiler::InProcess, CacheLocation::Off))?;
    let policy = Policy::nothing().mount(".:/".parse()?)?;
    let tools = host.load(&file, &policy).await?;
    for tool in tools.tools() {
        println!("{}: {}", tool.name, tool.description);
    }
    match tools.call(&tool, args).await {
        Outcome::Success(success) => println!("{}\n{}", success.value.text(), success.card.title()),
        Outcome::Failure(failure) => println!("{:?} {}: {}", failure.kind, failure.code, failure.message),
    }
    Ok(())
}
