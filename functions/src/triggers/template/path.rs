//! Paths into an event.

use std::fmt;

use serde_json::{Number, Value};

use crate::triggers::near::short;

/// A path into an event, and what to make of the value there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    text: String,
    steps: Vec<Step>,
    optional: bool,
    filter: Option<Filter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Place(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    Number,
    Text,
    Json,
}

impl Path {
    /// Reads a path: `$.a['b c'][0]?`, then `| number`, `| text` or `| json`.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text
            .strip_prefix('$')
            .ok_or_else(|| format!("a path begins with `$`: got={text:?}"))?;
        let (mut steps, mut optional) = (Vec::new(), false);
        loop {
            if let Some(after) = rest.strip_prefix('.') {
                let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
                let end = after.find(|c| !name(c)).unwrap_or(after.len());
                if end == 0 {
                    return Err(format!(
                        "a name follows `.`; others are written ['like this']: got={text:?}"
                    ));
                }
                steps.push(Step::Name(after[..end].to_owned()));
                rest = &after[end..];
            } else if let Some(after) = rest.strip_prefix('[') {
                let (step, after) = bracket(after).ok_or_else(|| {
                    format!("in brackets stands 'a name' or a place from 0: got={text:?}")
                })?;
                steps.push(step);
                rest = after;
            } else {
                break;
            }
        }
        if let Some(after) = rest.strip_prefix('?') {
            (optional, rest) = (true, after);
        }
        let filter = match rest.trim().strip_prefix('|').map(str::trim) {
            Some("number") => Some(Filter::Number),
            Some("text") => Some(Filter::Text),
            Some("json") => Some(Filter::Json),
            Some(other) => {
                return Err(format!(
                    "after `|` stands number, text or json: got={other:?}"
                ));
            }
            None if rest.is_empty() => None,
            None => return Err(format!("{rest:?} does not belong to a path: got={text:?}")),
        };
        Ok(Self {
            text: text.to_owned(),
            steps,
            optional,
            filter,
        })
    }

    /// Whether a text is meant as a path.
    pub(super) fn is(text: &str) -> bool {
        text == "$" || text.starts_with("$.") || text.starts_with("$[")
    }

    /// The first name on it.
    pub(crate) fn first(&self) -> Option<&str> {
        match self.steps.first()? {
            Step::Name(name) => Some(name),
            Step::Place(_) => None,
        }
    }

    /// The value there.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn get(&self, event: &Value) -> Result<Value, String> {
        let found = self.steps.iter().try_fold(event, |value, step| match step {
            Step::Name(name) => value.get(name),
            Step::Place(at) => value.get(at),
        });
        match found {
            Some(value) => self.filtered(value),
            None if self.optional => Ok(Value::Null),
            None => Err(format!("nothing is at {self}")),
        }
    }

    fn filtered(&self, value: &Value) -> Result<Value, String> {
        let got = || short(value);
        let misfit = |what: &str| Err(format!("what is at {self} is no {what}: got={}", got()));
        match (self.filter, value) {
            (None, value) => Ok(value.clone()),
            (Some(_), Value::Null) if self.optional => Ok(Value::Null),
            (Some(Filter::Number), Value::Number(_)) | (Some(Filter::Text), Value::String(_)) => {
                Ok(value.clone())
            }
            (Some(Filter::Number), Value::String(text)) => match text.trim().parse::<Number>() {
                Ok(number) => Ok(number.into()),
                Err(_) if self.optional && text.trim().is_empty() => Ok(Value::Null),
                Err(_) => misfit("number"),
            },
            (Some(Filter::Number), _) => misfit("number"),
            (Some(Filter::Text), Value::Number(_) | Value::Bool(_)) => Ok(value.to_string().into()),
            (Some(Filter::Text), _) => misfit("text"),
            (Some(Filter::Json), Value::String(text)) => {
                serde_json::from_str(text).or_else(|_| misfit("JSON"))
            }
            (Some(Filter::Json), _) => misfit("text with JSON"),
        }
    }
}

/// What stands in brackets, and what follows them.
fn bracket(after: &str) -> Option<(Step, &str)> {
    let quote = after.chars().next()?;
    if matches!(quote, '\'' | '"') {
        let inner = &after[1..];
        let end = inner.find(quote)?;
        let rest = inner[end + 1..].strip_prefix(']')?;
        return (end > 0).then(|| (Step::Name(inner[..end].to_owned()), rest));
    }
    let (place, rest) = after.split_once(']')?;
    let digits = !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit());
    let place = digits.then(|| place.parse().ok()).flatten()?;
    Some((Step::Place(place), rest))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.text)
    }
}
