//! The WIT that this host speaks: the interfaces of our packages and those of WASI that a component may import, as vendored in `wit/`.

use std::sync::LazyLock;

use wit_parser::{Interface, Resolve, UnresolvedPackageGroup};

/// The files of one package, by their names.
type Files<'a> = &'a [(&'a str, &'a str)];

static TOOL: Files<'_> = &[
    ("types.wit", include_str!("../../../wit/types.wit")),
    ("tool.wit", include_str!("../../../wit/tool.wit")),
    ("progress.wit", include_str!("../../../wit/progress.wit")),
];

static HOST: Files<'_> = &[
    ("process.wit", include_str!("../../../wit/host/process.wit")),
    ("tools.wit", include_str!("../../../wit/host/tools.wit")),
];

static REVIEW: Files<'_> = &[("reviewer.wit", include_str!("../../../wit/review/reviewer.wit"))];

static WASI: [Files<'_>; 7] = [
    &[("cli.wit", include_str!("../../../wit/deps/cli.wit"))],
    &[("clocks.wit", include_str!("../../../wit/deps/clocks.wit"))],
    &[("filesystem.wit", include_str!("../../../wit/deps/filesystem.wit"))],
    &[("http.wit", include_str!("../../../wit/deps/http.wit"))],
    &[("io.wit", include_str!("../../../wit/deps/io.wit"))],
    &[("random.wit", include_str!("../../../wit/deps/random.wit"))],
    &[("sockets.wit", include_str!("../../../wit/deps/sockets.wit"))],
];

/// The interfaces of our own packages. They use none of WASI's, which is ten times as much to read.
static OUR_INTERFACES: LazyLock<Resolve> = LazyLock::new(|| known(parse(TOOL, &[HOST, REVIEW])));
static WASI_INTERFACES: LazyLock<Resolve> = LazyLock::new(|| {
    let [cli, rest @ ..] = &WASI;
    known(parse(cli, rest))
});

fn known(parsed: Result<Resolve, String>) -> Resolve {
    parsed.expect("the WIT in this binary is the one that the tests parsed")
}

/// One package and others around it, in any order.
fn parse(package: Files<'_>, others: &[Files<'_>]) -> Result<Resolve, String> {
    let group = |files: Files<'_>| -> Result<UnresolvedPackageGroup, String> {
        let mut map = wit_parser::SourceMap::new();
        for (name, text) in files {
            map.push_str(name, *text);
        }
        map.parse().map_err(|(map, error)| error.render(&map))
    };
    let others = others.iter().map(|files| group(files)).collect::<Result<_, _>>()?;
    let mut resolve = Resolve::default();
    resolve.push_groups(group(package)?, others).map_err(|error| error.to_string())?;
    Ok(resolve)
}

/// An interface that this host knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) interface: &'static Interface,
    /// Where its types are found.
    pub(super) resolve: &'static Resolve,
}

/// The interface of that package (`wasi:io`) and name (`poll`), in the version this host has.
pub(super) fn interface(package: &str, name: &str) -> Option<Known> {
    let (namespace, package) = package.split_once(':')?;
    let resolve: &'static Resolve = if namespace == "wasi" { &WASI_INTERFACES } else { &OUR_INTERFACES };
    let mut packages = resolve.packages.iter().map(|(_, candidate)| candidate);
    let package = packages.find(|known| (&*known.name.namespace, &*known.name.name) == (namespace, package))?;
    Some(Known { interface: &resolve.interfaces[*package.interfaces.get(name)?], resolve })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wit_parser::WorldItem;

    use super::*;
    use crate::capability;

    #[test]
    fn interfaces_are_found_by_package_and_name() {
        assert!(interface("fumehood:tool", "tool").is_some());
        assert!(interface("fumehood:host", "process").is_some());
        assert!(interface("fumehood:review", "reviewer").is_some());
        assert!(interface("wasi:sockets", "tcp").is_some());
        assert!(interface("wasi:io", "nothing").is_none());
    }

    /// Everything in one, with the worlds that guests are built against.
    fn whole() -> Resolve {
        let with = |files: Files<'static>, world: &'static str| [files, &[("world.wit", world)]].concat();
        let tool = with(TOOL, include_str!("../../../wit/world.wit"));
        let host = with(HOST, include_str!("../../../wit/host/world.wit"));
        let review = with(REVIEW, include_str!("../../../wit/review/world.wit"));
        let others = [&[&*host, &*review], &WASI[..]].concat();
        parse(&tool, &others).unwrap()
    }

    /// The table of capabilities names every interface that the widest world and `wasi:http` import, and no other; and
    /// no function in it is made up.
    #[test]
    fn the_capability_table_is_about_this_wit() {
        let whole = whole();
        assert_eq!(whole.packages.len(), 10);
        let world = |package: &str, world: &str| {
            let (_, package) = whole.packages.iter().find(|(_, candidate)| candidate.name.name == package).unwrap();
            &whole.worlds[package.worlds[world]]
        };
        let imported: BTreeSet<String> = world("host", "tool-component-with-host-on-wasi")
            .imports
            .values()
            .chain(world("http", "imports").imports.values())
            .map(|item| match item {
                WorldItem::Interface { id, .. } => whole.id_of(*id).unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        let mut listed = BTreeSet::new();
        for row in capability::rows() {
            let found = interface(row.package, row.name).unwrap_or_else(|| panic!("{row:?}"));
            let package = &found.resolve.packages[found.interface.package.unwrap()].name;
            let version = package.version.as_ref().unwrap();
            listed.insert(format!("{}/{}@{version}", row.package, row.name));
            for function in row.exceptions() {
                assert!(found.interface.functions.contains_key(function), "{} has no {function}", row.name);
            }
        }
        assert_eq!(listed, imported);
    }
}
