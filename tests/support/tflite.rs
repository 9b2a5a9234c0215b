//! Writes models of TensorFlow Lite, as small as can be: parents before children, every field in a place of its own.

/// A field of a table.
#[derive(Clone)]
pub enum Field {
    /// Not there.
    None,
    /// A number of one byte.
    U8(u8),
    /// A number of four bytes.
    U32(u32),
    /// A text.
    Text(&'static str),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Numbers of four bytes.
    Numbers(Vec<i32>),
    /// Tables.
    Tables(Vec<Table>),
}
use Field::{Bytes, None as Absent, Numbers, Tables, Text, U8, U32};

/// A table, by its fields.
pub type Table = Vec<Field>;

/// A tensor: name, shape, type, buffer, whether it is a variable.
pub fn tensor(name: &'static str, shape: &[i32], kind: u8, buffer: u32, is_variable: bool) -> Table {
    vec![Numbers(shape.to_vec()), U8(kind), U32(buffer), Text(name), Absent, U8(u8::from(is_variable))]
}

/// An operator: its kind as an index, what it reads and what it makes.
pub fn operator(code: u32, inputs: &[i32], outputs: &[i32]) -> Table {
    vec![U32(code), Numbers(inputs.to_vec()), Numbers(outputs.to_vec())]
}

/// A subgraph.
pub fn subgraph(tensors: Vec<Table>, inputs: &[i32], outputs: &[i32], operators: Vec<Table>) -> Table {
    vec![Tables(tensors), Numbers(inputs.to_vec()), Numbers(outputs.to_vec()), Tables(operators)]
}

/// A model with the kinds `CONV_2D`, `MyOp` and `CUMSUM`, and with two buffers, of which the second has data.
pub fn model(subgraphs: Vec<Table>) -> Vec<u8> {
    let codes = vec![vec![U8(3)], vec![U8(32), Text("MyOp"), Absent, U32(32)], vec![U8(127), Absent, Absent, U32(128)]];
    let buffers = vec![vec![], vec![Bytes(vec![1, 2, 3])]];
    file(&[U32(3), Tables(codes), Tables(subgraphs), Text("a test"), Tables(buffers)])
}

/// Three operators: x → a → b, then y of a and b; weights w, a variable v, and u, which nobody touches.
pub fn small() -> Vec<u8> {
    model(vec![small_subgraph(), subgraph(vec![], &[], &[], vec![])])
}

/// The first subgraph of [`small`].
pub fn small_subgraph() -> Table {
    let tensors = vec![
        tensor("x", &[1, 8], 0, 0, false),
        tensor("w", &[99], 0, 1, false),
        tensor("a", &[4, 8], 0, 0, false),
        tensor("b", &[3], 9, 0, false),
        tensor("v", &[7], 0, 0, true),
        tensor("u", &[7], 0, 0, false),
        tensor("y", &[1, 5], 7, 0, false),
    ];
    let operators = vec![operator(0, &[0, 1, -1], &[2]), operator(1, &[2, 4], &[3]), operator(2, &[2, 3], &[6])];
    subgraph(tensors, &[0], &[6], operators)
}

/// The file that this table is.
pub fn file(root: &[Field]) -> Vec<u8> {
    let mut out = b"\0\0\0\0TFL3".to_vec();
    let at = write_table(&mut out, root);
    patch(&mut out, 0, at);
    out
}

fn patch(out: &mut [u8], at: usize, target: usize) {
    out[at..at + 4].copy_from_slice(&((target - at) as u32).to_le_bytes());
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

fn write_table(out: &mut Vec<u8>, fields: &[Field]) -> usize {
    pad(out);
    let (vtable, vtable_len) = (out.len(), 4 + 2 * fields.len());
    out.extend((vtable_len as u16).to_le_bytes());
    out.extend((4 + 4 * fields.len() as u16).to_le_bytes());
    for (index, field) in fields.iter().enumerate() {
        let within = if matches!(field, Absent) { 0 } else { 4 + 4 * index as u16 };
        out.extend(within.to_le_bytes());
    }
    pad(out);
    let table = out.len();
    out.extend(((table - vtable) as u32).to_le_bytes());
    for field in fields {
        let inline = match field {
            U8(number) => u32::from(*number),
            U32(number) => *number,
            _ => 0,
        };
        out.extend(inline.to_le_bytes());
    }
    for (index, field) in fields.iter().enumerate() {
        if let Some(child) = write_list(out, field) {
            patch(out, table + 4 + 4 * index, child);
        }
    }
    table
}

fn write_list(out: &mut Vec<u8>, field: &Field) -> Option<usize> {
    pad(out);
    let list = out.len();
    match field {
        Absent | U8(_) | U32(_) => return None,
        Text(text) => write_bytes(out, text.as_bytes()),
        Bytes(bytes) => write_bytes(out, bytes),
        Numbers(numbers) => {
            out.extend((numbers.len() as u32).to_le_bytes());
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        }
        Tables(tables) => {
            out.extend((tables.len() as u32).to_le_bytes());
            let first = out.len();
            out.resize(first + 4 * tables.len(), 0);
            for (index, table) in tables.iter().enumerate() {
                let child = write_table(out, table);
                patch(out, first + 4 * index, child);
            }
        }
    }
    Some(list)
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
    out.push(0);
}
