//! A projector runs in a call and with its value; nobody calls it alone, and nobody runs `execute` without the gates.

use fumehood::Toolset;
use fumehood::sandbox::SealedSandbox;

async fn project(tools: &Toolset) {
    let _ = tools.render("echo", "{}", "{}").await;
    let _ = tools.execute("echo", "{}").await;
}

fn main() {
    let _ = project;
}
