#![expect(clippy::disallowed_methods, reason = "files of the tests' own directories, behind the cache's back")]

use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    sync::Barrier,
    time::{Duration, SystemTime},
};

use super::{
    super::{
        compile::{Tier, local},
        config::{Recipe, code_identity},
        settings::Bounds,
    },
    *,
};

const RECIPE: Recipe = Recipe { bounds: Bounds::Explicit, frugal: false, tier: Tier::Optimised };
const A: [u8; 32] = [0xa; 32];
const B: [u8; 32] = [0xb; 32];
const C: [u8; 32] = [0xc; 32];

struct Bench {
    home: tempfile::TempDir,
    engine: Engine,
    code: Vec<u8>,
}

impl Bench {
    fn new() -> Self {
        let wasm = wat::parse_str("(component (core module (memory 1) (data (i32.const 0) \"some data\")))").unwrap();
        let engine = RECIPE.compiler().unwrap();
        Self { home: tempfile::tempdir().unwrap(), engine, code: local(RECIPE, &wasm).unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("cache")
    }

    fn open(&self) -> Cache {
        self.open_for(code_identity(&self.engine), 1 << 20)
    }

    fn open_for(&self, identity: [u8; 32], most_bytes: u64) -> Cache {
        Cache::open(&self.path(), identity, most_bytes).unwrap()
    }

    fn entry(&self, cache: &Cache, sha256: [u8; 32]) -> PathBuf {
        self.path().join(cache.name(sha256))
    }

    fn hit(&self, cache: &Cache, sha256: [u8; 32]) -> bool {
        cache.load(&self.engine, sha256).is_some()
    }
}

#[test]
fn keeps_code_for_the_next_host() {
    let bench = Bench::new();
    let cache = bench.open();
    assert!(!bench.hit(&cache, A));
    cache.store(A, &bench.code).unwrap();
    assert!(bench.hit(&cache, A));
    assert!(bench.hit(&bench.open(), A));
    assert!(!bench.hit(&cache, B));
    let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(bench.entry(&cache, A)), 0o400);
    assert_eq!(mode(bench.path().join("key")), 0o400);
}

/// A changed entry is not loaded, is removed, and makes way for a sound one.
fn check_tampered(what: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let bench = Bench::new();
    let cache = bench.open();
    cache.store(A, &bench.code).unwrap();
    let path = bench.entry(&cache, A);
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
    assert!(!bench.hit(&cache, A), "{what}: loaded");
    assert!(!path.exists(), "{what}: kept");
    cache.store(A, &bench.code).unwrap();
    assert!(bench.hit(&cache, A), "{what}: not replaced");
}

#[test]
fn a_flipped_bit_anywhere_is_found() {
    let length = Bench::new().code.len() + TAG_BYTES;
    // The file header, each of 64 regions of the code, the end of the code, the tag.
    let regions = (0..64).map(|part| part * length / 64);
    for at in regions.chain([length - TAG_BYTES - 1, length - TAG_BYTES, length - 1]) {
        check_tampered(&format!("bit in byte {at}"), |bytes| bytes[at] ^= 1);
    }
}

#[test]
fn another_length_is_found() {
    let length = Bench::new().code.len() + TAG_BYTES;
    for keep in [0, 1, TAG_BYTES - 1, TAG_BYTES, length / 2, length - 1] {
        check_tampered(&format!("cut to {keep}"), |bytes| bytes.truncate(keep));
    }
    check_tampered("one byte more", |bytes| bytes.push(0));
    check_tampered("twice", |bytes| bytes.extend_from_within(..));
    check_tampered("no tag", |bytes| bytes.truncate(length - TAG_BYTES));
}

#[test]
fn a_sealed_entry_under_another_name_is_found() {
    let bench = Bench::new();
    let cache = bench.open();
    cache.store(A, &bench.code).unwrap();
    std::fs::rename(bench.entry(&cache, A), bench.entry(&cache, B)).unwrap();
    assert!(!bench.hit(&cache, B));
    assert!(!bench.entry(&cache, B).exists());
}

#[test]
fn sealed_bytes_that_are_no_code_are_found() {
    let bench = Bench::new();
    let cache = bench.open();
    cache.store(A, b"\x7fELF, so it says").unwrap();
    assert!(!bench.hit(&cache, A));
    assert!(!bench.entry(&cache, A).exists());
}

#[test]
fn an_entry_that_others_could_write_is_found() {
    let bench = Bench::new();
    let cache = bench.open();
    cache.store(A, &bench.code).unwrap();
    std::fs::set_permissions(bench.entry(&cache, A), Permissions::from_mode(0o420)).unwrap();
    assert!(!bench.hit(&cache, A));
}

