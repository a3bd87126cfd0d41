//! The Rust side of `wit/`. The only place that generates bindings.

wasmtime::component::bindgen!({
    path: "../wit",
    world: "fumehood:tool/tool-component",
    imports: { default: trappable },
    exports: { default: async },
    ownership: Borrowing { duplicate_if_necessary: true },
});
