//! Paths into an event: JSONPath (RFC 9535) queries that select one value.

use std::fmt;

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::events::parse;
use crate::triggers::near::short;

/// A path into an event, and the conversion of the value there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    text: String,
    query: JsonPath,
    optional: bool,
    conversion: Option<Conversion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
enum Conversion {
    Number,
    Text,
    Json,
}

impl Path {
    /// Reads a path, such as `$.a['b c'][0]`, which `?` and `| number` may follow.
    ///
    /// # Errors
    /// Why it is invalid.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with('$') {
            return Err(format!("a path begins with `$`: path={text:?}"));
        }
        let is_word = |word: &str| word.trim().chars().all(char::is_alphanumeric);
        let (path, conversion) = match text.rsplit_once('|') {
            Some((path, word)) if is_word(word) => {
                let why =
                    |_| format!("`|` must be followed by number, text or json: path={text:?}");
                let conversion = word.trim().parse().map_err(why)?;
                (path.trim_end(), Some(conversion))
            }
            _ => (text, None),
        };
        let required = path.strip_suffix('?');
        let path = required.unwrap_or(path);
        let query = JsonPath::parse(path).or_else(|error| {
            let bracketed = JsonPath::parse(&bracketed(path));
            bracketed.map_err(|_| format!("invalid path: {error}: path={text:?}"))
        })?;
        Ok(Self {
            text: text.to_owned(),
            query,
            optional: required.is_some(),
            conversion,
        })
    }

    /// Whether a text is a path.
    pub(super) fn is(text: &str) -> bool {
        text == "$" || text.starts_with("$.") || text.starts_with("$[")
    }

    /// The first name in it.
    pub(crate) fn first(&self) -> Option<&str> {
        let beginnings = ["$.", "$['", "$[\""].into_iter();
        let name = beginnings.filter_map(|beginning| self.text.strip_prefix(beginning));
        name.map(|name| &name[..name.find(not_in_name).unwrap_or(name.len())])
            .next()
    }

    /// The value at the path.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn get(&self, event: &Value) -> Result<Value, String> {
        let found = self.query.query(event);
        match found.at_most_one() {
            Ok(Some(value)) => self.converted(value),
            Ok(None) if self.optional => Ok(Value::Null),
            Ok(None) => Err(format!("the event has no value at {self}")),
            Err(_) => {
                let count = found.len();
                Err(format!("{self} selects {count} values; it must select one"))
            }
        }
    }

    fn converted(&self, value: &Value) -> Result<Value, String> {
        let not = |what: &str| {
            let value = short(value);
            Err(format!("the value at {self} is not {what}: value={value}"))
        };
        match (self.conversion, value) {
            (None, value) => Ok(value.clone()),
            (Some(_), Value::Null) if self.optional => Ok(Value::Null),
            (Some(Conversion::Number), Value::Number(_))
            | (Some(Conversion::Text), Value::String(_)) => Ok(value.clone()),
            (Some(Conversion::Number), Value::String(text)) => match parse(text.trim()) {
                Ok(number @ Value::Number(_)) => Ok(number),
                _ if self.optional && text.trim().is_empty() => Ok(Value::Null),
                // This includes a number with too many digits, which would be rounded.
                _ => not("a number"),
            },
            (Some(Conversion::Number), _) => not("a number"),
            (Some(Conversion::Text), Value::Number(_) | Value::Bool(_)) => {
                Ok(value.to_string().into())
            }
            (Some(Conversion::Text), _) => not("a text, number, true or false"),
            (Some(Conversion::Json), Value::String(text)) => parse(text).or_else(|_| not("JSON")),
            (Some(Conversion::Json), _) => not("a text with JSON"),
        }
    }
}

fn not_in_name(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '_' | '-')
}

/// The path with each name after a dot in brackets: in RFC 9535, a name such as `detail-type`,
/// which EventBridge's own events have, is valid only in brackets.
fn bracketed(path: &str) -> String {
    let (mut out, mut depth, mut quote) = (String::new(), 0_usize, None);
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match (c, quote) {
            ('\'' | '"', None) if depth > 0 => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('[', None) => depth += 1,
            (']', None) => depth = depth.saturating_sub(1),
            ('.', None) if depth == 0 => {
                let end = rest.find(not_in_name).unwrap_or(rest.len());
                if end > 0 {
                    let (name, after) = rest.split_at(end);
                    // After `..`, the brackets follow both dots.
                    let dot = if out.ends_with('.') { "." } else { "" };
                    out.push_str(&format!("{dot}['{name}']"));
                    rest = after;
                    continue;
                }
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.text)
    }
}
