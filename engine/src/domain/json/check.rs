//! A serializer that rejects, by type and before any write, the values that JSON would change.
//!
//! `serde_json` writes NaN as `null`, so a workflow would read a value that it never wrote.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The maximum nesting of arrays and objects.
pub(super) const MAX_DEPTH: u32 = 100;
/// The name under which `serde_json` serializes text that is JSON already (including a
/// [`Json`](super::Json) inside a value).
const RAW: &str = "$serde_json::private::RawValue";
/// The name under which `serde_json` serializes numbers if a crate of the build enables its
/// feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// The reason why a value cannot be stored or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A double that JSON cannot represent.
    #[error("not a JSON number: got={got}")]
    NotFinite {
        /// `NaN`, `inf` or `-inf`.
        got: String,
    },
    /// An integer that does not fit 64 bits.
    #[error("integer over 64 bits: got={got}")]
    TooWide {
        /// The digits of the integer.
        got: String,
    },
    /// A decimal that a double would round.
    #[error("decimal that a double would round; send it as text: got={got}")]
    Inexact {
        /// The first 100 characters of the decimal.
        got: String,
    },
    /// `Some` of a value that JSON writes as `null`, which would be read as `None`.
    #[error("`Some` of a null would be read as `None`; use an enum, or a field beside it")]
    NestedOption,
    /// The order of its elements differs in each process, so two equal values would differ.
    #[error("a HashSet has no stable order; use a BTreeSet: type={got}")]
    Unordered {
        /// The Rust type.
        got: &'static str,
    },
    /// A field name that `serde_json` reserves: the object would be read as another value.
    #[error("reserved field name: got={got}")]
    Reserved {
        /// The name.
        got: String,
    },
    /// Arrays and objects nest too deep.
    #[error("nested deeper than {MAX_DEPTH}")]
    TooDeep,
    /// The value's own `Serialize` implementation failed.
    #[error("cannot be serialized: {message}")]
    Serialize {
        /// The message of that error.
        message: String,
    },
    /// The stored value is not of the requested type.
    #[error("cannot be read: {message}")]
    Deserialize {
        /// The position and the reason.
        message: String,
    },
}

impl serde::ser::Error for ValueError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Serialize {
            message: message.to_string(),
        }
    }
}

/// Checks `value` without writing anything.
pub(super) fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), ValueError> {
    let got = std::any::type_name::<T>();
    if got.contains("HashSet<") {
        return Err(ValueError::Unordered { got });
    }
    value.serialize(Check {
        depth: 0,
        raw: false,
        some: false,
    })
}

/// Rejects a field name that `serde_json` reserves.
pub(super) fn field(name: &str) -> Result<(), ValueError> {
    if name == RAW || name == NUMBER {
        return Err(ValueError::Reserved { got: name.into() });
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Check {
    depth: u32,
    /// True if the next text is JSON already.
    raw: bool,
    /// True directly inside `Some`.
    some: bool,
}

impl Check {
    fn deeper(self) -> Result<Self, ValueError> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            Err(ValueError::TooDeep)
        } else {
            let some = false;
            Ok(Self {
                depth,
                some,
                ..self
            })
        }
    }

    fn null(self) -> Result<(), ValueError> {
        match self.some {
            true => Err(ValueError::NestedOption),
            false => Ok(()),
        }
    }
}

fn finite(value: f64) -> Result<(), ValueError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(ValueError::NotFinite {
            got: value.to_string(),
        })
    }
}

macro_rules! plain {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(self, _: $type) -> Result<(), ValueError> { Ok(()) })*
    };
}

impl Serializer for Check {
    type Ok = ();
    type Error = ValueError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32,
        serialize_i64: i64, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32,
        serialize_u64: u64, serialize_char: char,
    }

    fn serialize_str(self, text: &str) -> Result<(), ValueError> {
        if !self.raw {
            return Ok(());
        }
        if text.trim() == "null" {
            self.null()?;
        }
        super::scan::scan(text, self.depth)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), ValueError> {
        self.deeper().map(drop) // an array of numbers
    }

    fn serialize_i128(self, value: i128) -> Result<(), ValueError> {
        if i64::try_from(value).is_ok() || u64::try_from(value).is_ok() {
            return Ok(());
        }
        Err(ValueError::TooWide {
            got: value.to_string(),
        })
    }

    fn serialize_u128(self, value: u128) -> Result<(), ValueError> {
        u64::try_from(value)
            .map(drop)
            .map_err(|_| ValueError::TooWide {
                got: value.to_string(),
            })
    }

    fn serialize_f32(self, value: f32) -> Result<(), ValueError> {
        finite(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), ValueError> {
        finite(value)
    }

    fn serialize_none(self) -> Result<(), ValueError> {
        self.null()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), ValueError> {
        value.serialize(Self { some: true, ..self })
    }

    fn serialize_unit(self) -> Result<(), ValueError> {
        self.null()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), ValueError> {
        self.null()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), ValueError> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), ValueError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), ValueError> {
        value.serialize(self.deeper()?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, ValueError> {
        self.deeper()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, ValueError> {
        self.deeper()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, ValueError> {
        self.deeper()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, ValueError> {
        self.deeper()?.deeper()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, ValueError> {
        self.deeper()
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self, ValueError> {
        match name {
            RAW => Ok(Self { raw: true, ..self }),
            NUMBER => Ok(self),
            _ => self.deeper(),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, ValueError> {
        self.deeper()?.deeper()
    }
}

macro_rules! compound {
    ($trait:ident, $method:ident($($name:ident: $type:ty),*)) => {
        impl $trait for Check {
            type Ok = ();
            type Error = ValueError;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $type,)* value: &T) -> Result<(), ValueError> {
                value.serialize(*self)
            }

            fn end(self) -> Result<(), ValueError> {
                Ok(())
            }
        }
    };
}

compound!(SerializeSeq, serialize_element());
compound!(SerializeTuple, serialize_element());
compound!(SerializeTupleStruct, serialize_field());
compound!(SerializeTupleVariant, serialize_field());
compound!(SerializeStruct, serialize_field(_name: &'static str));
compound!(SerializeStructVariant, serialize_field(_name: &'static str));

impl SerializeMap for Check {
    type Ok = ();
    type Error = ValueError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ValueError> {
        // `serde_json` decides which values are valid keys and returns its own error.
        match serde_json::to_value(Single(key)) {
            Ok(serde_json::Value::Object(map)) => map.keys().try_for_each(|name| field(name)),
            _ => Err(ValueError::custom(
                "a map key must be text, a number or a bool",
            )),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
        value.serialize(*self)
    }

    fn end(self) -> Result<(), ValueError> {
        Ok(())
    }
}

/// A map with only the key under test.
struct Single<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Serialize for Single<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &())?;
        map.end()
    }
}
