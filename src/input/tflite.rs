//! Models of TensorFlow Lite (`.tflite`): the tensors of the first subgraph as lifetimes in one arena. Times are operators in
//! the order in which they run: number k runs in `[k, k+1)`. The reader needs no library: of the format, a FlatBuffer with
//! the identifier `TFL3`, it takes five kinds of table, and checks each access.
//!
//! Field numbers and types are those of the public schema (`tensorflow/lite/schema/schema.fbs`, version 3c). Sizes are counted
//! as TensorFlow Lite Micro does: whole bytes an element, each buffer rounded up to 16.

mod flatbuffer;
mod operators;

use std::collections::HashSet;

use super::lifetimes::Lifetimes;
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::{Lifetime, MAX_NUMBER, Name, Packing, clean};
use flatbuffer::{Buffer, Fault, List, Table};

/// What stands in bytes 4 to 8 of a model.
const IDENTIFIER: &[u8] = b"TFL3";
/// TensorFlow Lite Micro's arena keeps every buffer to multiples of this many bytes.
pub const MODEL_ALIGNMENT: u64 = 16;
/// More tensors, operators or buffers than any model has, and still quick to read.
const MOST: usize = 1 << 20;

/// What is said of a model beside the lifetimes of its tensors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The operators in the order in which they run, as in `CONV_2D.3`, with their places.
    pub operators: Vec<Name>,
    /// How many tensors the subgraph has.
    pub tensors: usize,
    /// How many of them have their data in the file.
    pub constants: usize,
    /// How many are variables, which keep their memory beside the plan.
    pub variables: usize,
    /// How many no operator touches, or have no elements.
    pub unused: usize,
    /// How many are read though neither the caller nor an operator fills them: alive from the start.
    pub unmade: usize,
    /// How many have dimensions that are only known as the model runs; their size is that of the shape in the file.
    pub resizable: usize,
    /// How many subgraphs there are behind the first, which are not read.
    pub other_subgraphs: usize,
}

/// Whether `bytes` begin as a model does.
pub(super) fn is_model(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some(IDENTIFIER)
}

/// Reads a model.
///
/// # Errors
/// Whatever is wrong with it, with the byte at which it stands.
pub fn read_tflite(source: &Source) -> Result<Lifetimes, Error> {
    read(&source.bytes, &source.stem).map_err(|fault| {
        let what = format!("at byte {}: {}", fault.at, fault.what);
        Error::input(what, fault.advice).in_file(&source.name)
    })
}

fn read(bytes: &[u8], name: &str) -> Result<Lifetimes, Fault> {
    if bytes.len() < 8 {
        return Err(Fault::broken(bytes.len(), "the file ends before its identifier TFL3"));
    }
    if !is_model(bytes) {
        let found = String::from_utf8_lossy(&bytes[4..8]);
        return Err(Fault::broken(4, format!("expected the identifier TFL3, found {}", quoted(&found))));
    }
    let buffer = Buffer::new(bytes);
    let root = buffer.root()?;
    let codes = root.list(1, 4)?.few()?.tables()?.map(|code| operators::name(&code?)).collect::<Result<Vec<_>, _>>()?;
    let filled = root.list(4, 4)?.few()?.tables()?.map(|data| is_filled(&data?)).collect::<Result<Vec<_>, _>>()?;
    let subgraphs = root.list(2, 4)?.few()?;
    let Some(first) = subgraphs.tables()?.next().transpose()? else {
        return Err(Fault::broken(root.at, "the model has no subgraph"));
    };
    let mut subgraph = Subgraph::read(&first, &filled)?;
    subgraph.model.other_subgraphs = subgraphs.count - 1;
    subgraph.run(&first, &codes)?;
    subgraph.lifetimes(name)
}

impl List<'_> {
    /// The same, where it is no longer than those of any model.
    fn few(self) -> Result<Self, Fault> {
        if self.count <= MOST {
            return Ok(self);
        }
        let what = format!("a list of {} entries begins there; at most {MOST} are read", self.count);
        Err(Fault::broken(self.start, what))
    }
}

/// Whether a table `Buffer` has data, in the file or, with files above 2 GiB, behind it.
fn is_filled(data: &Table) -> Result<bool, Fault> {
    Ok(data.list(0, 1)?.count > 0 || data.u64(2)? > 0)
}

