//! A value on its way out. serde_json writes a number that is none as `null`; here it is an error that says where.

use std::cell::Cell;
use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

use crate::{Code, ToolError};

/// The one text of a value, without white space; or what of it has none, and where.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, String> {
    let place = Place::default();
    serde_json::to_string(&Inside(value, &place)).map_err(|error| place.of(&error))
}

#[cold]
pub(crate) fn unwritable(why: String) -> ToolError {
    const CODE: Code = Code::new("BAD_VALUE");
    ToolError::failed(CODE, why)
}

/// The fields that lead to what cannot be written, inmost first. Apart from the error, which is made once: an error at
/// each level would be a tenth of a small component.
#[derive(Default)]
struct Place(Cell<String>);

impl Place {
    #[cold]
    fn under(&self, key: &str) {
        let mut place = self.0.take();
        place.push_str(" in ");
        place.push_str(key);
        self.0.set(place);
    }

    #[cold]
    fn of(&self, error: &serde_json::Error) -> String {
        error.to_string() + &self.0.take()
    }
}

/// Passes everything on but what JSON cannot hold.
struct Strict<'p, S>(S, &'p Place);

/// The same around what is inside of it.
struct Inside<'a, T: ?Sized>(&'a T, &'a Place);

impl<T: Serialize + ?Sized> Serialize for Inside<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Strict(serializer, self.1))
    }
}

#[cold]
fn not_finite<E: Error>() -> E {
    E::custom("the tool's value holds NaN or infinity, which are no JSON numbers; write an Option, or a text")
}

#[cold]
fn too_wide<E: Error>() -> E {
    E::custom("the tool's value holds a 128-bit integer, on which readers of JSON do not agree; write a text")
}

macro_rules! pass {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $method(self, $($arg: $ty),*) -> Result<S::Ok, S::Error> { self.0.$method($($arg),*) })*
    };
}

macro_rules! pass_open {
    ($($method:ident($($arg:ident: $ty:ty),*) -> $open:ident;)*) => {
        $(fn $method(self, $($arg: $ty),*) -> Result<Strict<'p, S::$open>, S::Error> {
            let Self(serializer, place) = self;
            serializer.$method($($arg),*).map(|open| Strict(open, place))
        })*
    };
}

impl<'p, S: Serializer> Serializer for Strict<'p, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Strict<'p, S::SerializeSeq>;
    type SerializeTuple = Strict<'p, S::SerializeTuple>;
    type SerializeTupleStruct = Strict<'p, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Strict<'p, S::SerializeTupleVariant>;
    type SerializeMap = Strict<'p, S::SerializeMap>;
    type SerializeStruct = Strict<'p, S::SerializeStruct>;
    type SerializeStructVariant = Strict<'p, S::SerializeStructVariant>;

    pass! {
        serialize_bool(v: bool);
        serialize_i8(v: i8);
        serialize_i16(v: i16);
        serialize_i32(v: i32);
        serialize_i64(v: i64);
        serialize_u8(v: u8);
        serialize_u16(v: u16);
        serialize_u32(v: u32);
        serialize_u64(v: u64);
        serialize_char(v: char);
        serialize_str(v: &str);
        serialize_bytes(v: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    pass_open! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeStructVariant;
    }

    fn serialize_f32(self, v: f32) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f32(v) } else { Err(not_finite()) }
    }

    fn serialize_f64(self, v: f64) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f64(v) } else { Err(not_finite()) }
    }

    fn serialize_i128(self, _: i128) -> Result<S::Ok, S::Error> {
        Err(too_wide())
    }

    fn serialize_u128(self, _: u128) -> Result<S::Ok, S::Error> {
        Err(too_wide())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Inside(value, self.1))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Inside(value, self.1))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let Self(serializer, place) = self;
        let written = serializer.serialize_newtype_variant(name, index, variant, &Inside(value, place));
        written.inspect_err(|_| place.under(variant))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! elements {
    ($($of:ident::$method:ident;)*) => {
        $(impl<S: $of> $of for Strict<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$method(&Inside(value, self.1))
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

elements! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

macro_rules! fields {
    ($($of:ident),*) => {
        $(impl<S: $of> $of for Strict<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), S::Error> {
                self.0.serialize_field(key, &Inside(value, self.1)).inspect_err(|_| self.1.under(key))
            }

            fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
                self.0.skip_field(key)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl<S: SerializeMap> SerializeMap for Strict<'_, S> {
    type Ok = S::Ok;
    type Error = S::Error;

    // Keys go on as they are: serde_json makes text of numbers, and refuses those that are none.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Inside(value, self.1))
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(value: impl Serialize, expect: Result<&str, &str>) {
        let json = to_json(&value);
        assert_eq!(json.as_deref().map_err(String::as_str), expect);
    }

    #[derive(Serialize)]
    #[serde(untagged)]
    enum Any {
        Unit,
        Float(f32),
        Named { key: Option<f64> },
    }

    #[derive(Serialize)]
    struct Outer<T> {
        inner: Vec<T>,
    }

    #[derive(Serialize)]
    enum Tagged<T> {
        New(T),
        Pair(T, T),
        Named { key: T },
    }

    #[test]
    fn what_json_holds_is_what_serde_json_writes() {
        check(
            Outer { inner: vec![Any::Unit, Any::Float(0.9), Any::Named { key: None }] },
            Ok(r#"{"inner":[null,0.9,{"key":null}]}"#),
        );
        check(
            (1u64 << 63, i64::MIN, -0.0, "é\n", 'x', true),
            Ok(r#"[9223372036854775808,-9223372036854775808,-0.0,"é\n","x",true]"#),
        );
        check(
            [Tagged::New(1), Tagged::Pair(1, 2), Tagged::Named { key: 3 }],
            Ok(r#"[{"New":1},{"Pair":[1,2]},{"Named":{"key":3}}]"#),
        );
        check(BTreeMap::from([(1, 'a'), (2, 'b')]), Ok(r#"{"1":"a","2":"b"}"#));
    }

    #[test]
    fn what_it_does_not_hold_is_an_error_that_says_where() {
        let no = "the tool's value holds NaN or infinity, which are no JSON numbers; write an Option, or a text";
        check(f64::NAN, Err(no));
        check(Some(f32::INFINITY), Err(no));
        check(Outer { inner: vec![f64::NEG_INFINITY] }, Err(&format!("{no} in inner")));
        let nested = Outer { inner: vec![Tagged::Named { key: Any::Named { key: Some(f64::NAN) } }] };
        check(nested, Err(&format!("{no} in key in key in inner")));
        check(Tagged::New(f64::NAN), Err(&format!("{no} in New")));
        check(BTreeMap::from([("a", (0, f64::NAN))]), Err(no));
        let wide = "the tool's value holds a 128-bit integer, on which readers of JSON do not agree; write a text";
        check(1i128, Err(wide));
        check(Outer { inner: vec![1u128] }, Err(&format!("{wide} in inner")));
    }
}
