//! What each keyword of the two dialects holds. One table: walking, costing and linting read it.
//!
//! Sources: JSON Schema 2020-12 core and validation, draft-07 core and validation.

use super::dialect::Dialect;

/// What a subschema under a keyword is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The same value.
    InPlace,
    /// The property of the subschema's own name.
    Property,
    /// Any property.
    AnyProperty,
    /// Any property that `properties` beside it does not name.
    OtherProperty,
    /// The element at the subschema's own index.
    Element,
    /// Any element.
    AnyElement,
    /// Any element past those that `prefixItems` (or an array of `items`) beside it describes.
    OtherElement,
    /// The property names.
    Keys,
    /// Nothing: it waits for a `$ref`.
    Nothing,
}

/// How a keyword holds its subschemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    One(Step),
    List(Step),
    Map(Step),
    /// An array is a [`Holds::List`], anything else a [`Holds::One`].
    Either(Step, Step),
}

/// Keywords with subschemas. Those of the other dialect are walked as well: `definitions` is common in 2020-12, and
/// what a dialect ignores costs only more than it should.
pub(super) fn holds(keyword: &str) -> Option<Holds> {
    use Holds::{Either, List, Map, One};
    Some(match keyword {
        "allOf" | "anyOf" | "oneOf" => List(Step::InPlace),
        "not" | "if" | "then" | "else" => One(Step::InPlace),
        "dependentSchemas" | "dependencies" => Map(Step::InPlace),
        "properties" => Map(Step::Property),
        "patternProperties" => Map(Step::AnyProperty),
        "additionalProperties" => One(Step::OtherProperty),
        "unevaluatedProperties" => One(Step::AnyProperty),
        "propertyNames" => One(Step::Keys),
        "prefixItems" => List(Step::Element),
        "items" => Either(Step::Element, Step::OtherElement),
        "additionalItems" => One(Step::OtherElement),
        "contains" | "unevaluatedItems" => One(Step::AnyElement),
        "$defs" | "definitions" => Map(Step::Nothing),
        "contentSchema" => One(Step::Nothing),
        _ => return None,
    })
}

/// Both dialects know these.
const SHARED: &[&str] = &[
    "$comment",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "default",
    "definitions",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];

const ONLY_2020_12: &[&str] = &[
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$vocabulary",
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

const ONLY_DRAFT_7: &[&str] = &["additionalItems", "dependencies"];

/// Keywords that constrain nothing.
const ANNOTATIONS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$schema",
    "$vocabulary",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

pub(super) fn known(keyword: &str, dialect: Dialect) -> bool {
    let own = match dialect {
        Dialect::Draft202012 => ONLY_2020_12,
        Dialect::Draft7 => ONLY_DRAFT_7,
    };
    SHARED.contains(&keyword) || own.contains(&keyword)
}

pub(super) fn constrains(keyword: &str, dialect: Dialect) -> bool {
    known(keyword, dialect) && !ANNOTATIONS.contains(&keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_that_holds_subschemas_is_known() {
        for keyword in SHARED.iter().chain(ONLY_2020_12).chain(ONLY_DRAFT_7) {
            assert!(known(keyword, Dialect::Draft202012) || known(keyword, Dialect::Draft7));
        }
        for keyword in ["allOf", "dependentSchemas", "dependencies", "prefixItems", "additionalItems", "$defs"] {
            assert!(holds(keyword).is_some());
            assert!(known(keyword, Dialect::Draft202012) || known(keyword, Dialect::Draft7), "{keyword}");
        }
        assert!(holds("enum").is_none() && !known("nullable", Dialect::Draft202012));
    }
}
