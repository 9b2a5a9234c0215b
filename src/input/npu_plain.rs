//! The short way for NPU graphs that are written as most are: known fields of the right types, texts without escapes.
//! Whatever else it meets, it gives up: [`npu_json`](super::npu_json) then reads the file from the start, takes all that
//! JSON allows, and says what is wrong. So this knows no errors, and must only never take what that one would not, or
//! take it otherwise.

use super::npu_node::{Column, Field, NodeFields};
use crate::model::GraphBuilder;

/// Reads the graph in `text` into `builder`, which is of no use where this gives up.
pub(super) fn read(text: &str, builder: &mut GraphBuilder) -> Option<()> {
    let mut scanner = Scanner { text, at: 0 };
    let mut has_nodes = false;
    scanner.object(|scanner, key| {
        match key {
            "Nodes" if !has_nodes => {
                has_nodes = true;
                read_nodes(scanner, builder)?;
            }
            "Edges" if builder.edges.is_none() => builder.edges = Some(read_edges(scanner)?),
            "Schedule" if builder.schedule.is_none() => builder.schedule = Some(read_numbers(scanner)?),
            _ => return None,
        }
        Some(())
    })?;
    (has_nodes && scanner.peek().is_none()).then_some(())
}

fn read_nodes(scanner: &mut Scanner, builder: &mut GraphBuilder) -> Option<()> {
    let mut at = 0;
    scanner.list(|scanner| {
        read_node(scanner, builder, at)?;
        at += 1;
        Some(())
    })
}

fn read_node(scanner: &mut Scanner, builder: &mut GraphBuilder, at: usize) -> Option<()> {
    let mut fields = NodeFields::default();
    let mut seen = 0u16;
    scanner.object(|scanner, key| {
        let column = Column::of(key)?;
        if seen & 1 << column as u16 != 0 {
            return None;
        }
        seen |= 1 << column as u16;
        match column {
            Column::Id => fields.id = Field::Is(scanner.number()?),
            Column::Op => fields.op = Field::Is(scanner.string()?.into()),
            Column::BufId => fields.buf = Field::Is(scanner.number()?),
            Column::Size => fields.size = Field::Is(scanner.number()?),
            Column::Type => fields.level = Field::Is(scanner.string()?.into()),
            Column::Pipe => fields.pipe = Field::Is(scanner.string()?.into()),
            Column::Cycles => fields.cycles = Field::Is(scanner.number()?),
            Column::Name => fields.name = Field::Is(scanner.string()?.into()),
            Column::Bufs => {
                let start = builder.operands.len() as u32;
                scanner.list(|scanner| {
                    builder.operands.push(scanner.number()?);
                    Some(())
                })?;
                fields.bufs = Field::Is((start, builder.operands.len() as u32));
            }
        }
        Some(())
    })?;
    fields.add_to(builder, at).ok()
}

fn read_edges(scanner: &mut Scanner) -> Option<Vec<(u64, u64)>> {
    let mut edges = Vec::new();
    scanner.list(|scanner| {
        scanner.take(b'[')?;
        let from = scanner.number()?;
        scanner.take(b',')?;
        let to = scanner.number()?;
        scanner.take(b']')?;
        edges.push((from, to));
        Some(())
    })?;
    Some(edges)
}

fn read_numbers(scanner: &mut Scanner) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    scanner.list(|scanner| {
        numbers.push(scanner.number()?);
        Some(())
    })?;
    Some(numbers)
}

/// A place in a text; each method reads on from there, or gives up.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// The same, and goes past it.
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// A whole number without sign, point or exponent, of at most 18 digits and so below 2^63.
    fn number(&mut self) -> Option<u64> {
        let first = self.peek()?;
        let start = self.at;
        let mut number = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        match self.at - start {
            1 => Some(number),
            2..=18 if first != b'0' => Some(number),
            _ => None,
        }
    }

    /// A text without escapes.
    fn string(&mut self) -> Option<&'t str> {
        self.take(b'"')?;
        let start = self.at;
        while !matches!(self.byte()?, b'"' | b'\\' | 0..=0x1f) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at)?;
        (self.byte()? == b'"').then(|| {
            self.at += 1;
            text
        })
    }

    fn list(&mut self, entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        self.entries(b']', entry)
    }

    fn object(&mut self, mut member: impl FnMut(&mut Self, &'t str) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        self.entries(b'}', |scanner| {
            let key = scanner.string()?;
            scanner.take(b':')?;
            member(scanner, key)
        })
    }

    /// Entries with commas between them, up to and with the bracket `end`.
    fn entries(&mut self, end: u8, mut entry: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.peek()? == end {
            return self.take(end);
        }
        loop {
            entry(self)?;
            match self.next()? {
                b',' => {}
                byte => return (byte == end).then_some(()),
            }
        }
    }
}
