//! Resident memory: of many tools of which few are used, and after many calls.

use crate::peers::Program;
use crate::stdio::Client;
use crate::tools::{self, MANY};
use crate::wire::Call;

/// Tools of [`MANY`] that are called.
const USED: usize = 10;
/// Calls of a soak where the environment names no other number as `FUMEHOOD_SOAK`.
const SOAK: usize = 20_000;
/// Calls at once in a soak.
const WIDTH: usize = 32;

pub(crate) fn memory(ours: &Program, thousand: &Program, others: &[Program]) {
    let mut client = Client::start(thousand);
    assert_eq!(client.list(), MANY);
    let listed = resident(&client);
    for number in 0..USED {
        let tool = tools::name(number * MANY / USED);
        // The code knows its tool by the name that it was built with: it is loaded and run, and says that.
        let answer = client.ask("tools/call", Call { tool: tool.clone(), ..thousand.call.clone() }.params());
        assert!(answer.contains(&format!("this component has no tool `{tool}`")), "{answer}");
    }
    let used = resident(&client);
    print("1,000 tools listed", listed);
    print("1,000 tools listed, 10 of them used", used);
    drop(client);
    for program in std::iter::once(ours).chain(others) {
        let mut client = Client::start(program);
        client.list();
        let listed = resident(&client);
        client.call(&program.call);
        print(&format!("{}, listed", program.name), listed);
        print(&format!("{}, used once", program.name), resident(&client));
    }
}

/// Memory at the quarter and at the end: all that is kept for a while is there by then.
pub(crate) fn soak(ours: &Program) {
    let calls = std::env::var("FUMEHOOD_SOAK").map_or(SOAK, |calls| calls.parse().unwrap());
    let mut client = Client::start(ours);
    client.calls(&ours.call, calls / 4, WIDTH);
    let quarter = resident(&client);
    client.calls(&ours.call, calls - calls / 4, WIDTH);
    let end = resident(&client);
    let ratio = end.iter().sum::<f64>() / quarter.iter().sum::<f64>();
    println!("==> soak: ratio of resident memory, after {calls} calls/after {} {ratio:.3} (bound 1.05)", calls / 4);
    print("at the quarter", quarter);
    print("at the end", end);
}

/// MiB: the process's own, and that of mapped files.
fn resident(client: &Client) -> [f64; 2] {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.process())).unwrap();
    ["RssAnon:", "RssFile:"].map(|key| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    })
}

fn print(what: &str, [own, mapped]: [f64; 2]) {
    println!("==> resident memory, {what}: {own:.1} MiB, and {mapped:.1} MiB of mapped files");
}
