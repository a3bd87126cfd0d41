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

/// Reviewers. Content and cards are the types of a tool's.
pub(crate) mod review {
    /// The same types; an alias that the bindings of a tool split in two is one here.
    #[expect(unreachable_pub, reason = "the bindings export it once more, and are private themselves")]
    pub mod types {
        pub(crate) use super::super::fumehood::tool::types::*;
        pub(crate) type Json = String;
    }

    wasmtime::component::bindgen!({
        path: ["../wit", "../wit/review"],
        world: "fumehood:review/review-component",
        imports: { default: trappable },
        exports: { default: async },
        with: { "fumehood:tool/types": self::types },
    });
}

/// What a component says of itself when it is packed.
pub(crate) mod kit {
    wasmtime::component::bindgen!({
        path: "../wit/kit",
        world: "fumehood:tool-kit/described",
        exports: { default: async },
    });
}
