//! The Rust side of `wit/`. The only place that generates bindings.

wasmtime::component::bindgen!({
    path: "../wit",
    world: "fumehood:tool/tool-component",
    imports: { default: trappable },
    exports: { default: async },
    ownership: Borrowing { duplicate_if_necessary: true },
});

/// What the host itself can do for a tool. A call of these waits for others: for a program, for another tool.
pub(crate) mod host {
    wasmtime::component::bindgen!({
        path: ["../wit", "../wit/host"],
        world: "fumehood:host/imports",
        imports: { default: async | trappable },
    });
}
