//! Objects whose members are kept as the text that stands in the file. Such a text knows its own place, so that nothing
//! has to be kept on the way for the message about it, and a number is still exactly what was written.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json::{self, Value};
use super::json_any::Key;
use super::source::Source;
use crate::error::Error;
use crate::model::MAX_NUMBER;

/// The members of an object that have one of `N` names. `null` is as absent.
pub(super) struct Fields<'t, const N: usize> {
    source: &'t Source,
    /// The whole object.
    raw: &'t str,
    names: &'static [&'static str; N],
    values: [Option<&'t str>; N],
    /// How many members have other names.
    pub unknown: usize,
}

impl<'t, const N: usize> Fields<'t, N> {
    /// The object that the whole file is.
    ///
    /// # Errors
    /// Where it is not JSON, is no object, or has a name twice. `wanted` says what should be there.
    pub fn of_file(source: &'t Source, names: &'static [&'static str; N], wanted: &str) -> Result<Self, Error> {
        let mut parser = serde_json::Deserializer::from_str(&source.text);
        match (Members { names }).deserialize(&mut parser).and_then(|members| parser.end().map(|()| members)) {
            Ok(members) => members.into_fields(source, &source.text, names, &"the file"),
            Err(error) if error.is_data() => {
                json::check_object(source, wanted)?;
                Err(source.whole_error("the file must hold an object at the top", format!("expected {wanted}")))
            }
            Err(error) => Err(json::syntax_error(source, &error)),
        }
    }

    /// The object `raw`, a part of the file that is known to be JSON. `who` is what messages call it.
    ///
    /// # Errors
    /// Where it is no object or has a name twice.
    pub fn of_part(
        source: &'t Source,
        raw: &'t str,
        names: &'static [&'static str; N],
        who: &dyn Display,
    ) -> Result<Self, Error> {
        let mut parser = serde_json::Deserializer::from_str(raw);
        match (Members { names }).deserialize(&mut parser) {
            Ok(members) => members.into_fields(source, raw, names, who),
            Err(error) if error.is_data() => Err(bad(source, raw, who, "must be an object")),
            Err(_) => Err(half_a_pair(source, raw)),
        }
    }

    /// The member of that name as it stands in the file.
    pub fn get(&self, name: &str) -> Option<&'t str> {
        let at = self.names.iter().position(|known| *known == name)?;
        self.values[at].filter(|value| *value != "null")
    }

    /// The same, where it must be there.
    ///
    /// # Errors
    /// Where it is not; `advice` says what to write.
    pub fn need(&self, name: &str, who: &dyn Display, advice: &str) -> Result<&'t str, Error> {
        self.get(name).ok_or_else(|| self.missing(name, who, advice))
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// Where it is missing or no text.
    pub fn text(&self, name: &str, who: &dyn Display) -> Result<Cow<'t, str>, Error> {
        let raw = self.need(name, who, "")?;
        text_of(self.source, raw, &format_args!("{who}: `{name}`"))
    }

    /// A whole number from `least` to 2^63-1, where there is one.
    ///
    /// # Errors
    /// Where it is something else.
    pub fn whole(&self, name: &str, least: u64, who: &dyn Display) -> Result<Option<u64>, Error> {
        let Some(raw) = self.get(name) else { return Ok(None) };
        let number = raw.parse().ok().filter(|number| (least..=MAX_NUMBER).contains(number));
        let wanted = || format!("`{name}` must be a whole number from {least} to 2^63-1");
        number.map(Some).ok_or_else(|| bad(self.source, raw, &format_args!("{who}:"), &wanted()))
    }

    /// A whole number that must be there.
    ///
    /// # Errors
    /// Where it is missing or something else.
    pub fn need_whole(&self, name: &str, least: u64, who: &dyn Display, advice: &str) -> Result<u64, Error> {
        self.whole(name, least, who)?.ok_or_else(|| self.missing(name, who, advice))
    }

    /// The entries of a list, where there is one.
    ///
    /// # Errors
    /// Where it is no list.
    pub fn list(&self, name: &str, who: &dyn Display) -> Result<Option<Vec<&'t RawValue>>, Error> {
        let Some(raw) = self.get(name) else { return Ok(None) };
        let wanted = format_args!("{who}:");
        serde_json::from_str(raw)
            .map(Some)
            .map_err(|_| bad(self.source, raw, &wanted, &format!("`{name}` must be a list")))
    }

    /// The message that the member of that name is missing.
    #[cold]
    pub fn missing(&self, name: &str, who: &dyn Display, advice: &str) -> Error {
        // Of an object over several lines the first line is only a brace: its name tells more.
        let shown = self.get("name").filter(|_| self.raw.contains('\n')).unwrap_or(self.raw);
        self.source.error(value(self.source, shown).range(), format!("{who}: `{name}` is missing"), advice)
    }
}

