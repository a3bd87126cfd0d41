//! What a new project is made of: the template and the library of each language, as they stand in `wit/`.

use super::Lang;

/// One file.
pub(super) struct File {
    /// Where it is in the repository, below `wit/`.
    pub(super) from: &'static str,
    /// Where it goes, in the project.
    pub(super) to: &'static str,
    pub(super) bytes: &'static [u8],
}

impl File {
    /// Whether it is the vendor's from now on, with the project's own name in it. A library stays as it is.
    pub(super) fn is_template(&self) -> bool {
        self.from.contains("/template/")
    }
}

macro_rules! files {
    ($($from:literal => $to:literal)*) => {
        &[$(File { from: $from, to: $to, bytes: include_bytes!(concat!("../../../../wit/", $from)) }),*]
    };
}

/// The files of a project, those to begin with first.
pub(super) const fn of(lang: Lang) -> &'static [File] {
    match lang {
        Lang::Rust => RUST,
        Lang::Js => JS,
        Lang::Python => PYTHON,
        Lang::C => C,
    }
}

const RUST: &[File] = files! {
    "bindings/rust/template/.gitignore" => ".gitignore"
    "bindings/rust/template/Cargo.lock" => "Cargo.lock"
    "bindings/rust/template/Cargo.toml" => "Cargo.toml"
    "bindings/rust/template/README.md" => "README.md"
    "bindings/rust/template/cases/first.json" => "cases/first.json"
    "bindings/rust/template/src/lib.rs" => "src/lib.rs"
    "bindings/rust/.gitignore" => "fumehood-tool/.gitignore"
    "bindings/rust/Cargo.lock" => "fumehood-tool/Cargo.lock"
    "bindings/rust/Cargo.toml" => "fumehood-tool/Cargo.toml"
    "bindings/rust/README.md" => "fumehood-tool/README.md"
    "bindings/rust/src/bindings.rs" => "fumehood-tool/src/bindings.rs"
    "bindings/rust/src/bytes.rs" => "fumehood-tool/src/bytes.rs"
    "bindings/rust/src/card.rs" => "fumehood-tool/src/card.rs"
    "bindings/rust/src/component.rs" => "fumehood-tool/src/component.rs"
    "bindings/rust/src/content.rs" => "fumehood-tool/src/content.rs"
    "bindings/rust/src/context.rs" => "fumehood-tool/src/context.rs"
    "bindings/rust/src/describe/mod.rs" => "fumehood-tool/src/describe/mod.rs"
    "bindings/rust/src/describe/schema.rs" => "fumehood-tool/src/describe/schema.rs"
    "bindings/rust/src/describe/tests.rs" => "fumehood-tool/src/describe/tests.rs"
    "bindings/rust/src/describe/write.rs" => "fumehood-tool/src/describe/write.rs"
    "bindings/rust/src/failure.rs" => "fumehood-tool/src/failure.rs"
    "bindings/rust/src/host.rs" => "fumehood-tool/src/host.rs"
    "bindings/rust/src/http.rs" => "fumehood-tool/src/http.rs"
    "bindings/rust/src/lib.rs" => "fumehood-tool/src/lib.rs"
    "bindings/rust/src/log.rs" => "fumehood-tool/src/log.rs"
    "bindings/rust/src/outline.rs" => "fumehood-tool/src/outline.rs"
    "bindings/rust/src/testing.rs" => "fumehood-tool/src/testing.rs"
    "bindings/rust/src/tool.rs" => "fumehood-tool/src/tool.rs"
    "bindings/rust/src/value.rs" => "fumehood-tool/src/value.rs"
    "bindings/rust/src/wasi.rs" => "fumehood-tool/src/wasi.rs"
    "bindings/rust/wit/host/process.wit" => "fumehood-tool/wit/host/process.wit"
    "bindings/rust/wit/host/tools.wit" => "fumehood-tool/wit/host/tools.wit"
    "bindings/rust/wit/kit/describe.wit" => "fumehood-tool/wit/kit/describe.wit"
    "bindings/rust/wit/tool/progress.wit" => "fumehood-tool/wit/tool/progress.wit"
    "bindings/rust/wit/tool/tool.wit" => "fumehood-tool/wit/tool/tool.wit"
    "bindings/rust/wit/tool/types.wit" => "fumehood-tool/wit/tool/types.wit"
    "bindings/rust/wit/wasi/cli.wit" => "fumehood-tool/wit/wasi/cli.wit"
    "bindings/rust/wit/wasi/clocks.wit" => "fumehood-tool/wit/wasi/clocks.wit"
    "bindings/rust/wit/wasi/filesystem.wit" => "fumehood-tool/wit/wasi/filesystem.wit"
    "bindings/rust/wit/wasi/http.wit" => "fumehood-tool/wit/wasi/http.wit"
    "bindings/rust/wit/wasi/io.wit" => "fumehood-tool/wit/wasi/io.wit"
    "bindings/rust/wit/wasi/random.wit" => "fumehood-tool/wit/wasi/random.wit"
    "bindings/rust/wit/wasi/sockets.wit" => "fumehood-tool/wit/wasi/sockets.wit"
};

