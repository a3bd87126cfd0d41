//! Every limit has a value that somebody chose: there is none to fall into.

use fumehood::{EngineSettings, JsonLimits, Limits, LoadLimits};

fn main() {
    let _ = Limits::default();
    let _ = LoadLimits::default();
    let _ = JsonLimits::default();
    let _ = EngineSettings::default();
    let _ = JsonLimits { bytes: None, depth: 64, nodes: 1 };
    let _ = Limits::standard().tightened(fumehood::LimitName::Memory, u64::MAX);
}
