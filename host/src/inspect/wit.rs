//! The WIT that this host speaks: our packages and the WASI it may be linked to, as vendored in `wit/`.

use std::sync::LazyLock;

use wit_parser::{Interface, Resolve, UnresolvedPackageGroup};

static OURS: [(&str, &str); 4] = [
    ("types.wit", include_str!("../../../wit/types.wit")),
    ("tool.wit", include_str!("../../../wit/tool.wit")),
    ("progress.wit", include_str!("../../../wit/progress.wit")),
    ("world.wit", include_str!("../../../wit/world.wit")),
];

static HOST: [(&str, &str); 3] = [
    ("process.wit", include_str!("../../../wit/host/process.wit")),
    ("tools.wit", include_str!("../../../wit/host/tools.wit")),
    ("world.wit", include_str!("../../../wit/host/world.wit")),
];

static REVIEW: [(&str, &str); 2] = [
    ("reviewer.wit", include_str!("../../../wit/review/reviewer.wit")),
    ("world.wit", include_str!("../../../wit/review/world.wit")),
];

static WASI: [(&str, &str); 7] = [
    ("cli.wit", include_str!("../../../wit/deps/cli.wit")),
    ("clocks.wit", include_str!("../../../wit/deps/clocks.wit")),
    ("filesystem.wit", include_str!("../../../wit/deps/filesystem.wit")),
    ("http.wit", include_str!("../../../wit/deps/http.wit")),
    ("io.wit", include_str!("../../../wit/deps/io.wit")),
    ("random.wit", include_str!("../../../wit/deps/random.wit")),
    ("sockets.wit", include_str!("../../../wit/deps/sockets.wit")),
];

static RESOLVE: LazyLock<Resolve> =
    LazyLock::new(|| parse().expect("the WIT in this binary is the one that the tests parsed"));

fn parse() -> Result<Resolve, String> {
    let (ours, host, review) = (package(&OURS)?, package(&HOST)?, package(&REVIEW)?);
    let mut wasi = Vec::new();
    for (name, text) in WASI {
        wasi.push(UnresolvedPackageGroup::parse(name, text).map_err(|(map, error)| error.render(&map))?);
    }
    let mut resolve = Resolve::default();
    resolve.push_groups(ours, wasi).map_err(|error| error.to_string())?;
    for beside in [host, review] {
        resolve.push_group(beside).map_err(|error| error.to_string())?;
    }
    Ok(resolve)
}

/// The files of one package.
fn package(files: &[(&str, &str)]) -> Result<UnresolvedPackageGroup, String> {
    let mut map = wit_parser::SourceMap::new();
    for (name, text) in files {
        map.push_str(name, *text);
    }
    map.parse().map_err(|(map, error)| error.render(&map))
}

/// Our WIT, parsed once.
pub(super) fn resolve() -> &'static Resolve {
    &RESOLVE
}

/// The interface of that package (`wasi:io`) and name (`poll`), in the version this host has.
pub(super) fn interface(package: &str, name: &str) -> Option<&'static Interface> {
    let (_, package) = RESOLVE.packages.iter().find(|(_, candidate)| {
        package.split_once(':') == Some((candidate.name.namespace.as_str(), candidate.name.name.as_str()))
    })?;
    Some(&RESOLVE.interfaces[*package.interfaces.get(name)?])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wit_parser::WorldItem;

    use super::*;
    use crate::capability;

    #[test]
    fn parses() {
        assert_eq!(parse().map(|resolve| resolve.packages.len()), Ok(10));
        assert!(interface("fumehood:tool", "tool").is_some());
        assert!(interface("fumehood:review", "reviewer").is_some());
        assert!(interface("wasi:io", "nothing").is_none());
    }

    /// The table of capabilities names every interface that the widest world and `wasi:http` import, and no other; and
    /// no function in it is made up.
    #[test]
    fn the_capability_table_is_about_this_wit() {
        let world = |package: &str, world: &str| {
            let (_, package) = RESOLVE.packages.iter().find(|(_, candidate)| candidate.name.name == package).unwrap();
            &RESOLVE.worlds[package.worlds[world]]
        };
        let imported: BTreeSet<String> = world("host", "tool-component-with-host-on-wasi")
            .imports
            .values()
            .chain(world("http", "imports").imports.values())
            .map(|item| match item {
                WorldItem::Interface { id, .. } => RESOLVE.id_of(*id).unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        let mut listed = BTreeSet::new();
        for row in capability::rows() {
            let found = interface(row.package, row.name).unwrap_or_else(|| panic!("{row:?}"));
            let package = &RESOLVE.packages[found.package.unwrap()].name;
            let version = package.version.as_ref().unwrap();
            listed.insert(format!("{}/{}@{version}", row.package, row.name));
            for function in row.exceptions() {
                assert!(found.functions.contains_key(function), "{} has no {function}", row.name);
            }
        }
        assert_eq!(listed, imported);
    }
}
