//! Where the manifest lies in a component, and what reading it costs.

use super::*;

fn refused(bytes: &[u8], expect: &[&str]) {
    match Manifest::list(bytes) {
        Err(ManifestError::Refused(reasons)) => assert_eq!(rules(&reasons), expect),
        other => panic!("{other:?}"),
    }
    // The component may have faults of its own, which follow.
    assert_eq!(rules(&inspect(bytes).expect_err("it is refused"))[..expect.len()], *expect);
}

#[test]
fn exactly_one_at_the_top_level() {
    let bare = component_from_core_wat(&Guest::default().wat(), World::Tool);
    let json = manifest().to_string();
    refused(&bare, &["manifest/missing "]);
    let once = with_section(&bare, "fumehood:manifest", json.as_bytes());
    assert!(inspect(&once).is_ok());
    refused(&with_section(&once, "fumehood:manifest", json.as_bytes()), &["manifest/doubled "]);
    // One that lies in a component inside does not count.
    let outer = [HEADER, &[4], &leb128(once.len()), &once].concat();
    refused(&outer, &["manifest/missing "]);
}

#[test]
fn faults_of_manifest_and_component_come_together() {
    let bytes = with_section(&wat::parse_str("(component)").unwrap(), "fumehood:manifest", b"{}");
    let reasons = inspect(&bytes).unwrap_err();
    assert_eq!(
        rules(&reasons),
        [
            "manifest/missing-field /name",
            "manifest/missing-field /version",
            "manifest/missing-field /description",
            "manifest/missing-field /tools",
            "export/missing fumehood:tool/tool",
        ]
    );
}

/// Listing does not look past section headers: a code section of nonsense changes nothing.
#[test]
fn listing_reads_no_code() {
    let nonsense = [HEADER, &[1], &leb128(16 << 20), &vec![0xff; 16 << 20]].concat();
    let bytes = with_section(&nonsense, "fumehood:manifest", manifest().to_string().as_bytes());
    assert_eq!(Manifest::list(&bytes).unwrap().name, "guest");
    assert_eq!(inspect(&bytes).unwrap_err()[0].rule, "component/invalid");
}