const JS: &[File] = files! {
    "bindings/js/template/.gitignore" => ".gitignore"
    "bindings/js/template/README.md" => "README.md"
    "bindings/js/template/build.mjs" => "build.mjs"
    "bindings/js/template/cases/first.json" => "cases/first.json"
    "bindings/js/template/manifest.json" => "manifest.json"
    "bindings/js/template/package-lock.json" => "package-lock.json"
    "bindings/js/template/package.json" => "package.json"
    "bindings/js/template/src/component.js" => "src/component.js"
    "bindings/js/template/src/tool.js" => "src/tool.js"
    "bindings/js/template/test/tool.test.js" => "test/tool.test.js"
    "bindings/js/template/tsconfig.json" => "tsconfig.json"
    "bindings/js/fumehood-tool/card.js" => "fumehood-tool/card.js"
    "bindings/js/fumehood-tool/component.d.ts" => "fumehood-tool/component.d.ts"
    "bindings/js/fumehood-tool/component.js" => "fumehood-tool/component.js"
    "bindings/js/fumehood-tool/content.js" => "fumehood-tool/content.js"
    "bindings/js/fumehood-tool/failure.js" => "fumehood-tool/failure.js"
    "bindings/js/fumehood-tool/host.d.ts" => "fumehood-tool/host.d.ts"
    "bindings/js/fumehood-tool/index.d.ts" => "fumehood-tool/index.d.ts"
    "bindings/js/fumehood-tool/index.js" => "fumehood-tool/index.js"
    "bindings/js/fumehood-tool/log.js" => "fumehood-tool/log.js"
    "bindings/js/fumehood-tool/outline.js" => "fumehood-tool/outline.js"
    "bindings/js/fumehood-tool/package.json" => "fumehood-tool/package.json"
    "bindings/js/fumehood-tool/testing.d.ts" => "fumehood-tool/testing.d.ts"
    "bindings/js/fumehood-tool/testing.js" => "fumehood-tool/testing.js"
    "bindings/js/fumehood-tool/tool.js" => "fumehood-tool/tool.js"
    "bindings/js/fumehood-tool/value.js" => "fumehood-tool/value.js"
    "bindings/js/fumehood-tool/wit/deps/cli.wit" => "fumehood-tool/wit/deps/cli.wit"
    "bindings/js/fumehood-tool/wit/deps/clocks.wit" => "fumehood-tool/wit/deps/clocks.wit"
    "bindings/js/fumehood-tool/wit/deps/filesystem.wit" => "fumehood-tool/wit/deps/filesystem.wit"
    "bindings/js/fumehood-tool/wit/deps/host/process.wit" => "fumehood-tool/wit/deps/host/process.wit"
    "bindings/js/fumehood-tool/wit/deps/host/tools.wit" => "fumehood-tool/wit/deps/host/tools.wit"
    "bindings/js/fumehood-tool/wit/deps/host/world.wit" => "fumehood-tool/wit/deps/host/world.wit"
    "bindings/js/fumehood-tool/wit/deps/http.wit" => "fumehood-tool/wit/deps/http.wit"
    "bindings/js/fumehood-tool/wit/deps/io.wit" => "fumehood-tool/wit/deps/io.wit"
    "bindings/js/fumehood-tool/wit/deps/random.wit" => "fumehood-tool/wit/deps/random.wit"
    "bindings/js/fumehood-tool/wit/deps/sockets.wit" => "fumehood-tool/wit/deps/sockets.wit"
    "bindings/js/fumehood-tool/wit/deps/tool/progress.wit" => "fumehood-tool/wit/deps/tool/progress.wit"
    "bindings/js/fumehood-tool/wit/deps/tool/tool.wit" => "fumehood-tool/wit/deps/tool/tool.wit"
    "bindings/js/fumehood-tool/wit/deps/tool/types.wit" => "fumehood-tool/wit/deps/tool/types.wit"
    "bindings/js/fumehood-tool/wit/deps/tool/world.wit" => "fumehood-tool/wit/deps/tool/world.wit"
    "bindings/js/fumehood-tool/wit/worlds.wit" => "fumehood-tool/wit/worlds.wit"
};

