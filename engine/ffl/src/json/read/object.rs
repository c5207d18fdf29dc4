//! Objects and lists of the form, with their paths.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::json::ReadError;

/// Where a value is: a property or index of an outer value.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Property(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// The path as a JSON pointer; all properties of the form are plain words.
    pub(super) fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Property(outer, name) => format!("{}/{name}", outer.pointer()),
            Self::Index(outer, at) => format!("{}/{at}", outer.pointer()),
        }
    }

    pub(super) fn unexpected(&self, expected: &'static str, found: &Value) -> ReadError {
        ReadError::Unexpected {
            path: self.pointer(),
            expected,
            found: describe(found),
        }
    }
}

/// A value, for a message.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(text) => {
            let short: String = text.chars().take(40).collect();
            let more = if short.len() < text.len() { ".." } else { "" };
            format!("{short:?}{more}")
        }
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// An object of the form. Properties that were not read are refused by [`Object::end`].
pub(super) struct Object<'v, 'p> {
    map: &'v Map<String, Value>,
    pub(super) path: &'p Path<'p>,
    read: RefCell<BTreeSet<&'static str>>,
}

impl<'v, 'p> Object<'v, 'p> {
    pub(super) fn new(value: &'v Value, path: &'p Path<'p>) -> Result<Self, ReadError> {
        let Value::Object(map) = value else {
            return Err(path.unexpected("an object", value));
        };
        Ok(Self {
            map,
            path,
            read: RefCell::default(),
        })
    }

    /// A node of the form: its properties, and its `type`.
    pub(super) fn node(value: &'v Value, path: &'p Path<'p>) -> Result<(Self, &'v str), ReadError> {
        let object = Self::new(value, path)?;
        let ty = object.required("type", |value, path| match value {
            Value::String(ty) => Ok(ty.as_str()),
            _ => Err(path.unexpected("the type of a node", value)),
        })?;
        Ok((object, ty))
    }

    /// A node of one type.
    pub(super) fn typed(
        value: &'v Value,
        path: &'p Path<'p>,
        expected: &str,
    ) -> Result<Self, ReadError> {
        let (object, ty) = Self::node(value, path)?;
        if ty == expected {
            Ok(object)
        } else {
            Err(object.unknown_type(ty))
        }
    }

    pub(super) fn unknown_type(&self, ty: &str) -> ReadError {
        ReadError::UnknownType {
            path: self.path.pointer(),
            found: ty.to_owned(),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// A property that may be missing.
    pub(super) fn optional<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'v Value, &Path<'_>) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        match self.property(name) {
            Some(value) => read(value, &Path::Property(self.path, name)).map(Some),
            None => Ok(None),
        }
    }

    fn property(&self, name: &'static str) -> Option<&'v Value> {
        self.read.borrow_mut().insert(name);
        self.map.get(name)
    }

    /// A property that must exist.
    pub(super) fn required<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'v Value, &Path<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        match self.property(name) {
            Some(value) => read(value, &Path::Property(self.path, name)),
            None => Err(ReadError::Missing {
                path: self.path.pointer(),
                property: name,
            }),
        }
    }

    /// A list that is empty if it is missing.
    pub(super) fn list<T>(
        &self,
        name: &'static str,
        read: impl FnMut(&'v Value, &Path<'_>) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        match self.property(name) {
            Some(value) => list(value, &Path::Property(self.path, name), read),
            None => Ok(Vec::new()),
        }
    }

    /// Refuses properties that were not read.
    pub(super) fn end(&self) -> Result<(), ReadError> {
        let read = self.read.borrow();
        match self.map.keys().find(|name| !read.contains(name.as_str())) {
            None => Ok(()),
            Some(unknown) => Err(ReadError::UnknownProperty {
                path: self.path.pointer(),
                property: unknown.clone(),
            }),
        }
    }
}

/// An array, item by item.
pub(super) fn list<'v, T>(
    value: &'v Value,
    path: &Path<'_>,
    mut read: impl FnMut(&'v Value, &Path<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let Value::Array(items) = value else {
        return Err(path.unexpected("an array", value));
    };
    // A loop, not an iterator: the reader recurses here, and each adapter would need stack.
    let mut all = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        all.push(read(item, &Path::Index(path, at))?);
    }
    Ok(all)
}
