//! From tools to the one component that exports them.

use serde::de::DeserializeOwned;

use crate::{Card, ContentBlock, Context, Tool, ToolError, value};

/// Makes a component of these tools: `component!(Grep, Read);`. Once in a crate.
///
/// Its name, version and description are the package's. What a host would refuse of a tool's name or texts does not
/// compile, and neither do two tools whose names differ only by case or by `-` and `_`.
#[macro_export]
macro_rules! component {
    ($($tool:ty),+ $(,)?) => {
        const _: () = {
            $($crate::__private::check::<$tool>();)+
            $crate::__private::names_differ(&[$(<$tool as $crate::Tool>::NAME),+]);

            struct Component;

            impl $crate::__private::ToolGuest for Component {
                fn execute(
                    tool: ::std::string::String,
                    args: ::std::string::String,
                ) -> ::std::result::Result<::std::string::String, $crate::ToolError> {
                    $(if tool == <$tool as $crate::Tool>::NAME {
                        return $crate::__private::execute::<$tool>(&args);
                    })+
                    ::std::result::Result::Err($crate::ToolError::NotFound($crate::__private::unknown(&tool)))
                }

                fn render(
                    tool: ::std::string::String,
                    args: ::std::string::String,
                    value: ::std::string::String,
                ) -> ::std::result::Result<::std::vec::Vec<$crate::ContentBlock>, ::std::string::String> {
                    $(if tool == <$tool as $crate::Tool>::NAME {
                        return $crate::__private::render::<$tool>(&args, &value);
                    })+
                    ::std::result::Result::Err($crate::__private::unknown(&tool))
                }

                fn present(
                    tool: ::std::string::String,
                    args: ::std::string::String,
                    value: ::std::option::Option<::std::string::String>,
                ) -> ::std::result::Result<::std::option::Option<$crate::Card>, ::std::string::String> {
                    $(if tool == <$tool as $crate::Tool>::NAME {
                        return $crate::__private::present::<$tool>(&args, value.as_deref());
                    })+
                    ::std::result::Result::Err($crate::__private::unknown(&tool))
                }
            }

            impl $crate::__private::DescribeGuest for Component {
                fn describe() -> ::std::result::Result<::std::string::String, ::std::string::String> {
                    let mut description = $crate::__private::Description::of(&$crate::__private::Package {
                        name: env!("CARGO_PKG_NAME"),
                        version: env!("CARGO_PKG_VERSION"),
                        description: env!("CARGO_PKG_DESCRIPTION"),
                        authors: env!("CARGO_PKG_AUTHORS"),
                        license: env!("CARGO_PKG_LICENSE"),
                        homepage: env!("CARGO_PKG_HOMEPAGE"),
                        repository: env!("CARGO_PKG_REPOSITORY"),
                    });
                    $(description.tool::<$tool>();)+
                    description.finish()
                }
            }

            // Natively there is nobody to export to: `cargo test` runs everything else.
            #[cfg(target_family = "wasm")]
            $crate::__private::export_component!(Component with_types_in $crate::__private::bindings);
        };
    };
}

/// Holds a tool's constants against what a host accepts.
pub const fn check<T: Tool>() {
    let name = T::NAME.as_bytes();
    assert!(!name.is_empty() && name.len() <= 40, "a tool's NAME has 1 to 40 characters");
    let mut at = 0;
    while at < name.len() {
        assert!(
            name[at].is_ascii_alphanumeric() || name[at] == b'_' || name[at] == b'-',
            "a tool's NAME is made of A-Z, a-z, 0-9, `_` and `-`"
        );
        at += 1;
    }
    assert!(!T::DESCRIPTION.is_empty(), "a tool's DESCRIPTION is what a model chooses it by: write one");
    assert!(T::DESCRIPTION.len() <= 4096, "a tool's DESCRIPTION has at most 4096 bytes");
    if let Some(title) = T::TITLE {
        assert!(!title.is_empty() && title.len() <= 256, "a tool's TITLE has 1 to 256 bytes");
    }
    if let Some(limit) = T::TIME_LIMIT_MS {
        assert!(limit >= 1 && limit <= 600_000, "a tool's TIME_LIMIT_MS is 1 to 600000");
    }
}

