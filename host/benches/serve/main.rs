//! The figures of "Serving" in `docs/performance.md`: `cargo bench --bench serve` remakes them, each as a line that starts
//! with `==>`.
//!
//! One raw client asks `fumehood serve` and its peers in turns, so that a busy machine slows all of them. Nothing here fails
//! on a bound: tests would then fail with the weather.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, makes its own files, and stops at the first surprise"
)]

// The baseline of the other benchmark, here behind a wire.
#[path = "../speed/bare.rs"]
#[expect(dead_code, reason = "the other benchmark uses all of it")]
mod bare;
mod calls;
mod exports;
mod figures;
mod http;
mod memory;
mod peers;
mod start;
mod stdio;
mod tools;
mod wire;

fn main() {
    // `cargo test --benches` only wants to know that this starts.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    if let [_, serve, component] = &std::env::args().collect::<Vec<_>>()[..]
        && serve == peers::SERVE_EXPORTS
    {
        return exports::serve(component.as_ref());
    }
    let home = tempfile::tempdir().unwrap();
    let word_count = peers::word_count(&home.path().join("cache"));
    let mut others = vec![peers::rmcp_echo()];
    match peers::everything() {
        Ok(everything) => others.push(everything),
        Err(why) => println!("==> {}: skipped, {why}", peers::EVERYTHING),
    }
    println!(
        "==> wassette, the nearest peer that sandboxes its tools: not measured; no package registry has it, and what is \
         not built here in the same run is not comparable"
    );
    let thousand = home.path().join("tools");
    tools::fill(&thousand, tools::MANY);
    let thousand = peers::thousand(&thousand, &home.path().join("cache"));

    calls::over_stdio(&word_count, &others, &peers::exports());
    calls::over_http(&word_count, &others);
    start::start(&word_count, &thousand, &others);
    memory::memory(&word_count, &thousand, &others);
    memory::soak(&word_count);
}
