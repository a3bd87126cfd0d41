//! Tools come from a host that compiled them.

use fumehood::Toolset;

fn main() {
    let _ = Toolset::new();
    let _ = Toolset::default();
}