#[test]
fn code_of_another_engine_is_left_alone() {
    let bench = Bench::new();
    let other = bench.open_for([7; 32], 1 << 20);
    other.store(A, &bench.code).unwrap();
    let cache = bench.open();
    assert!(!bench.hit(&cache, A));
    assert!(bench.hit(&other, A));
}

#[test]
fn another_key_makes_entries_worthless() {
    type Damage = fn(&Path);
    let damage: [(&str, Damage); 4] = [
        ("removed", |key| std::fs::remove_file(key).unwrap()),
        ("seen by others", |key| std::fs::set_permissions(key, Permissions::from_mode(0o444)).unwrap()),
        ("short", |key| {
            std::fs::remove_file(key).unwrap();
            std::fs::write(key, [1; 31]).unwrap();
            std::fs::set_permissions(key, Permissions::from_mode(0o400)).unwrap();
        }),
        ("long", |key| {
            std::fs::remove_file(key).unwrap();
            std::fs::write(key, [1; 33]).unwrap();
            std::fs::set_permissions(key, Permissions::from_mode(0o400)).unwrap();
        }),
    ];
    for (what, damage) in damage {
        let bench = Bench::new();
        bench.open().store(A, &bench.code).unwrap();
        damage(&bench.path().join("key"));
        let cache = bench.open();
        assert!(!bench.hit(&cache, A), "{what}");
        cache.store(A, &bench.code).unwrap();
        assert!(bench.hit(&bench.open(), A), "{what}");
    }
}

#[test]
fn the_least_recently_used_make_room() {
    let bench = Bench::new();
    let entry = (bench.code.len() + TAG_BYTES) as u64;
    let cache = bench.open_for(code_identity(&bench.engine), 2 * entry);
    for (day, sha256) in [(1, A), (2, B)] {
        cache.store(sha256, &bench.code).unwrap();
        let file = std::fs::File::open(bench.entry(&cache, sha256)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(day * 86_400)).unwrap();
    }
    // A is older, but in use.
    assert!(bench.hit(&cache, A));
    cache.store(C, &bench.code).unwrap();
    assert!(bench.hit(&cache, A) && !bench.hit(&cache, B) && bench.hit(&cache, C));
}

#[test]
fn what_cannot_fit_evicts_nothing() {
    let bench = Bench::new();
    let entry = (bench.code.len() + TAG_BYTES) as u64;
    let cache = bench.open_for(code_identity(&bench.engine), entry);
    cache.store(A, &bench.code).unwrap();
    let error = cache.store(B, &[bench.code.as_slice(), &[0]].concat()).unwrap_err();
    assert!(matches!(error, CacheError::Io { action: "keep compiled code", .. }));
    assert!(bench.hit(&cache, A));
}

#[test]
fn a_mapped_entry_outlives_its_file() {
    let bench = Bench::new();
    let cache = bench.open();
    cache.store(A, &bench.code).unwrap();
    let component = cache.load(&bench.engine, A).unwrap();
    let text = component.text().to_vec();
    cache.store(A, &bench.code).unwrap();
    std::fs::remove_file(bench.entry(&cache, A)).unwrap();
    assert_eq!(component.text(), text);
    assert_eq!(component.serialize().unwrap().len(), bench.code.len() + TAG_BYTES);
}

#[test]
fn hosts_that_start_together_share_one_key() {
    const HOSTS: u8 = 8;
    let bench = Bench::new();
    let start = Barrier::new(HOSTS.into());
    std::thread::scope(|scope| {
        for host in 0..HOSTS {
            let (bench, start) = (&bench, &start);
            scope.spawn(move || {
                start.wait();
                let cache = bench.open();
                cache.store([host; 32], &bench.code).unwrap();
                cache.store(A, &bench.code).unwrap();
                assert!(bench.hit(&cache, A));
            });
        }
    });
    let cache = bench.open();
    for host in 0..HOSTS {
        assert!(bench.hit(&cache, [host; 32]), "host {host}");
    }
}

#[test]
fn leftovers_of_a_dead_host_go() {
    let bench = Bench::new();
    drop(bench.open());
    let left = bench.path().join("tmp.0123456789abcdef");
    std::fs::write(&left, "half an entry").unwrap();
    let cache = bench.open();
    assert!(!left.exists());
    cache.store(A, &bench.code).unwrap();
    assert!(bench.hit(&cache, A));
}

#[test]
fn a_cache_that_went_away_is_a_miss() {
    let bench = Bench::new();
    let cache = bench.open();
    std::fs::remove_dir_all(bench.path()).unwrap();
    assert!(matches!(cache.store(A, &bench.code), Err(CacheError::Io { .. })));
    assert!(!bench.hit(&cache, A));
}