/// How a tensor comes to its memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constant,
    Variable,
    /// It takes turns in the arena.
    Planned,
}

struct Tensor<'a> {
    table: Table<'a>,
    kind: Kind,
    /// When it is alive, half-open.
    live: Option<(u64, u64)>,
    /// Whether the caller or an operator fills it.
    is_made: bool,
}

struct Subgraph<'a> {
    tensors: Vec<Tensor<'a>>,
    model: Model,
}

impl<'a> Subgraph<'a> {
    fn read(table: &Table<'a>, filled: &[bool]) -> Result<Self, Fault> {
        let mut subgraph = Self { tensors: Vec::new(), model: Model::default() };
        for tensor in table.list(0, 4)?.few()?.tables()? {
            let tensor = tensor?;
            let data = tensor.u32(2)? as usize;
            let kind = match filled.get(data) {
                None if data > 0 => {
                    let what =
                        format!("the tensor there has its data in buffer {data}, but there are {}", filled.len());
                    return Err(Fault::broken(tensor.at, what));
                }
                Some(true) => Kind::Constant,
                _ if tensor.u8(5)? != 0 => Kind::Variable,
                _ => Kind::Planned,
            };
            subgraph.tensors.push(Tensor { table: tensor, kind, live: None, is_made: false });
        }
        let model = &mut subgraph.model;
        model.tensors = subgraph.tensors.len();
        let count = |kind| subgraph.tensors.iter().filter(|tensor| tensor.kind == kind).count();
        (model.constants, model.variables) = (count(Kind::Constant), count(Kind::Variable));
        Ok(subgraph)
    }

    /// Lets the operators run, to see from which to which each tensor is alive.
    fn run(&mut self, table: &Table<'a>, codes: &[String]) -> Result<(), Fault> {
        self.each(table.list(1, 4)?, |input| (input.live, input.is_made) = (Some((0, 1)), true))?;
        for (at, operator) in table.list(3, 4)?.few()?.tables()?.enumerate() {
            let operator = operator?;
            let code = operator.u32(0)? as usize;
            let code = codes.get(code).ok_or_else(|| {
                let what = format!("the operator there is of kind {code}, but there are {} kinds", codes.len());
                Fault::broken(operator.at, what)
            })?;
            self.model.operators.push(Name::new(format!("{code}.{at}")));
            let at = at as u64;
            self.each(operator.list(1, 4)?, |read| {
                let (lower, upper) = read.live.unwrap_or((0, 0));
                read.live = Some((lower, upper.max(at + 1)));
            })?;
            let mut early = false;
            self.each(operator.list(2, 4)?, |made| {
                let (lower, upper) = made.live.unwrap_or((at, 0));
                // To read and fill one in the same operator is to work in place.
                early |= !made.is_made && made.live.is_some() && upper <= at;
                (made.live, made.is_made) = (Some((lower, upper.max(at + 1))), true);
            })?;
            if early {
                let what = format!("operator {at} ({code}) makes a tensor that an operator before it reads");
                return Err(Fault::broken(operator.at, what));
            }
        }
        let end = self.model.operators.len().max(1) as u64;
        self.each(table.list(2, 4)?, |output| output.live = Some((output.live.map_or(0, |live| live.0), end)))
    }

    /// Does `what` to each tensor of a list that takes turns in the arena; -1 stands for one that is left out.
    fn each(&mut self, list: List, mut what: impl FnMut(&mut Tensor)) -> Result<(), Fault> {
        for (at, index) in list.numbers()?.enumerate().filter(|&(_, index)| index != -1) {
            let tensor = usize::try_from(index).ok().and_then(|index| self.tensors.get_mut(index));
            let Some(tensor) = tensor else {
                let what = format!("tensor {index} is named there, but there are {}", self.tensors.len());
                return Err(Fault::broken(list.start + 4 * at, what));
            };
            if tensor.kind == Kind::Planned {
                what(tensor);
            }
        }
        Ok(())
    }

