//! Small calls: how long one takes, and how many there are in a second.

use std::time::Duration;

use crate::figures::{print_ratio, quantile};
use crate::http::Server;
use crate::peers::{EXPORTS, Program, RMCP_ECHO};
use crate::stdio::Client;
use crate::wire::{Call, Era};

/// Calls of each program, sequential and in flight.
const CALLS: usize = 5_000;
/// Of those, in one turn: long beside a wake-up, short beside the machine's moods.
const TURN: usize = 500;
/// Calls at once.
const WIDTH: usize = 32;
/// Before anything counts: what is compiled when first used then is.
const WARM_UP: usize = 200;

/// What is measured of one program.
struct Lane<'a> {
    name: &'static str,
    call: &'a Call,
    wire: Wire,
    /// Seconds of every sequential call.
    times: Vec<f64>,
    /// Median seconds of each turn.
    p50: Vec<f64>,
    /// The same of the slowest hundredth.
    p99: Vec<f64>,
    /// Seconds for each call of a turn with [`WIDTH`] in flight.
    wide: Vec<f64>,
}

enum Wire {
    Stdio(Client),
    Http(Server),
}

impl Wire {
    fn call(&mut self, call: &Call) -> Duration {
        match self {
            Wire::Stdio(client) => client.call(call),
            Wire::Http(server) => server.call(call),
        }
    }

    fn calls(&mut self, call: &Call, count: usize) -> Duration {
        match self {
            Wire::Stdio(client) => client.calls(call, count, WIDTH),
            Wire::Http(server) => server.calls(call, count),
        }
    }
}

impl<'a> Lane<'a> {
    fn new(name: &'static str, call: &'a Call, mut wire: Wire) -> Self {
        for _ in 0..WARM_UP {
            wire.call(call);
        }
        let [times, p50, p99, wide] = [const { Vec::new() }; 4];
        Self { name, call, wire, times, p50, p99, wide }
    }

    fn turn(&mut self) {
        let times: Vec<_> = (0..TURN).map(|_| self.wire.call(self.call).as_secs_f64()).collect();
        self.p50.push(quantile(&times, 0.5));
        self.p99.push(quantile(&times, 0.99));
        self.times.extend(times);
        self.wide.push(self.wire.calls(self.call, TURN).as_secs_f64() / TURN as f64);
    }
}

/// The first of `lanes` is ours.
fn measure(wire: &str, mut lanes: Vec<Lane<'_>>) {
    for turn in 0..CALLS / TURN {
        // Whoever comes first in a turn finds the machine as the last left it: that is not always the same one.
        let count = lanes.len();
        (0..count).for_each(|lane| lanes[(lane + turn) % count].turn());
    }
    let [ours, theirs @ ..] = &lanes[..] else { return };
    for peer in theirs {
        let bound = match peer.name {
            RMCP_ECHO => "bound 1.25",
            EXPORTS => "no bound",
            _ => "goal below 1",
        };
        let ratio = |what: &str, bound: &str, ours: &[f64], theirs: &[f64]| {
            print_ratio(&format!("{wire}, {what}: ratio to {}", peer.name), bound, ours, theirs);
        };
        ratio("p50", bound, &ours.p50, &peer.p50);
        ratio("p99", "no bound", &ours.p99, &peer.p99);
        ratio("time for each call, 32 in flight", "no bound", &ours.wide, &peer.wide);
    }
    let named = |name: &str| lanes.iter().find(|lane| lane.name == name);
    if let (Some(exports), Some(echo)) = (named(EXPORTS), named(RMCP_ECHO)) {
        let what = format!("{wire}, p50: ratio of {EXPORTS} to {RMCP_ECHO}");
        print_ratio(&what, "what a fresh instance for each export takes", &exports.p50, &echo.p50);
    }
    for lane in &lanes {
        let [p50, p99] = [0.5, 0.99].map(|share| quantile(&lane.times, share) * 1e6);
        let rate = quantile(&lane.wide, 0.5).recip();
        println!(
            "    {wire}, {}: p50 {p50:.1} µs, p99 {p99:.1} µs, {rate:.0} calls/s with {WIDTH} in flight",
            lane.name
        );
    }
}

/// Pipes, 2025-11-25.
pub(crate) fn over_stdio(ours: &Program, others: &[Program], exports: &Program) {
    let lane = |program: &Program| Wire::Stdio(Client::start(program));
    let lanes = std::iter::once(ours).chain(others).chain([exports]);
    measure("stdio", lanes.map(|program| Lane::new(program.name, &program.call, lane(program))).collect());
}

/// Connections to this machine, each revision for itself.
pub(crate) fn over_http(ours: &Program, others: &[Program]) {
    for era in [Era::Newer, Era::Older] {
        let lanes = std::iter::once(ours).chain(others).filter(|program| program.eras.contains(&era));
        let start = |program| Wire::Http(Server::start(program, era, WIDTH));
        let lanes = lanes.map(|program| Lane::new(program.name, &program.call, start(program))).collect();
        measure(&format!("HTTP {}", era.version()), lanes);
    }
}
