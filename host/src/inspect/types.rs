//! Whether a function of a component has the type that our WIT gives it, and if not, where they part.
//!
//! Both types are walked together from the WIT's side, so the work is bounded by our own WIT whatever a component
//! declares. Component Model types are compared by structure: names of fields and cases count, names of types do not.

use wasmparser::PrimitiveValType;
use wasmparser::component_types::{ComponentDefinedType, ComponentFuncType, ComponentValType};
use wasmparser::types::TypesRef;
use wit_parser::{Function, Handle, Resolve, Type, TypeDefKind};

/// The types of one validated component beside our WIT.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) resolve: &'a Resolve,
    pub(super) types: TypesRef<'a>,
}

/// `at`: where in the type; empty is the function itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) at: String,
    pub(super) message: String,
}

type Outcome = Result<(), Mismatch>;

fn mismatch(at: &str, message: impl Into<String>) -> Outcome {
    Err(Mismatch { at: at.to_owned(), message: message.into() })
}

/// A type on the other side, down to what it is made of.
enum Actual<'a> {
    Primitive(PrimitiveValType),
    Defined(&'a ComponentDefinedType),
}

impl Comparison<'_> {
    /// Compares one function. Parameters are compared by name and place, as linking does.
    pub(super) fn function(&self, expected: &Function, actual: &ComponentFuncType) -> Outcome {
        if actual.async_ {
            return mismatch("", "it is async, which this host's interface is not");
        }
        let expected_names: Vec<_> = expected.params.iter().map(|param| param.name.as_str()).collect();
        let actual_names: Vec<_> = actual.params.iter().map(|(name, _)| name.as_str()).collect();
        self.names("", "parameters", &expected_names, &actual_names)?;
        for (param, (_, ty)) in expected.params.iter().zip(&actual.params) {
            self.value(&param.name, &param.ty, ty)?;
        }
        self.optional("result", expected.result.as_ref(), actual.result.as_ref())
    }

    fn optional(&self, at: &str, expected: Option<&Type>, actual: Option<&ComponentValType>) -> Outcome {
        match (expected, actual) {
            (None, None) => Ok(()),
            (Some(expected), Some(actual)) => self.value(at, expected, actual),
            (Some(_), None) => mismatch(at, "nothing is there"),
            (None, Some(_)) => mismatch(at, "there is a value where none should be"),
        }
    }

    fn value(&self, at: &str, expected: &Type, actual: &ComponentValType) -> Outcome {
        let mut expected = *expected;
        let kind = loop {
            let Type::Id(id) = expected else { break None };
            match &self.resolve.types[id].kind {
                TypeDefKind::Type(aliased) => expected = *aliased,
                kind => break Some(kind),
            }
        };
        let actual = match actual {
            ComponentValType::Primitive(primitive) => Actual::Primitive(*primitive),
            ComponentValType::Type(id) => match &self.types[*id] {
                ComponentDefinedType::Primitive(primitive) => Actual::Primitive(*primitive),
                defined => Actual::Defined(defined),
            },
        };
        match (kind, &actual) {
            (Some(kind), Actual::Defined(defined)) => self.defined(at, kind, defined),
            (None, Actual::Primitive(_)) if name(&expected) == actual.kind() => Ok(()),
            _ => {
                let expected = kind.map_or_else(|| name(&expected), TypeDefKind::as_str);
                mismatch(at, format!("it is {}, not {expected}", actual.kind()))
            }
        }
    }

    fn defined(&self, at: &str, expected: &TypeDefKind, actual: &ComponentDefinedType) -> Outcome {
        match (expected, actual) {
            (TypeDefKind::Record(expected), ComponentDefinedType::Record(actual)) => {
                let names: Vec<_> = expected.fields.iter().map(|field| field.name.as_str()).collect();
                let actual_names: Vec<_> = actual.fields.keys().map(|name| name.as_str()).collect();
                self.names(at, "fields", &names, &actual_names)?;
                for (field, ty) in expected.fields.iter().zip(actual.fields.values()) {
                    self.value(&format!("{at}.{}", field.name), &field.ty, ty)?;
                }
                Ok(())
            }
            (TypeDefKind::Variant(expected), ComponentDefinedType::Variant(actual)) => {
                let names: Vec<_> = expected.cases.iter().map(|case| case.name.as_str()).collect();
                let actual_names: Vec<_> = actual.cases.keys().map(|name| name.as_str()).collect();
                self.names(at, "cases", &names, &actual_names)?;
                for (case, actual) in expected.cases.iter().zip(actual.cases.values()) {
                    self.optional(&format!("{at}.{}", case.name), case.ty.as_ref(), actual.ty.as_ref())?;
                }
                Ok(())
            }
            (TypeDefKind::Enum(expected), ComponentDefinedType::Enum(actual)) => {
                let names: Vec<_> = expected.cases.iter().map(|case| case.name.as_str()).collect();
                self.names(at, "cases", &names, &actual.iter().map(|name| name.as_str()).collect::<Vec<_>>())
            }
            (TypeDefKind::Flags(expected), ComponentDefinedType::Flags(actual)) => {
                let names: Vec<_> = expected.flags.iter().map(|flag| flag.name.as_str()).collect();
                self.names(at, "flags", &names, &actual.iter().map(|name| name.as_str()).collect::<Vec<_>>())
            }
            (TypeDefKind::List(expected), ComponentDefinedType::List { element, .. }) => {
                self.value(&format!("{at}.list"), expected, element)
            }
            (TypeDefKind::Option(expected), ComponentDefinedType::Option { ty, .. }) => {
                self.value(&format!("{at}.some"), expected, ty)
            }
            (TypeDefKind::Result(expected), ComponentDefinedType::Result { ok, err, .. }) => {
                self.optional(&format!("{at}.ok"), expected.ok.as_ref(), ok.as_ref())?;
                self.optional(&format!("{at}.err"), expected.err.as_ref(), err.as_ref())
            }
            (TypeDefKind::Tuple(expected), ComponentDefinedType::Tuple(actual)) => {
                if expected.types.len() != actual.types.len() {
                    return mismatch(at, format!("it has {} parts, not {}", actual.types.len(), expected.types.len()));
                }
                for (index, (expected, actual)) in expected.types.iter().zip(&actual.types).enumerate() {
                    self.value(&format!("{at}.{index}"), expected, actual)?;
                }
                Ok(())
            }
            // Which resource a handle is of, the engine checks when it links; its name is not part of the type.
            (TypeDefKind::Handle(Handle::Own(_)), ComponentDefinedType::Own(_))
            | (TypeDefKind::Handle(Handle::Borrow(_)), ComponentDefinedType::Borrow(_)) => Ok(()),
            (expected, actual) => {
                mismatch(at, format!("it is {}, not {}", Actual::Defined(actual).kind(), expected.as_str()))
            }
        }
    }

    fn names(&self, at: &str, what: &str, expected: &[&str], actual: &[&str]) -> Outcome {
        if expected == actual {
            return Ok(());
        }
        if let Some(missing) = expected.iter().find(|name| !actual.contains(name)) {
            return mismatch(at, format!("`{missing}` is missing among its {what}"));
        }
        if let Some(extra) = actual.iter().find(|name| !expected.contains(name)) {
            let extra = &extra[..extra.floor_char_boundary(64)];
            return mismatch(at, format!("`{extra}` is not one of the {what}, which are a closed set"));
        }
        mismatch(at, format!("its {what} are in another order; right is {}", expected.join(", ")))
    }
}

