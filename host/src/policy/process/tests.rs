use super::*;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn grant(text: &str) -> ProcessGrant {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// One row a command: what the pattern is, what is tried, whether it may run.
#[test]
fn arguments_match_one_by_one() {
    let check = |pattern: &str, args: &[&str], expect: bool| {
        let pattern: ArgPattern = pattern.parse().unwrap();
        assert_eq!(pattern.matches(&strings(args)), expect, "{pattern} with {args:?}");
    };
    check("", &[], true);
    check("", &["a"], false);
    check("log --oneline *", &["log", "--oneline", "main"], true);
    check("log --oneline *", &["log", "--oneline"], false);
    check("log --oneline *", &["log", "--oneline", "main", "more"], false);
    check("log --oneline *", &["log", "--oneline", "--output=/etc/passwd"], false);
    check("log --oneline *", &["log", "--oneline", "-"], false);
    check("log --oneline *", &["log", "--oneline", ""], true);
    check("log --oneline *", &["log", "--oneline", "a b; c"], true);
    check("log --oneline *", &["log", "--oneline", "*"], true);
    check("log --oneline *", &["log", "--Oneline", "main"], false);
    check("log --oneline *", &["--oneline", "log", "main"], false);
    check("log *", &["log", " --all"], true);
    check("log *", &["log", "\u{2212}-all"], true);
    check("log *", &["log", "a\0b"], false);
    check("log *", &["log", "+!sh"], false);
    check("log *", &["log", "@file"], false);
    check("log *", &["log", "a+b@c"], true);
    check("log -*", &["log", "+!sh"], true);
    check("log -*", &["log", "@file"], true);
    check("log +x @y", &["log", "+x", "@y"], true);
    check("log -*", &["log", "--all"], true);
    check("log -*", &["log", "main"], true);
    check("log -*", &["log"], false);
    check("log -*", &["log", "-\0"], false);
    check("add ...", &["add"], true);
    check("add ...", &["add", "a", "b", "c"], true);
    check("add ...", &["add", "a", "--force"], false);
    check("add ...", &["add", "a", "+q"], false);
    check("add ...", &["add", "@a"], false);
    check("add -...", &["add", "a", "--force"], true);
    check("add -...", &["add", "+q", "@a"], true);
    check("add -- -...", &["add", "--", "--force"], true);
    check("add -- -...", &["add", "--force"], false);
    check("...", &[], true);
    check("\"*\"", &["*"], true);
    check("\"*\"", &["a"], false);
    check("\"...\"", &["..."], true);
    check("\"...\"", &[], false);
    check("\"a b\" \"\"", &["a b", ""], true);
    check("\"a\\tb\\u{e9}\"", &["a\tb\u{e9}"], true);
}

#[test]
fn a_pattern_that_is_none_says_what_to_write() {
    let check = |pattern: &str, expect: &str| {
        let error = pattern.parse::<ArgPattern>().unwrap_err().to_string();
        assert!(error.contains(expect), "{pattern}: {error}");
    };
    check("*.txt", "write `*` alone, or the item in double quotes");
    check("--format=*", "write `*` alone");
    check("**", "write `*` alone");
    check("... a", "`...` stands before the end");
    check("-... ...", "`-...` stands before the end");
    check("\"a", "is not closed");
    check("a\"b\"", "put the whole word in double quotes");
    check("\"a\"b", "follows a closing quote");
    check(r#""\x""#, r"unknown escape \x");
    check(r#""\u{d800}""#, "there is no character");
    check(r#""\0""#, "zero byte");
    check(&"a ".repeat(257), "257 items; write at most 256");
    check(&"a".repeat(4097), "4097 bytes; write at most 4096");
}

/// What is written down is what is read back, in the short form and in a policy file.
#[test]
fn both_forms_come_back_as_they_were() {
    let check = |text: &str| {
        let first = grant(text);
        assert_eq!(grant(&first.to_string()), first, "{text}");
        let file: BTreeMap<String, BTreeMap<String, Vec<ProcessGrant>>> =
            toml::from_str(&first.policy_line()).unwrap_or_else(|error| panic!("{}: {error}", first.policy_line()));
        assert_eq!(file["grants"]["process"], [first], "{text}");
    };
    check("git:/usr/bin/git");
    check("git:/usr/bin/git log --oneline *");
    check("git:/usr/bin/git -* ...");
    check("git:/usr/bin/git -...");
    check(r#"a:/b "*" "..." "-*" "" "a b" "\"" "\\" "it's" "\n\t\u{202e}\u{1b}""#);
    check(r#"a:/b "a*" "b..." "\"quoted\"" back\slash"#);
    check(r#"a:LANG=C "X=a b" EMPTY= /usr/bin/a x=y"#);
    check(r#"a:"/opt/my tools/a" b"#);
    check("a:/ü \u{fc}");
}

#[test]
fn the_short_form_says_what_is_wrong_with_it() {
    let check = |text: &str, expect: &str| {
        let error = text.parse::<ProcessGrant>().unwrap_err().to_string();
        assert!(error.contains(expect), "{text}: {error}");
    };
    check("", "names no program and file");
    check("git", "names no program and file");
    check("git:", "names no program and file");
    check("git:A=b", "names no program and file");
    check(":/usr/bin/git", "the program's name: \"\" is no name");
    check("../git:/usr/bin/git", "\"../git\" is no name");
    check("-git:/usr/bin/git", "\"-git\" is no name");
    check("Git:/usr/bin/git", "\"Git\" is no name");
    check("git:git log", "not the absolute path of a file; write it like \"/usr/bin/git\"");
    check("git:./git", "not the absolute path");
    check("git:/", "not the absolute path");
    check("git:/usr/bin/", "not the absolute path");
    check("git:\"/a\\0b\"", "not the absolute path");
    check("git:=x /usr/bin/git", "cannot be an environment variable");
    check("git:A=1 A=2 /usr/bin/git", "set twice");
    check("git:/usr/bin/git *.rs", "program git: the item \"*.rs\"");
    check("git:/usr/bin/git \"log", "is not closed");
    let unknown = toml::from_str::<ProcessGrant>("name = \"git\"\npath = \"/usr/bin/git\"\nshell = true");
    assert!(unknown.unwrap_err().to_string().contains("unknown field `shell`"));
    let no_options = toml::from_str::<ProcessGrant>("name = \"git\"\npath = \"git\"");
    assert!(no_options.unwrap_err().to_string().contains("not the absolute path"));
}

/// The line of a denial allows that command, and nothing beside it.
#[test]
fn a_denial_names_the_line_that_allows_exactly_that() {
    let check = |grants: &[&str], program: &str, args: &[&str], flag: &str| {
        let grants: Vec<_> = grants.iter().map(|text| grant(text)).collect();
        let args = strings(args);
        let text = permit(&grants, program, &args).unwrap_err().logged;
        assert!(text.contains(flag), "{text}");
        let (_, pasted) = text.split_once("--allow ").unwrap();
        let (pasted, _) = pasted.split_once(", or at the top").unwrap();
        // As a shell reads it.
        let pasted = pasted.trim_matches('\'').replace(r"'\''", "'");
        let new = grant(pasted.strip_prefix("process=").unwrap());
        assert!(new.allows(&args), "{new}");
        let mut more = args.clone();
        more.push("more".to_owned());
        assert!(!new.allows(&more));
        assert!(permit(&[new], program, &args).is_ok());
        let (_, line) = text.split_once("policy file: ").unwrap();
        let file: BTreeMap<String, BTreeMap<String, Vec<ProcessGrant>>> = toml::from_str(line).unwrap();
        assert!(file["grants"]["process"][0].allows(&args));
    };
    check(&[], "git", &["status"], "--allow 'process=git:/usr/bin/git status'");
    check(&[], "git", &[], "--allow process=git:/usr/bin/git,");
    check(&["git:/opt/git log *"], "git", &["log", "-p"], "--allow 'process=git:/opt/git log -p'");
    check(&["git:HOME=/x /opt/git log *"], "git", &["push"], "--allow 'process=git:HOME=/x /opt/git push'");
    check(&["git:/opt/git ..."], "hg", &["*", "a b", ""], r#"'process=hg:/usr/bin/hg "*" "a b" ""'"#);
    check(&[], "echo", &["it's", "\u{1b}[2J", "\u{202e}x"], r#"it'\''s "\u{1b}[2J" "\u{202e}x"'"#);
}

/// What a grant holds is the operator's; what the tool asked for it may hear again.
#[test]
fn a_tool_hears_nothing_of_the_grant() {
    let grants = [grant("git:GIT_TOKEN=s3cret /opt/vault/git log *")];
    let check = |program: &str, args: &[String], expect: &str| {
        let denied = permit(&grants, program, args).unwrap_err();
        assert!(denied.told.contains(expect) && denied.told.len() < 2_000, "{}", denied.told);
        for kept in ["GIT_TOKEN", "s3cret", "vault", "/usr/bin", "--allow"] {
            assert!(!denied.told.contains(kept), "{}", denied.told);
        }
        denied.logged
    };
    let logged = check(
        "git",
        &strings(&["push", "a b"]),
        r#"the program "git" is not granted with the arguments "push" "a b";"#,
    );
    assert!(logged.contains(r#"--allow 'process=git:GIT_TOKEN=s3cret /opt/vault/git push "a b"'"#), "{logged}");
    check("git", &strings(&["log", "@file"]), "`-`, `+` or `@` has to be granted word for word, or by `-*` or `-...`");
    check("git", &[], "is not granted without arguments;");
    check("hg", &strings(&["log"]), r#"the program "hg" is not granted at all;"#);
    check("git", &strings(&["a\nb\u{1b}"]), r#""a\nb\u{1b}""#);
    check("git", &["x".repeat(1 << 20), "y".to_owned()], "x\"… and 1 more;");
    check("git", &vec![String::new(); 100_000], "and 99488 more;");
}

#[test]
fn a_denial_of_what_cannot_be_written_down_is_short() {
    let check = |program: &str, args: &[String], expect: &str| {
        let denied = permit(&[], program, args).unwrap_err();
        let text = denied.logged;
        assert!(text.contains(expect) && text.len() < 200, "{text}");
        assert!(denied.told.len() < 200, "{}", denied.told);
    };
    check("../../bin/sh", &[], r#"the program "../../bin/sh" is not granted at all"#);
    check("a\nb", &[], r#""a\nb""#);
    check(&"x".repeat(9_000), &[], "x\"…");
    check("git", &["x".repeat(4_000), "y".repeat(4_000)], "the 2 of them are too long to show");
    check("git", &["x".repeat(1 << 20)], "is not granted at all");
    check("git", &vec![String::new(); 1_000], "is not granted at all");
    check("git", &["a\0b".to_owned()], "is not granted at all");
}

#[test]
fn the_first_grant_that_fits_is_taken() {
    let grants =
        [grant("git:A=1 /usr/bin/git log *"), grant("git:A=2 /usr/bin/git show *"), grant("hg:/usr/bin/hg ...")];
    let check = |program: &str, args: &[&str], expect: Option<&str>| {
        let found = permit(&grants, program, &strings(args)).ok().and_then(|grant| grant.env().get("A"));
        assert_eq!(found.map(String::as_str), expect, "{program} {args:?}");
    };
    check("git", &["log", "x"], Some("1"));
    check("git", &["show", "x"], Some("2"));
    check("git", &["push", "x"], None);
    check("Git", &["log", "x"], None);
    check("/usr/bin/git", &["log", "x"], None);
}

#[test]
fn a_wide_program_is_named() {
    let check = |text: &str, expect: Option<&str>| {
        let width = grant(text).width();
        assert_eq!(width.is_some(), expect.is_some(), "{text}: {width:?}");
        assert!(width.unwrap_or_default().contains(expect.unwrap_or_default()), "{text}");
    };
    check("sh:/bin/sh -c *", Some("sh runs what it is told to run"));
    check("sh:/bin/sh", Some("sh runs"));
    check("tool:/usr/bin/python3.11 x.py", Some("python3.11 runs"));
    check("env:/usr/bin/env", Some("env runs"));
    check("find:/usr/bin/find *", Some("find runs"));
    check("xargs:/opt/renamed *", Some("xargs runs"));
    check("git:/usr/bin/git -...", Some("every option of git"));
    check("git:/usr/bin/git -*", Some("every option of git"));
    check("git:/usr/bin/git log ...", None);
    check("cat:/bin/cat *", None);
}
