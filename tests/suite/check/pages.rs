//! Each check has its section in the documentation, and each section its check.

use std::path::Path;

use fumehood::check::{ALL, about};

#[test]
fn every_check_has_its_section_and_every_section_its_check() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (file, _) = ALL[0].page().split_once('#').map(|(file, id)| (file.to_owned(), id.to_owned())).unwrap();
    let text = std::fs::read_to_string(repository.join(file)).unwrap();
    let sections: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let ids: Vec<_> = ALL.iter().map(|row| row.id).collect();
    assert_eq!(sections, ids, "in the order of the table");
    for row in ALL {
        let (_, section) = text.split_once(&format!("### {}\n", row.id)).unwrap();
        assert!(section.trim_start().starts_with(row.meaning), "{}: the section begins with its meaning", row.id);
        assert_eq!(about(row.id), Some(row));
        assert!(row.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", row.id);
    }
    assert_eq!(about("nothing"), None);
}