/// `raw`, a part of the file, with its place.
pub(super) fn value<'t>(source: &'t Source, raw: &str) -> Value<'t> {
    Value::spanning(&source.text, raw)
}

/// The message that `who` is not what is wanted but `raw`.
#[cold]
pub(super) fn bad(source: &Source, raw: &str, who: &dyn Display, wanted: &str) -> Error {
    let value = value(source, raw);
    source.error(value.range(), format!("{who} {wanted}, found {}", value.found()), "")
}

/// The text that `raw`, a part of the file, stands for. `who` is what messages call it.
///
/// # Errors
/// Where it is no text.
pub(super) fn text_of<'t>(source: &Source, raw: &'t str, who: &dyn Display) -> Result<Cow<'t, str>, Error> {
    let inside = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inside = inside.ok_or_else(|| bad(source, raw, who, "must be a text"))?;
    if !inside.contains('\\') {
        return Ok(inside.into());
    }
    serde_json::from_str::<String>(raw).map(Cow::Owned).map_err(|_| half_a_pair(source, raw))
}

/// The one fault of a text that only shows when it is decoded.
#[cold]
fn half_a_pair(source: &Source, raw: &str) -> Error {
    let what = "not valid JSON: a text here holds half of a surrogate pair";
    source.error(value(source, raw).range(), what, "write the character itself")
}

/// Reads an object's members.
struct Members<const N: usize> {
    names: &'static [&'static str; N],
}

/// What [`Members`] read.
struct Found<'t, const N: usize> {
    values: [Option<&'t str>; N],
    unknown: usize,
    doubled: Option<(&'static str, &'t str)>,
}

impl<'t, const N: usize> Found<'t, N> {
    fn into_fields(
        self,
        source: &'t Source,
        raw: &'t str,
        names: &'static [&'static str; N],
        who: &dyn Display,
    ) -> Result<Fields<'t, N>, Error> {
        let Self { values, unknown, doubled } = self;
        if let Some((name, second)) = doubled {
            let what = format!("{who}: `{name}` stands twice in the same object");
            return Err(source.error(value(source, second).range(), what, "keep one of the two"));
        }
        Ok(Fields { source, raw, names, values, unknown })
    }
}

impl<'t, const N: usize> DeserializeSeed<'t> for Members<N> {
    type Value = Found<'t, N>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'t, const N: usize> Visitor<'t> for Members<N> {
    type Value = Found<'t, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Found { values: [None; N], unknown: 0, doubled: None };
        let place = |key: &str| self.names.iter().position(|name| *name == key);
        while let Some(at) = map.next_key_seed(Key(place))? {
            let Some(at) = at else {
                found.unknown += 1;
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let raw = map.next_value::<&'t RawValue>()?.get();
            if found.values[at].replace(raw).is_some() {
                found.doubled = found.doubled.or(Some((self.names[at], raw)));
            }
        }
        Ok(found)
    }
}
