//! What a tool should not do, in a form that no optimiser takes away.

use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::time::SystemTime;

pub fn endless() -> ! {
    let mut turns = 0_u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

/// Takes memory, a MiB at a time, and touches it: reserved pages cost a host nothing.
pub fn hungry() -> ! {
    let mut taken = Vec::new();
    loop {
        taken.push(black_box(vec![1_u8; 1 << 20]));
    }
}

/// Deep enough for any stack. What each level keeps stays in a local: frames in memory would run into the start of the
/// memory, which a host cannot tell from any other bad address.
pub fn recursive(depth: u64) -> u64 {
    if depth == u64::MAX { depth } else { recursive(depth + 1).rotate_left(1) ^ depth }
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "asked for")]
pub fn noisy(export: &str) {
    println!("{export} on standard output");
    eprintln!("{export} on standard error");
}

pub fn clock() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    format!("{} seconds since 1970", since.map_or(0, |since| since.as_secs()))
}

/// How many names the root of the sandbox holds.
pub fn file() -> Result<String, String> {
    let entries = std::fs::read_dir("/").map_err(|error| error.kind().to_string())?;
    Ok(format!("{} names", entries.count()))
}

/// Seeds come from the host: std has no other way to a random number.
pub fn random() -> String {
    format!("{:016x}", RandomState::new().hash_one(0))
}
