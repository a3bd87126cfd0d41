//! The command line, as transcripts: standard output, standard error and exit status of each command.
//!
//! `tests/cli/*.md` and the README. `TRYCMD=overwrite cargo test --test cli` writes down what happens now.

use std::path::Path;

#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes a directory for what its commands write")]
fn transcripts() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package has a parent");
    // The only test of this process: its commands start where a reader of the README is.
    std::env::set_current_dir(repository).expect("the repository exists");
    // What the transcripts of approvals write: each run begins without.
    let scratch = repository.join("target/tmp");
    std::fs::create_dir_all(&scratch).expect("a directory for what transcripts write");
    for left in ["approvals.lock", "word-count-2.wasm", "inspect-2.wasm", "inspect-3.wasm", "inspect-hostile.wasm"] {
        let _ = std::fs::remove_file(scratch.join(left));
    }
    let cache = tempfile::tempdir().expect("a directory for compiled code");
    trycmd::TestCases::new()
        .register_bin("fumehood", Path::new(env!("CARGO_BIN_EXE_fumehood")))
        .env("XDG_CACHE_HOME", cache.path().to_string_lossy())
        .case(repository.join("tests/cli/*.md"))
        .case(repository.join("README.md"))
        .run();
}
