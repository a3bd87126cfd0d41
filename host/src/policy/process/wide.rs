//! Grants that give more than they seem to.

use super::ProcessGrant;

/// Programs that run what their arguments or their input say: to grant one is to grant every program. Names without the
/// version at their end. The list follows GTFOBins (<https://gtfobins.github.io>, "shell" and "command"), cut down to what
/// somebody may plausibly grant; it warns and is no boundary.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    // Shells and what is one in disguise.
    "sh", "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "nu", "pwsh", "rbash", "tcsh", "toybox",
    "zsh",
    // Interpreters.
    "awk", "bun", "deno", "elixir", "emacs", "expect", "gawk", "gdb", "ghci", "groovy", "guile", "irb", "java", "jjs",
    "js", "julia", "lua", "luajit", "mawk", "nawk", "node", "nodejs", "octave", "osascript", "perl", "php", "pypy",
    "python", "R", "Rscript", "racket", "raku", "ruby", "sbcl", "scala", "sqlite", "swift", "tclsh", "ts-node",
    "wish",
    // Programs that start others.
    "at", "batch", "chroot", "chrt", "cpulimit", "crontab", "doas", "docker", "env", "find", "fd", "flock", "ionice",
    "kubectl", "ltrace", "machinectl", "nerdctl", "nice", "nohup", "nsenter", "parallel", "pkexec", "podman",
    "run-parts", "runuser", "screen", "script", "setarch", "setpriv", "setsid", "ssh", "sshpass", "start-stop-daemon",
    "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "time", "timeout", "tmux", "unshare", "watch",
    "xargs",
    // Editors and pagers with a way to a shell.
    "ed", "less", "man", "more", "nano", "nvim", "pico", "sed", "tar", "vi", "view", "vim", "zip",
    // Build tools and package managers: their input is a program.
    "ant", "apt", "apt-get", "bundle", "cargo", "cmake", "composer", "dpkg", "gem", "gradle", "just", "make", "mvn",
    "ninja", "npm", "npx", "pip", "pipx", "pnpm", "poetry", "rake", "rustc", "uv", "uvx", "yarn",
];

pub(super) fn width(grant: &ProcessGrant) -> Option<String> {
    let file = grant.path().file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    let runner = [file.as_str(), grant.name()].into_iter().find(|name| RUNNERS.contains(&unversioned(name)));
    if let Some(runner) = runner {
        return Some(format!(
            "{runner} runs what it is told to run, so this grants every program of the machine with every argument"
        ));
    }
    grant.args().lets_options_through().then(|| {
        format!("every option of {} is let through, also those that run programs or write files", grant.name())
    })
}

/// `python3.11` is `python`.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
