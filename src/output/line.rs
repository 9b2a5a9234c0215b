//! A line of output that is put together before it is written. Plan files are millions of small numbers between
//! fixed words, where `write!` and a serializer would spend most of the time on the words.

use std::io::{self, Write};

/// See the [module](self).
#[derive(Default)]
pub(super) struct Line {
    bytes: Vec<u8>,
    digits: itoa::Buffer,
}

impl Line {
    /// Adds `text` as it is.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a whole number in decimal digits.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.bytes.extend_from_slice(self.digits.format(number).as_bytes());
        self
    }

    /// Adds a number as JSON, `null` where there is none.
    pub fn number_or_null(&mut self, number: Option<u64>) -> &mut Self {
        match number {
            Some(number) => self.number(number),
            None => self.text("null"),
        }
    }

    /// Adds `text` as JSON: in quotes, escaped.
    pub fn quoted(&mut self, text: &str) -> &mut Self {
        // A text always has its JSON, and writing to a Vec cannot fail.
        let _ = serde_json::to_writer(&mut self.bytes, text);
        self
    }

    /// Writes the line and begins anew.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}
