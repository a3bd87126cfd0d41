//! From the start of a program to its first list of tools, as a client waits for it.

use std::time::Instant;

use crate::figures::{print_ratio, quantile};
use crate::peers::Program;
use crate::stdio::Client;
use crate::tools::MANY;

/// Starts of each program.
const RUNS: usize = 15;

pub(crate) fn start(ours: &Program, thousand: &Program, others: &[Program]) {
    let programs: Vec<_> = [ours, thousand].into_iter().chain(others).collect();
    let mut times = vec![Vec::new(); programs.len()];
    for _ in 0..RUNS {
        for (program, times) in programs.iter().zip(&mut times) {
            let start = Instant::now();
            let mut client = Client::start(program);
            let tools = client.list();
            times.push(start.elapsed().as_secs_f64());
            assert!(tools == MANY || program.name != thousand.name, "{tools}");
        }
    }
    print_ratio("start to first list: ratio 1,000 tools/1 tool", "no bound", &times[1], &times[0]);
    for (program, theirs) in programs.iter().zip(&times).skip(2) {
        let what = format!("start to first list: ratio to {}", program.name);
        print_ratio(&what, "no bound", &times[0], theirs);
    }
    for (program, times) in programs.iter().zip(&times) {
        println!("    start to first list, {}: {:.1} ms", program.name, quantile(times, 0.5) * 1e3);
    }
}
