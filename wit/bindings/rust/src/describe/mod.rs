//! What the component tells `fumehood pack` of itself. Nothing of this is in what is shipped: once the manifest is known,
//! packing takes out what only this leads to.

mod schema;
mod write;

use schemars::JsonSchema;
use serde_json::Value;

use crate::{Concurrency, Tool, ToolAnnotations};
use schema::Side;
use write::Object;

/// What Cargo knows of the package: the texts of its environment, empty where it knows nothing.
#[allow(missing_docs, reason = "they are Cargo's")]
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    pub description: &'static str,
    pub authors: &'static str,
    pub license: &'static str,
    pub homepage: &'static str,
    pub repository: &'static str,
}

/// A manifest, tool by tool.
pub struct Description {
    object: Object,
    tools: Vec<String>,
    /// One a line.
    faults: String,
}

impl Description {
    /// The package's part of it.
    pub fn of(package: &Package) -> Self {
        let mut object = Object::default();
        // Cargo takes `_` where a component has `-`.
        object.text("name", &package.name.replace('_', "-"));
        object.text("version", package.version);
        object.text("description", package.description);
        let mut faults = String::new();
        if package.description.is_empty() {
            faults.push_str("package: write a `description` in Cargo.toml\n");
        }
        let mut about = Object::default();
        // Cargo puts `:` between authors.
        let claims = [
            ("publisher", package.authors.replace(':', ", ")),
            ("license", package.license.to_owned()),
            ("homepage", package.homepage.to_owned()),
            ("source", package.repository.to_owned()),
        ];
        for (name, text) in claims.iter().filter(|(_, text)| !text.is_empty()) {
            about.text(name, text);
        }
        object.raw("package", &about.finish());
        Self { object, tools: Vec::new(), faults }
    }

    /// One tool more.
    pub fn tool<T: Tool>(&mut self) {
        self.add(
            T::NAME,
            T::TITLE,
            T::DESCRIPTION,
            [input_schema::<T>(), output_schema::<T>()],
            T::ANNOTATIONS,
            T::CONCURRENCY,
            T::TIME_LIMIT_MS,
        );
    }

    #[allow(clippy::too_many_arguments, reason = "all that there is of a tool, once")]
    fn add(
        &mut self,
        name: &str,
        title: Option<&str>,
        description: &str,
        schemas: [Result<String, Vec<String>>; 2],
        annotations: ToolAnnotations,
        concurrency: Concurrency,
        time_limit: Option<u32>,
    ) {
        let mut tool = Object::default();
        tool.text("name", name);
        if let Some(title) = title {
            tool.text("title", title);
        }
        tool.text("description", description);
        for (key, schema) in ["inputSchema", "outputSchema"].into_iter().zip(schemas) {
            match schema {
                Ok(schema) => tool.raw(key, &schema),
                Err(faults) => {
                    for fault in faults {
                        self.faults += &format!("{name}: {fault}\n");
                    }
                }
            }
        }
        let mut hints = Object::default();
        let ToolAnnotations { read_only, destructive, idempotent, open_world } = annotations;
        for (key, hint) in [
            ("readOnlyHint", read_only),
            ("destructiveHint", destructive),
            ("idempotentHint", idempotent),
            ("openWorldHint", open_world),
        ] {
            if let Some(hint) = hint {
                hints.raw(key, if hint { "true" } else { "false" });
            }
        }
        tool.raw("annotations", &hints.finish());
        tool.text(
            "concurrency",
            match concurrency {
                Concurrency::Parallel => "parallel",
                Concurrency::Exclusive => "exclusive",
            },
        );
        if let Some(limit) = time_limit {
            tool.raw("timeLimitMs", &limit.to_string());
        }
        self.tools.push(tool.finish());
    }

    /// The manifest, or every reason why there is none, one a line.
    pub fn finish(mut self) -> Result<String, String> {
        if !self.faults.is_empty() {
            self.faults.pop();
            return Err(self.faults);
        }
        self.object.raw("tools", &write::list(self.tools.into_iter()));
        Ok(self.object.finish())
    }
}

pub(crate) fn input_schema<T: Tool>() -> Result<String, Vec<String>> {
    one::<T::Args>(Side::Args)
}

pub(crate) fn output_schema<T: Tool>() -> Result<String, Vec<String>> {
    one::<T::Value>(Side::Value)
}

fn one<S: JsonSchema>(side: Side) -> Result<String, Vec<String>> {
    let schema: Value = side.generator().into_root_schema_for::<S>().into();
    schema::mapped(schema, side).map(|schema| write::schema(&schema))
}

#[cfg(test)]
mod tests;
