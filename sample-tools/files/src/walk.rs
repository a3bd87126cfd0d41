//! All files below a directory, in the order of their paths.

use std::rc::Rc;

use fumehood_tool::ToolError;

use crate::ignore::Ignore;
use crate::root::{Kind, Root, join};

/// What version control keeps for itself; nobody looks for a text in there.
const NEVER: [&str; 7] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS"];

pub struct Walk<'a> {
    pub root: &'a Root,
    /// Whether `.gitignore` files count.
    pub ignore: bool,
    /// Whether links to files are among the results. Links to directories never are: no file is found twice, and
    /// no loop is entered.
    pub links: bool,
    /// Which directories are worth entering.
    pub enter: &'a dyn Fn(&str) -> bool,
}

impl Walk<'_> {
    /// A directory below `start` that is closed to us is passed over, as if it were not there; `start` must be.
    pub fn files(&self, start: &str) -> Result<Vec<String>, ToolError> {
        let mut files = Vec::new();
        let mut open = vec![(start.to_owned(), self.rules(start))];
        while let Some((directory, rules)) = open.pop() {
            let names = match self.root.list(&directory) {
                Err(error) if directory == start => return Err(error),
                Err(ToolError::Failed(failure)) => return Err(ToolError::Failed(failure)),
                names => names.unwrap_or_default(),
            };
            for (name, kind) in names {
                let path = join(&directory, &name);
                let hidden = rules.as_ref().is_some_and(|rules| rules.hides(&path, kind == Kind::Directory));
                match kind {
                    _ if hidden => {}
                    Kind::Directory if NEVER.contains(&name.as_str()) || !(self.enter)(&path) => {}
                    Kind::Directory => {
                        let rules = self.ignore.then(|| Ignore::of(self.root, &path, rules.clone())).flatten();
                        open.push((path, rules));
                    }
                    Kind::File => files.push(path),
                    Kind::Link if self.links && matches!(self.root.kind(&path), Ok(Kind::File)) => files.push(path),
                    Kind::Link | Kind::Other => {}
                }
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    /// The rules that hold in `start`: its own and those of every directory above it.
    fn rules(&self, start: &str) -> Option<Rc<Ignore>> {
        if !self.ignore {
            return None;
        }
        let ends = start.match_indices('/').map(|(end, _)| end).chain([start.len()]);
        let above = std::iter::once("").chain(ends.map(|end| &start[..end]).filter(|path| !path.is_empty()));
        above.fold(None, |farther, directory| Ignore::of(self.root, directory, farther))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn walks() {
        let directory = tempfile::tempdir().unwrap();
        for path in ["b/x/1", "b/2", "b-c", "a/.git/config", "a/target/o", "a/.hidden", "target/p"] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(directory.path().join(".gitignore"), "target/\n").unwrap();
        std::os::unix::fs::symlink("..", directory.path().join("b/up")).unwrap();
        std::os::unix::fs::symlink("2", directory.path().join("b/link")).unwrap();
        let root = Root::new(directory.path(), ["/".to_owned()]);
        let check = |start: &str, ignore: bool, links: bool, expect: &[&str]| {
            let walk = Walk { root: &root, ignore, links, enter: &|_| true };
            assert_eq!(walk.files(start).unwrap(), expect, "{start}");
        };
        check("", true, false, &[".gitignore", "a/.hidden", "b-c", "b/2", "b/x/1"]);
        check("a", true, false, &["a/.hidden"]);
        check("a", false, false, &["a/.hidden", "a/target/o"]);
        check("target", true, false, &["target/p"]);
        check("b", true, true, &["b/2", "b/link", "b/x/1"]);
        let walk = Walk { root: &root, ignore: false, links: false, enter: &|_| true };
        assert!(matches!(walk.files("none"), Err(ToolError::NotFound(_))));
    }
}
