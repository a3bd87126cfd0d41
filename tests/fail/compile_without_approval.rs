//! Native code is made of what was approved.

use fumehood::{Component, Host, Inspected};

async fn compile(host: &Host, component: Component, inspected: Inspected) {
    let _ = host.compile(component).await;
    let _ = host.compile(inspected).await;
}

fn main() {
    let _ = compile;
}
