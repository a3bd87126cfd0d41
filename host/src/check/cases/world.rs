//! What is around the calls of one case: its files, its server, its grants.

use std::collections::BTreeMap;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde_json::Value;
use tempfile::TempDir;

use super::form::{Case, File};
use super::server::Server;
use crate::check::Loading;
use crate::check::pointer::step;
use crate::{Grant, GuestPath, LimitName, Mount, Policy, Toolset};

/// Everything that one run of a case takes, made anew for each run. Gone when dropped.
pub(super) struct World {
    pub(super) case: Case,
    pub(super) toolset: Toolset,
    folder: Dir,
    server: Server,
    /// After the open folder: the last to go.
    _directory: TempDir,
}

impl World {
    /// # Errors
    /// What of the case cannot be used, or why the component does not load with its grants.
    pub(super) async fn make(case: &Value, loading: &Loading) -> Result<Self, String> {
        let here = |error: std::io::Error| format!("this machine has no room for the case: {error}");
        let mut server = Server::bind().await.map_err(here)?;
        let text = case.to_string().replace("{server}", server.url());
        let case: Case = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let answers = case.server.iter().map(|(path, answer)| Ok((path.clone(), answer.bytes()?)));
        server.answer(answers.collect::<Result<BTreeMap<_, _>, String>>()?);
        let directory = tempfile::tempdir().map_err(here)?;
        // A name in the case cannot lead out of the folder.
        let folder = Dir::open_ambient_dir(directory.path(), ambient_authority()).map_err(here)?;
        for (name, file) in &case.files {
            write(&folder, name, &file.bytes()?).map_err(|error| format!("files: {name:?}: {error}"))?;
        }
        let beyond = case.grants.iter().find(|text| !loading.trust_cases && reaches_out(text, server.url()));
        if let Some(text) = beyond {
            return Err(format!(
                "grants: {text:?} reaches out of the case, to this machine or the network; read what the case does with it, and \
                 check with --trust-cases where it may have it"
            ));
        }
        let policy = policy(&case, directory.path())?;
        let toolset = loading.under(&policy).await.map_err(|error| error.to_string())?;
        Ok(Self { case, toolset, folder, server, _directory: directory })
    }

    /// The server's URL, which the case calls `{server}`.
    pub(super) fn url(&self) -> &str {
        self.server.url()
    }

    /// What is not as it must be after the calls: where in the case, and what.
    pub(super) fn left(&self) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        for (name, file) in &self.case.after {
            let at = format!("/after/{}", step(name));
            match self.compared(name, file.as_ref()) {
                Ok(None) => {}
                Ok(Some(found)) => wrong.push((at, found)),
                Err(error) => wrong.push((at, error)),
            }
        }
        let asked = self.server.asked();
        if self.case.asked.as_ref().is_some_and(|expected| *expected != asked) {
            wrong.push(("/asked".to_owned(), format!("the server was asked for {asked:?}")));
        }
        wrong
    }

    fn compared(&self, name: &str, expected: Option<&File>) -> Result<Option<String>, String> {
        let found = match self.folder.read(name) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        let expected = expected.map(File::bytes).transpose()?;
        Ok(match (&found, &expected) {
            _ if found == expected => None,
            (None, _) => Some("there is no such file".to_owned()),
            (Some(_), None) => Some("the file exists".to_owned()),
            (Some(found), Some(expected)) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                Some(super::compare::lines(&text(expected), &text(found)))
            }
        })
    }
}

fn write(folder: &Dir, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = Path::new(name).parent().filter(|parent| !parent.as_os_str().is_empty()) {
        folder.create_dir_all(parent)?;
    }
    folder.write(name, bytes)
}

/// Whether a grant gives more than what the case itself brings along. One that cannot be read gives nothing.
fn reaches_out(text: &str, server: &str) -> bool {
    match text.parse() {
        Ok(Grant::Clock | Grant::Random | Grant::Tools(_)) | Err(_) => false,
        Ok(Grant::Env(grant)) => grant.value.is_none(),
        Ok(Grant::Http(grant)) => !grant.rule.url().starts_with(&format!("{server}/")),
        Ok(Grant::Filesystem(_) | Grant::Secret(_) | Grant::Process(_)) => true,
    }
}

fn policy(case: &Case, folder: &Path) -> Result<Policy, String> {
    let failed = |error: crate::PolicyError| error.to_string();
    // Time and chance are granted to every case; what depends on them is not compared.
    let mut policy =
        Policy::nothing().allow(Grant::Clock).and_then(|policy| policy.allow(Grant::Random)).map_err(failed)?;
    if let Some(access) = case.mount {
        let mount = Mount { host: folder.to_owned(), guest: GuestPath::root(), access };
        policy = policy.mount(mount).map_err(failed)?;
    }
    for text in &case.grants {
        let grant: Grant = text.parse().map_err(|error| format!("grants: {text:?}: {error}"))?;
        policy = policy.allow(grant).map_err(failed)?;
    }
    for (key, value) in &case.limits {
        let known = || LimitName::ALL.iter().map(|name| name.key()).collect::<Vec<_>>().join(", ");
        let name = LimitName::from_key(key);
        let name = name.ok_or_else(|| format!("limits: there is no limit {key:?}; the limits are {}", known()))?;
        policy = policy.limit(name, *value).map_err(failed)?;
    }
    Ok(policy)
}
