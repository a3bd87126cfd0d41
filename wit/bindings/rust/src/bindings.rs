//! What `wit-bindgen` makes of `wit/`. Nothing of it is public under its own name.

wit_bindgen::generate!({
    inline: "
        package fumehood:rust-kit;
        world component {
            import fumehood:tool/progress@0.1.0;
            export fumehood:tool/tool@0.1.0;
            export fumehood:tool-kit/describe@0.1.0;
        }
    ",
    path: ["wit/tool", "wit/kit"],
    generate_all,
    additional_derives: [PartialEq],
    pub_export_macro: true,
    export_macro_name: "export_component",
    default_bindings_module: "fumehood_tool::__private::bindings",
    runtime_path: "::fumehood_tool::__private::wit_bindgen::rt",
});

#[cfg(feature = "host")]
pub mod host {
    wit_bindgen::generate!({
        inline: "
            package fumehood:rust-kit-host;
            world host {
                import fumehood:host/process@0.1.0;
                import fumehood:host/tools@0.1.0;
            }
        ",
        path: "wit/host",
        generate_all,
        additional_derives: [PartialEq],
        runtime_path: "::fumehood_tool::__private::wit_bindgen::rt",
    });
}

#[cfg(feature = "filesystem")]
pub mod filesystem {
    wit_bindgen::generate!({
        inline: "
            package fumehood:rust-kit-filesystem;
            world filesystem {
                import wasi:filesystem/preopens@0.2.12;
            }
        ",
        path: ["wit/wasi/io.wit", "wit/wasi/clocks.wit", "wit/wasi/filesystem.wit"],
        generate_all,
        runtime_path: "::fumehood_tool::__private::wit_bindgen::rt",
    });
}

#[cfg(feature = "http")]
pub mod http {
    wit_bindgen::generate!({
        inline: "
            package fumehood:rust-kit-http;
            world http {
                import wasi:http/types@0.2.12;
                import wasi:http/outgoing-handler@0.2.12;
            }
        ",
        path: [
            "wit/wasi/io.wit",
            "wit/wasi/clocks.wit",
            "wit/wasi/random.wit",
            "wit/wasi/filesystem.wit",
            "wit/wasi/sockets.wit",
            "wit/wasi/cli.wit",
            "wit/wasi/http.wit",
        ],
        generate_all,
        runtime_path: "::fumehood_tool::__private::wit_bindgen::rt",
    });
}