const PYTHON: &[File] = files! {
    "bindings/python/template/.gitignore" => ".gitignore"
    "bindings/python/template/README.md" => "README.md"
    "bindings/python/template/app.py" => "app.py"
    "bindings/python/template/build.sh" => "build.sh"
    "bindings/python/template/cases/first.json" => "cases/first.json"
    "bindings/python/template/manifest.json" => "manifest.json"
    "bindings/python/template/mypy.ini" => "mypy.ini"
    "bindings/python/template/requirements.txt" => "requirements.txt"
    "bindings/python/template/test_tool.py" => "test_tool.py"
    "bindings/python/template/tool.py" => "tool.py"
    "bindings/python/fumehood_tool/__init__.py" => "fumehood_tool/__init__.py"
    "bindings/python/fumehood_tool/border.py" => "fumehood_tool/border.py"
    "bindings/python/fumehood_tool/card.py" => "fumehood_tool/card.py"
    "bindings/python/fumehood_tool/component.py" => "fumehood_tool/component.py"
    "bindings/python/fumehood_tool/content.py" => "fumehood_tool/content.py"
    "bindings/python/fumehood_tool/failure.py" => "fumehood_tool/failure.py"
    "bindings/python/fumehood_tool/outline.py" => "fumehood_tool/outline.py"
    "bindings/python/fumehood_tool/py.typed" => "fumehood_tool/py.typed"
    "bindings/python/fumehood_tool/testing.py" => "fumehood_tool/testing.py"
    "bindings/python/fumehood_tool/tool.py" => "fumehood_tool/tool.py"
    "bindings/python/fumehood_tool/value.py" => "fumehood_tool/value.py"
    "bindings/python/fumehood_tool/wit/deps/cli.wit" => "fumehood_tool/wit/deps/cli.wit"
    "bindings/python/fumehood_tool/wit/deps/clocks.wit" => "fumehood_tool/wit/deps/clocks.wit"
    "bindings/python/fumehood_tool/wit/deps/filesystem.wit" => "fumehood_tool/wit/deps/filesystem.wit"
    "bindings/python/fumehood_tool/wit/deps/host/process.wit" => "fumehood_tool/wit/deps/host/process.wit"
    "bindings/python/fumehood_tool/wit/deps/host/tools.wit" => "fumehood_tool/wit/deps/host/tools.wit"
    "bindings/python/fumehood_tool/wit/deps/host/world.wit" => "fumehood_tool/wit/deps/host/world.wit"
    "bindings/python/fumehood_tool/wit/deps/http.wit" => "fumehood_tool/wit/deps/http.wit"
    "bindings/python/fumehood_tool/wit/deps/io.wit" => "fumehood_tool/wit/deps/io.wit"
    "bindings/python/fumehood_tool/wit/deps/random.wit" => "fumehood_tool/wit/deps/random.wit"
    "bindings/python/fumehood_tool/wit/deps/sockets.wit" => "fumehood_tool/wit/deps/sockets.wit"
    "bindings/python/fumehood_tool/wit/deps/tool/progress.wit" => "fumehood_tool/wit/deps/tool/progress.wit"
    "bindings/python/fumehood_tool/wit/deps/tool/tool.wit" => "fumehood_tool/wit/deps/tool/tool.wit"
    "bindings/python/fumehood_tool/wit/deps/tool/types.wit" => "fumehood_tool/wit/deps/tool/types.wit"
    "bindings/python/fumehood_tool/wit/deps/tool/world.wit" => "fumehood_tool/wit/deps/tool/world.wit"
    "bindings/python/fumehood_tool/wit/worlds.wit" => "fumehood_tool/wit/worlds.wit"
};

const C: &[File] = files! {
    "bindings/c/template/.gitignore" => ".gitignore"
    "bindings/c/template/Makefile" => "Makefile"
    "bindings/c/template/README.md" => "README.md"
    "bindings/c/template/cases/first.json" => "cases/first.json"
    "bindings/c/template/manifest.json" => "manifest.json"
    "bindings/c/template/requirements.txt" => "requirements.txt"
    "bindings/c/template/test_tool.c" => "test_tool.c"
    "bindings/c/template/tool.c" => "tool.c"
    "bindings/c/fumehood-tool/bindings/tool_component.c" => "fumehood-tool/bindings/tool_component.c"
    "bindings/c/fumehood-tool/bindings/tool_component.h" => "fumehood-tool/bindings/tool_component.h"
    "bindings/c/fumehood-tool/bindings/tool_component_component_type.o" => "fumehood-tool/bindings/tool_component_component_type.o"
    "bindings/c/fumehood-tool/component.c" => "fumehood-tool/component.c"
    "bindings/c/fumehood-tool/fumehood_tool.h" => "fumehood-tool/fumehood_tool.h"
    "bindings/c/fumehood-tool/inside.h" => "fumehood-tool/inside.h"
    "bindings/c/fumehood-tool/outline.c" => "fumehood-tool/outline.c"
    "bindings/c/fumehood-tool/read.c" => "fumehood-tool/read.c"
    "bindings/c/fumehood-tool/show.c" => "fumehood-tool/show.c"
    "bindings/c/fumehood-tool/text.c" => "fumehood-tool/text.c"
    "bindings/c/fumehood-tool/tool.c" => "fumehood-tool/tool.c"
    "bindings/c/fumehood-tool/write.c" => "fumehood-tool/write.c"
};