impl Actual<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Primitive(primitive) => match primitive {
                PrimitiveValType::Bool => "bool",
                PrimitiveValType::S8 => "s8",
                PrimitiveValType::U8 => "u8",
                PrimitiveValType::S16 => "s16",
                PrimitiveValType::U16 => "u16",
                PrimitiveValType::S32 => "s32",
                PrimitiveValType::U32 => "u32",
                PrimitiveValType::S64 => "s64",
                PrimitiveValType::U64 => "u64",
                PrimitiveValType::F32 => "f32",
                PrimitiveValType::F64 => "f64",
                PrimitiveValType::Char => "char",
                PrimitiveValType::String => "string",
                PrimitiveValType::ErrorContext => "error-context",
            },
            Self::Defined(defined) => match defined {
                ComponentDefinedType::Primitive(primitive) => Self::Primitive(*primitive).kind(),
                ComponentDefinedType::Record(_) => "record",
                ComponentDefinedType::Variant(_) => "variant",
                ComponentDefinedType::List { .. } => "list",
                ComponentDefinedType::Map { .. } => "map",
                ComponentDefinedType::FixedLengthList { .. } => "fixed-length list",
                ComponentDefinedType::Tuple(_) => "tuple",
                ComponentDefinedType::Flags(_) => "flags",
                ComponentDefinedType::Enum(_) => "enum",
                ComponentDefinedType::Option { .. } => "option",
                ComponentDefinedType::Result { .. } => "result",
                ComponentDefinedType::Own(_) => "own handle",
                ComponentDefinedType::Borrow(_) => "borrowed handle",
                ComponentDefinedType::Future { .. } => "future",
                ComponentDefinedType::Stream { .. } => "stream",
            },
        }
    }
}

fn name(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::U8 => "u8",
        Type::U16 => "u16",
        Type::U32 => "u32",
        Type::U64 => "u64",
        Type::S8 => "s8",
        Type::S16 => "s16",
        Type::S32 => "s32",
        Type::S64 => "s64",
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Char => "char",
        Type::String => "string",
        Type::ErrorContext => "error-context",
        Type::Id(_) => "a named type",
    }
}