/// Hosts refuse two names that people and models would mix up.
pub const fn names_differ(names: &[&str]) {
    let mut one = 0;
    while one < names.len() {
        let mut other = one + 1;
        while other < names.len() {
            assert!(
                !same(names[one].as_bytes(), names[other].as_bytes()),
                "two tools of this component have one NAME, save for case, `-` and `_`"
            );
            other += 1;
        }
        one += 1;
    }
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if key(one[at]) != key(other[at]) {
            return false;
        }
        at += 1;
    }
    one.len() == other.len()
}

const fn key(byte: u8) -> u8 {
    if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() }
}

/// The text for a name that no manifest of this component lists.
#[cold]
pub fn unknown(tool: &str) -> String {
    format!("this component has no tool `{tool}`")
}

/// One export of one tool: JSON in, JSON out.
pub fn execute<T: Tool>(args: &str) -> Result<String, ToolError> {
    let args = read(args).map_err(ToolError::InvalidArgs)?;
    let value = T::execute(args, &Context::new())?;
    value::to_json(&value).map_err(value::unwritable)
}

/// As [`execute`].
pub fn render<T: Tool>(args: &str, value: &str) -> Result<Vec<ContentBlock>, String> {
    Ok(T::render(&read(args)?, &read(value)?).into())
}

/// As [`execute`].
pub fn present<T: Tool>(args: &str, value: Option<&str>) -> Result<Option<Card>, String> {
    let value = match value {
        Some(value) => Some(read(value)?),
        None => None,
    };
    // A call that waits has a card, whatever `execute` will say of its arguments.
    let args = match read(args) {
        Ok(args) => args,
        Err(_) if value.is_none() => return Ok(None),
        Err(why) => return Err(why),
    };
    let mut card = T::present(&args, value.as_ref());
    if let Some(card) = &mut card {
        one_line(card.title_mut(), T::TITLE.unwrap_or(T::NAME));
    }
    Ok(card)
}

/// A title is one line, and often holds what somebody wrote.
fn one_line(title: &mut String, otherwise: &str) {
    let mut line = String::with_capacity(title.len());
    for c in title.chars() {
        match c {
            '\n' | '\r' if line.is_empty() || line.ends_with(' ') => {}
            '\n' | '\r' => line.push(' '),
            c => line.push(c),
        }
    }
    if line.chars().all(char::is_whitespace) {
        line = otherwise.into();
    }
    *title = line;
}

fn read<D: DeserializeOwned>(json: &str) -> Result<D, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, GenericCard, testing};

    struct Echo;

    impl Tool for Echo {
        type Args = std::collections::BTreeMap<String, u8>;
        type Value = String;

        const NAME: &'static str = "echo";
        const DESCRIPTION: &'static str = "Says it again.";

        fn execute(_args: Self::Args, _context: &Context) -> Result<String, ToolError> {
            Ok(String::new())
        }

        fn present(_args: &Self::Args, value: Option<&String>) -> Option<Card> {
            Some(GenericCard::new(value.map_or("waits", String::as_str)).into())
        }
    }

    #[test]
    fn a_title_is_one_line_and_never_nothing() {
        let title = |value: &str| {
            let value = serde_json::to_string(value).unwrap();
            let mut card = testing::card::<Echo>("{}", Some(&value)).unwrap();
            card.title_mut().clone()
        };
        assert_eq!(title("two\r\nlines"), "two lines");
        assert_eq!(title("\ntwo\n\nlines\n"), "two lines ");
        assert_eq!(title("one"), "one");
        assert_eq!((title(""), title("\n"), title(" ")), ("echo".into(), "echo".into(), "echo".into()));
    }

    #[test]
    fn a_call_whose_arguments_are_not_the_tools_waits_with_the_card_that_every_tool_has() {
        assert_eq!(present::<Echo>(r#"{"a":1.0}"#, None), Ok(None));
        assert!(present::<Echo>(r#"{"a":1.0}"#, Some(r#""x""#)).is_err());
    }
}
