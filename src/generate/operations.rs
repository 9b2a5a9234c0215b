//! Operation graphs in the making, and as files.

use std::fmt::Write;

/// Named operations, each after those that it reads, and what made them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operations {
    /// The parameters of the generator, in order, as the file says them.
    pub parameters: Vec<(&'static str, u64)>,
    /// The kind of the generator.
    pub kind: &'static str,
    /// The operations.
    pub list: Vec<Operation>,
}

/// One operation, which writes one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name: letters, digits and points.
    pub name: String,
    /// Its kind: letters.
    pub op_type: &'static str,
    /// The operations that it reads, as places in [`Operations::list`].
    pub inputs: Vec<u32>,
    /// Bytes that it writes.
    pub output_size: u64,
    /// How long it takes.
    pub micros: u64,
}

impl Operations {
    /// The file: a node a line, and the generator's parameters under `generated`.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(160 * self.list.len() + 256);
        let _ = write!(out, "{{\n  \"generated\": {{\"by\": \"spillscope generate {}\"", self.kind);
        for (name, value) in &self.parameters {
            let _ = write!(out, ", \"{name}\": {value}");
        }
        out.push_str("},\n  \"nodes\": [");
        for (at, operation) in self.list.iter().enumerate() {
            out.push_str(if at == 0 { "\n    " } else { ",\n    " });
            self.put(&mut out, operation);
        }
        out.push_str("\n  ]\n}\n");
        out
    }

    fn put(&self, out: &mut String, operation: &Operation) {
        let Operation { name, op_type, inputs, output_size, micros } = operation;
        let _ = write!(out, "{{\"name\": \"{name}\", \"op_type\": \"{op_type}\", \"inputs\": [");
        for (at, &input) in inputs.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            let _ = write!(out, "{separator}\"{}\"", self.list[input as usize].name);
        }
        let (millis, rest) = (micros / 1000, micros % 1000);
        let _ = write!(out, "], \"output_size\": {output_size}, \"est_duration\": {millis}.{rest:03}}}");
    }
}
