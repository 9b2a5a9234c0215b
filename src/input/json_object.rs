//! Small objects of a JSON file, read by hand.

use std::collections::HashSet;

use super::json::Value;
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::MAX_NUMBER;

/// More entries of a list than this are a mistake, and would not fit the planner's indices.
const MOST_ENTRIES: usize = 1000;

/// An object of the file, read by hand: every message can then say what was wanted, and where.
pub(super) struct Object<'s> {
    pub source: &'s Source,
    /// How messages call it.
    pub who: String,
    value: Value<'s>,
    pub members: Vec<(String, Value<'s>)>,
}

impl<'s> Object<'s> {
    pub fn new(source: &'s Source, who: impl Into<String>, value: Value<'s>) -> Result<Self, Error> {
        let who = who.into();
        if !value.raw().starts_with('{') {
            let what = format!("{who} must be an object, found {}", value.found());
            return Err(source.error(value.range(), what, ""));
        }
        let members: Vec<(String, Value)> = value.members().collect();
        let mut seen = HashSet::new();
        for (key, value) in &members {
            if !seen.insert(key) {
                let what = format!("{who}: `{}` stands twice in the same object", quoted(key));
                return Err(source.error(value.range(), what, "keep one of the two"));
            }
        }
        Ok(Self { source, who, value, members })
    }

    /// The member of that name, unless it is null.
    pub fn get(&self, key: &str) -> Option<Value<'s>> {
        self.members.iter().find(|(name, value)| name == key && value.raw() != "null").map(|(_, value)| *value)
    }

    pub fn missing(&self, key: &str, wanted: &str) -> Error {
        let start = self.get(key).unwrap_or(self.value).range().start;
        let what = format!("{}: `{key}` is missing: expected {wanted}", self.who);
        self.source.error(start..start + 1, what, format!("add `{key}`"))
    }

    pub fn bad(&self, key: &str, wanted: &str) -> Error {
        let value = self.get(key).unwrap_or(self.value);
        let what = format!("{}: `{key}` must be {wanted}, found {}", self.who, value.found());
        self.source.error(value.range(), what, "")
    }

    /// The member as JSON of type `T`; without it the default, or an error where there is none.
    fn read<T: serde::de::DeserializeOwned>(&self, key: &str, wanted: &str, default: Option<T>) -> Result<T, Error> {
        match self.get(key) {
            Some(value) => serde_json::from_str(value.raw()).map_err(|_| self.bad(key, wanted)),
            None => default.ok_or_else(|| self.missing(key, wanted)),
        }
    }

    pub fn whole(&self, key: &str, least: u64, most: u64, default: Option<u64>) -> Result<u64, Error> {
        let limit = if most == MAX_NUMBER { "2^63-1".into() } else { most.to_string() };
        let wanted = format!("a whole number from {least} to {limit}");
        let number = self.read(key, &wanted, default)?;
        if (least..=most).contains(&number) { Ok(number) } else { Err(self.bad(key, &wanted)) }
    }

    pub fn real(&self, key: &str, default: Option<f64>) -> Result<f64, Error> {
        self.read(key, "a finite number", default)
    }

    pub fn flag(&self, key: &str, default: bool) -> Result<bool, Error> {
        self.read(key, "true or false", Some(default))
    }

    pub fn text(&self, key: &str, default: Option<&str>) -> Result<String, Error> {
        let text = self.read(key, "a text", default.map(str::to_owned))?;
        if text.is_empty() { Err(self.bad(key, "a text that is not empty")) } else { Ok(text) }
    }

    /// The objects in a list; none where there is no list.
    pub fn objects(&self, key: &str, each: &str) -> Result<Vec<Self>, Error> {
        let Some(list) = self.get(key) else { return Ok(Vec::new()) };
        if !list.raw().starts_with('[') {
            return Err(self.bad(key, "a list"));
        }
        let values: Vec<Value> = list.items().take(MOST_ENTRIES + 1).collect();
        if values.len() > MOST_ENTRIES {
            let what = format!("{}: `{key}` has more than {MOST_ENTRIES} entries", self.who);
            return Err(self.source.error(list.range(), what, ""));
        }
        let number = |at: usize| format!("{each} {at}, counted from 0");
        values.into_iter().enumerate().map(|(at, value)| Self::new(self.source, number(at), value)).collect()
    }
}
