//! The log of a session: what is acknowledged is there, what is torn is mended, what is damaged is named, and all of it reads.
//!
//! This program has no test harness, because it plays several parts, named by its first argument: writers that are killed, a
//! writer that holds a log, one whose disk is full, a reader whose memory is measured. Without a part it runs the tests whose
//! names contain one of its arguments, or all.
#![expect(clippy::print_stdout, reason = "a test runner reports")]
#![expect(clippy::unwrap_used, reason = "no test attribute marks what is here")]
#![expect(clippy::disallowed_methods, reason = "files of the tests' own directories, and this program")]

#[path = "session_log/damage.rs"]
mod damage;
#[path = "session_log/events.rs"]
mod events;
#[path = "session_log/form.rs"]
mod form;
#[path = "session_log/kill.rs"]
mod kill;
#[path = "session_log/place.rs"]
mod place;
#[path = "session_log/reading.rs"]
mod reading;
#[path = "session_log/torn.rs"]
mod torn;

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// A name, and what it names.
macro_rules! named {
    ($($module:ident :: $name:ident),+ $(,)?) => { &[$((stringify!($name), $module::$name)),+] };
}

/// What this program does for its own tests. It gets the arguments after its name.
type Part = fn(&[String]);

const PARTS: &[(&str, Part)] =
    named![kill::writes_until_killed, kill::opens_and_waits, place::fills_the_disk, reading::reads_much];

const TESTS: &[(&str, fn())] = named![
    form::lines_are_numbered_dated_and_chained,
    form::every_event_is_as_published,
    form::the_schema_catches_what_is_wrong,
    form::a_log_of_form_1_reads,
    form::what_is_not_for_a_log_is_refused,
    form::events_that_belong_together_are_all_there_or_none,
    form::threads_write_whole_lines,
    place::a_new_log_is_for_this_user_alone,
    place::only_a_plain_file_is_a_log,
    place::another_file_is_left_as_it_is,
    place::a_log_that_others_reach_is_refused,
    place::two_writers_in_one_process,
    place::two_writers_in_two_processes,
    place::a_full_disk_loses_and_halves_nothing,
    damage::a_change_of_any_byte_is_named,
    damage::a_line_that_is_gone_or_twice_is_named,
    damage::a_log_of_a_later_form_is_read_and_not_written,
    torn::a_log_cut_anywhere_is_mended,
    torn::a_last_line_of_garbage_is_set_aside,
    torn::calls_are_closed_from_the_inside,
    torn::a_repair_cut_anywhere_is_repaired,
    torn::a_piece_half_set_aside_is_set_aside_whole,
    torn::a_foreign_file_in_its_place_stays,
    reading::cards_degrade_to_the_generic_one,
    reading::calls_are_put_together_as_they_were_asked_for,
    reading::a_long_call_is_passed_by,
    reading::calls_without_their_lines_are_shown,
    reading::what_is_derived_is_what_a_repair_writes,
    reading::bad_lines_are_named_and_passed,
    reading::what_the_model_read_is_what_stands_there,
    reading::memory_does_not_grow_with_the_log,
    kill::kills_lose_nothing,
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((_, part)) = PARTS.iter().find(|(name, _)| arguments.first().is_some_and(|first| first == name)) {
        part(&arguments[1..]);
        return ExitCode::SUCCESS;
    }
    // Flags of the usual harness mean nothing here.
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let mut failed = false;
    for (name, test) in TESTS.iter().filter(|(name, _)| chosen(name)) {
        let passed = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed |= !passed;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// This program in a part of it.
fn playing(part: &str) -> Command {
    assert!(PARTS.iter().any(|(name, _)| *name == part), "no part {part}");
    let mut command = Command::new(this_program());
    command.arg(part);
    command
}
