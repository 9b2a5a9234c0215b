//! Reading a JSON value of any type in one pass, so that the reader decides later whether a wrong type matters.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::npu_node::Field;
use crate::model::MAX_NUMBER;

/// Reads the name of an object's member as what the function takes it for.
pub(super) struct Key<F>(pub F);

impl<'de, T, F: FnOnce(&str) -> T> DeserializeSeed<'de> for Key<F> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T, F: FnOnce(&str) -> T> Visitor<'_> for Key<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<T, E> {
        Ok((self.0)(name))
    }
}

/// Reads a value of any type.
pub(super) struct Any<'r> {
    /// Where the elements go if the value is a list of numbers.
    pub list: Option<&'r mut Vec<u64>>,
}

/// What [`Any`] read.
pub(super) enum Found<'de> {
    Null,
    /// A whole number that is not negative.
    Number(u64),
    Text(Cow<'de, str>),
    /// A list that went into [`Any::list`], and the first element that is no number below 2^63.
    List(Option<usize>),
    /// Anything else.
    Other,
}

impl Any<'_> {
    /// For numbers and texts.
    pub const SCALAR: Self = Self { list: None };
}

impl<'de> Found<'de> {
    /// As a whole number below 2^63.
    pub fn number(self) -> Field<u64> {
        match self {
            Self::Null => Field::Absent,
            Self::Number(number) if number <= MAX_NUMBER => Field::Is(number),
            _ => Field::Bad,
        }
    }

    /// As a text.
    pub fn text(self) -> Field<Cow<'de, str>> {
        match self {
            Self::Null => Field::Absent,
            Self::Text(text) => Field::Is(text),
            _ => Field::Bad,
        }
    }

    /// As a list, which `is` then stands for.
    pub fn list<T>(self, is: T) -> Field<T> {
        match self {
            Self::Null => Field::Absent,
            Self::List(_) => Field::Is(is),
            _ => Field::Bad,
        }
    }

    /// The first element of the list that is no number.
    pub fn bad_item(&self) -> Option<usize> {
        if let Self::List(bad) = self { *bad } else { None }
    }
}

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Found<'de>, E> {
        Ok(Found::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found<'de>, E> {
        Ok(Found::Other)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Found<'de>, E> {
        Ok(Found::Number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found<'de>, E> {
        Ok(Found::Other) // the parser takes this way for negative numbers only
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found<'de>, E> {
        Ok(Found::Other)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Found<'de>, E> {
        Ok(Found::Text(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Found<'de>, E> {
        Ok(Found::Text(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Found<'de>, A::Error> {
        let Some(list) = self.list else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Found::Other);
        };
        let mut bad = None;
        let mut at = 0;
        while let Some(item) = items.next_element_seed(Any::SCALAR)? {
            match item.number() {
                Field::Is(number) => list.push(number),
                _ => bad = bad.or(Some(at)),
            }
            at += 1;
        }
        Ok(Found::List(bad))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Other)
    }
}
