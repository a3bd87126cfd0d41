//! `.gitignore` files, as `gitignore(5)` has them: the last line that matches decides, and a nearer file outdoes
//! a farther one. The user's own and the repository's private lists are out of reach, and a file that is not
//! UTF-8 text counts as empty.

use std::rc::Rc;

use crate::pattern::Pattern;
use crate::root::{Root, join};
use crate::text::whole;

pub struct Ignore {
    /// The directory of the file.
    directory: String,
    rules: Vec<Rule>,
    farther: Option<Rc<Ignore>>,
}

struct Rule {
    pattern: Pattern,
    negated: bool,
    directories_only: bool,
}

impl Ignore {
    /// The rules for what lies in `directory`, given those of the directory above.
    pub fn of(root: &Root, directory: &str, farther: Option<Rc<Ignore>>) -> Option<Rc<Ignore>> {
        let text = whole(root, &join(directory, ".gitignore")).unwrap_or_default();
        let rules: Vec<_> = text.lines().filter_map(rule).collect();
        if rules.is_empty() {
            return farther;
        }
        Some(Rc::new(Self { directory: directory.to_owned(), rules, farther }))
    }

    pub fn hides(&self, path: &str, is_directory: bool) -> bool {
        let below = path[self.directory.len()..].trim_start_matches('/');
        let decides = |rule: &&Rule| (is_directory || !rule.directories_only) && rule.pattern.matches(below);
        match self.rules.iter().rev().find(decides) {
            Some(rule) => !rule.negated,
            None => self.farther.as_ref().is_some_and(|farther| farther.hides(path, is_directory)),
        }
    }
}

fn rule(line: &str) -> Option<Rule> {
    let mut line = line;
    while line.ends_with([' ', '\t']) && !line.ends_with("\\ ") {
        line = &line[..line.len() - 1];
    }
    if line.starts_with('#') {
        return None;
    }
    let (negated, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    let (directories_only, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
    // Without a `/` before its end a line speaks of names at any depth.
    let anywhere = if line.contains('/') { "" } else { "**/" };
    // What is no pattern matches nothing, as in git.
    let pattern = Pattern::without_braces(&format!("{anywhere}{line}")).ok().filter(|_| !line.is_empty())?;
    Some(Rule { pattern, negated, directories_only })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| std::fs::write(directory.path().join(path), text).unwrap();
        std::fs::create_dir(directory.path().join("sub")).unwrap();
        write(".gitignore", "# comment\n\n/target\n*.log\n!keep.log\nbuild/\ndoc/*.txt\n\\#x\nspace\\ \n[bad\n{a,b}\n");
        write("sub/.gitignore", "!*.log\n/own\n");
        let root = Root::new(directory.path(), ["/".to_owned()]);
        let top = Ignore::of(&root, "", None);
        let sub = Ignore::of(&root, "sub", top.clone());
        let check = |ignore: &Option<Rc<Ignore>>, path: &str, is_directory: bool, expect: bool| {
            assert_eq!(ignore.as_ref().unwrap().hides(path, is_directory), expect, "{path}");
        };
        check(&top, "target", true, true);
        check(&top, "x/target", true, false);
        check(&top, "x/a.log", false, true);
        check(&top, "x/keep.log", false, false);
        check(&top, "x/build", true, true);
        check(&top, "x/build", false, false);
        check(&top, "doc/a.txt", false, true);
        check(&top, "x/doc/a.txt", false, false);
        check(&top, "#x", false, true);
        check(&top, "space ", false, true);
        check(&top, "{a,b}", false, true);
        check(&top, "a", false, false);
        check(&sub, "sub/a.log", false, false);
        check(&sub, "sub/own", false, true);
        check(&sub, "sub/x/own", false, false);
        check(&sub, "sub/build", true, true);
    }
}
