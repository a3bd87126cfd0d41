//! A world with everything that a manifest asks for and nothing in it: empty folders, a network that leads nowhere, a
//! secret that opens nothing, programs that are not there.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::Loading;
use crate::{
    ArgPattern, Capability, EnvGrant, Grant, GuestPath, HttpGrant, HttpRule, LoadError, Mount, Policy, ProcessGrant,
    Request, Toolset,
};

/// No name ends so: <https://www.rfc-editor.org/rfc/rfc6761#section-6.4>.
const NOWHERE: &str = "https://nowhere.invalid/";
/// Where no program is.
const NO_PROGRAM: &str = "/nonexistent/fumehood-check";

/// A component in such a world, or in the operator's own where there is a policy.
pub(super) struct EmptyWorld {
    pub(super) toolset: Toolset,
    pub(super) policy: Policy,
    /// Whether nothing of it leads to a network.
    pub(super) alone: bool,
    /// Gone with the last who holds it.
    pub(super) directory: Arc<TempDir>,
}

impl EmptyWorld {
    /// - `policy`: limits, and grants where an operator gives some in place of what the manifest asks for.
    /// - `grant`: which of the requests are granted, where the policy grants nothing.
    ///
    /// # Errors
    /// This machine has no room for it, or the component does not load.
    pub(super) async fn make(
        loading: &Loading,
        policy: &Policy,
        grant: impl Fn(&Request) -> bool,
    ) -> Result<Self, String> {
        Self::try_make(loading, policy, grant).await.map_err(|error| error.to_string())
    }

    /// # Errors
    /// As [`Self::make`].
    pub(super) async fn try_make(
        loading: &Loading,
        policy: &Policy,
        grant: impl Fn(&Request) -> bool,
    ) -> Result<Self, LoadError> {
        let fault = |error: String| LoadError::Fault(error);
        let directory = tempfile::tempdir().map_err(|error| fault(error.to_string()))?;
        let alone = policy.grants().next().is_none();
        let (policy, toolset) = if alone {
            let asked = loading.inspected.manifest().capabilities.iter().filter(|request| grant(request));
            let policy = given(policy.clone(), asked, directory.path()).map_err(fault)?;
            let toolset = loading.alone(&policy).await?;
            (policy, toolset)
        } else {
            (policy.clone(), loading.under(policy).await?)
        };
        Ok(Self { toolset, policy, alone, directory: Arc::new(directory) })
    }
}

/// The policy with what grants these requests, from files in `folder`.
fn given<'a>(
    mut policy: Policy,
    requests: impl Iterator<Item = &'a Request> + Clone,
    folder: &Path,
) -> Result<Policy, String> {
    let rules: Vec<_> = requests
        .clone()
        .filter_map(|request| match &request.capability {
            Capability::Http { target } => Some(nowhere(target.as_ref())),
            _ => None,
        })
        .collect();
    for request in requests {
        let grant = match &request.capability {
            Capability::Filesystem { access } => {
                let host = folder.join("files");
                // One level, in a directory that is ours alone.
                std::fs::create_dir(&host).map_err(|error| error.to_string())?;
                Grant::Filesystem(Mount { host, guest: GuestPath::root(), access: *access })
            }
            Capability::Http { target } => {
                let grant = nowhere(target.as_ref()).parse::<HttpGrant>().map_err(|error| error.to_string())?;
                Grant::Http(grant)
            }
            Capability::Secret { name } => secret(name.as_str(), &rules, folder)?,
            Capability::Env { name } => Grant::Env(EnvGrant { name: name.clone(), value: Some("value".to_owned()) }),
            Capability::Clock => Grant::Clock,
            Capability::Random => Grant::Random,
            Capability::Process { program } => {
                let grant = ProcessGrant::new(program.as_str(), NO_PROGRAM, ArgPattern::default(), [].into());
                Grant::Process(grant.map_err(|error| error.to_string())?)
            }
            Capability::Tools { tool } => Grant::Tools(tool.clone()),
        };
        policy = policy.allow(grant).map_err(|error| error.to_string())?;
    }
    Ok(policy)
}

/// The rule as it is asked for. A name is looked up by a resolver that finds nothing; an address is not looked up, so the
/// rule for one gets a path that nobody asks for.
fn nowhere(target: Option<&HttpRule>) -> String {
    let Some(rule) = target.map(ToString::to_string) else { return NOWHERE.to_owned() };
    let (url, methods) = rule.split_once(' ').map_or((rule.as_str(), ""), |(url, methods)| (url, methods));
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let number =
        host.starts_with('[') || host.split(':').next().is_some_and(|host| host.parse::<std::net::Ipv4Addr>().is_ok());
    let url =
        if number { format!("{}/fumehood-check-goes-nowhere/", url.trim_end_matches('/')) } else { url.to_owned() };
    format!("{url} {methods}").trim_end().to_owned()
}

/// A secret that opens nothing, for the hosts that are asked for.
fn secret(name: &str, rules: &[String], folder: &Path) -> Result<Grant, String> {
    let file = folder.join(format!("secret-{name}"));
    let written = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    written.and_then(|mut file| file.write_all(b"not-a-secret-of-anyone")).map_err(|error| error.to_string())?;
    let urls: Vec<_> = rules.iter().map(String::as_str).filter(|rule| !rule.contains('*')).collect();
    let urls = if urls.is_empty() { vec![NOWHERE] } else { urls };
    let quoted: Vec<_> = urls.iter().map(|url| format!("{url:?}")).collect();
    let text =
        format!("grants.secret = [{{ name = {name:?}, file = \"secret-{name}\", to = [{}] }}]", quoted.join(", "));
    let policy = Policy::from_toml(&text, folder).map_err(|error| error.to_string())?;
    let grant = policy.grants().map(|(_, grant)| grant.clone()).next();
    grant.ok_or_else(|| "no grant of a secret".to_owned())
}
