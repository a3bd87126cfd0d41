//! What passed the gates stays as it is.

use fumehood::Success;

fn clear(success: &mut Success) {
    success.value.value().as_object_mut().unwrap().clear();
}

fn replace(success: &mut Success) {
    *success.value.value_mut() = Default::default();
}

fn main() {
    let _ = (clear, replace);
}