    fn lifetimes(mut self, name: &str) -> Result<Lifetimes, Fault> {
        let mut buffers = Vec::new();
        let mut names = HashSet::new();
        let mut total: u64 = 0;
        for (index, tensor) in self.tensors.iter().enumerate().filter(|(_, tensor)| tensor.kind == Kind::Planned) {
            let size = if tensor.live.is_some() { size(&tensor.table)? } else { 0 };
            let Some((lower, upper)) = tensor.live.filter(|_| size > 0) else {
                self.model.unused += 1;
                continue;
            };
            self.model.unmade += usize::from(!tensor.is_made);
            self.model.resizable += usize::from(tensor.table.list(7, 4)?.numbers()?.any(|dimension| dimension < 0));
            total = total.checked_add(size).filter(|&total| total <= MAX_NUMBER).ok_or_else(|| {
                Fault::broken(tensor.table.at, "with the tensor there the sizes of all together pass 2^63-1")
            })?;
            let name = unique(tensor.table.text(3)?, index, &mut names);
            let (alignment, fixed, hint, gaps) = (MODEL_ALIGNMENT, None, None, Vec::new());
            buffers.push(Lifetime { name, lower, upper, size, alignment, fixed, hint, gaps });
        }
        let row = |b: &Lifetime| {
            vec![
                b.name.raw().to_owned(),
                b.lower.to_string(),
                b.upper.to_string(),
                b.size.to_string(),
                b.alignment.to_string(),
            ]
        };
        Ok(Lifetimes {
            name: Name::new(name),
            header: ["id", "lower", "upper", "size", "alignment"].map(str::to_owned).into(),
            rows: buffers.iter().map(row).collect(),
            packing: Packing { buffers },
            model: Some(self.model),
            ..Lifetimes::default()
        })
    }
}

/// A name that no tensor before has: files of lifetimes know buffers by it. Names in models need not be so.
fn unique(raw: &[u8], index: usize, names: &mut HashSet<String>) -> Name {
    let raw = String::from_utf8_lossy(raw);
    let mut name = clean(raw.trim()).into_owned();
    if name.is_empty() {
        name = format!("tensor {index}");
    }
    while !names.insert(name.clone()) {
        name = format!("{name}#{index}");
    }
    Name::new(name)
}

/// How many bytes the arena keeps for a tensor.
fn size(tensor: &Table) -> Result<u64, Fault> {
    let shape = tensor.list(0, 4)?;
    let mut elements = Some(1u64);
    for (at, dimension) in shape.numbers()?.enumerate() {
        let dimension = u64::try_from(dimension).map_err(|_| {
            let name = quoted(&String::from_utf8_lossy(tensor.text(3).unwrap_or_default()));
            let what =
                format!("dimension {at} of tensor {name} is {dimension}, that is unknown: its size depends on it");
            Fault {
                advice: "give the inputs fixed shapes when the model is converted",
                ..Fault::broken(tensor.at, what)
            }
        })?;
        elements = elements.and_then(|elements| elements.checked_mul(dimension));
    }
    let element = element(tensor)?;
    let bytes = elements.and_then(|elements| elements.checked_mul(element)?.checked_next_multiple_of(MODEL_ALIGNMENT));
    bytes
        .filter(|&bytes| bytes <= MAX_NUMBER)
        .ok_or_else(|| Fault::broken(tensor.at, "the tensor there takes more than 2^63-1 bytes"))
}

/// How many bytes an element takes. Elements of four bits are kept in whole bytes, resources are handles.
fn element(tensor: &Table) -> Result<u64, Fault> {
    let kind = tensor.u8(1)?;
    Ok(match kind {
        0 | 2 | 13 | 15 => 4,
        1 | 7 | 16 | 18 => 2,
        3 | 6 | 9 | 17 => 1,
        4 | 8 | 10 | 12 => 8,
        11 => 16,
        _ => {
            let kind = match kind {
                5 => "STRING".to_owned(),
                14 => "VARIANT".to_owned(),
                other => format!("{other}, which is unknown"),
            };
            let name = quoted(&String::from_utf8_lossy(tensor.text(3)?));
            let what = format!("tensor {name} is of type {kind}: its size is only known as the model runs");
            return Err(Fault { advice: "no arena can be planned for it", ..Fault::broken(tensor.at, what) });
        }
    })
}

#[cfg(test)]
mod tests;
