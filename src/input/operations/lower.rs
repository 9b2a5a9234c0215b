//! From named operations to the common model: operation i becomes ALLOC 3i, operation 3i+1 and FREE 3i+2 over buffer i.
//! A graph input follows behind them: an ALLOC and a FREE, and no operation. What nobody reads has no FREE: outputs of
//! the graph stay to the end.

use super::{Input, Operation};
use crate::model::{Fault, GraphBuilder, Name, RawKind, RawNode};

/// The level that every buffer lives in.
const LEVEL: &str = "pool";
/// What every operation runs on.
const PIPE: &str = "worker";

/// Adds the nodes to `builder`. The operations come first, an ALLOC and an operation each, then the inputs' ALLOCs, then
/// the FREEs ([`operation_of`] knows).
pub(super) fn lower(
    builder: &mut GraphBuilder,
    operations: &[Operation],
    inputs: &[Input],
    reads: &[u32],
) -> Result<(), Fault> {
    let (level, pipe) = (builder.intern(LEVEL)?, builder.intern(PIPE)?);
    let ids = Ids { operations: operations.len() as u64 };
    let mut edges = Vec::with_capacity(operations.len() + 2 * reads.len());
    for (at, operation) in operations.iter().enumerate() {
        let (buffer, id) = (at as u64, Ids::operation(at as u64));
        let name = Some(Name::new(&*operation.name));
        push(builder, ids.alloc(buffer), name.clone(), RawKind::Alloc(buffer, operation.size, level));
        let start = builder.operands.len() as u32;
        for &read in &reads[operation.inputs.clone()] {
            builder.operands.push(read.into());
            edges.push((ids.made_by(read.into()), id));
            edges.push((id, ids.free(read.into())));
        }
        builder.operands.push(buffer);
        edges.push((ids.alloc(buffer), id));
        let operands = (start, builder.operands.len() as u32);
        push(builder, id, name, RawKind::Op(operation.kind, pipe, operation.cycles, operands));
        builder.actual_sizes.extend(operation.actual_size.map(|size| (buffer, size)));
        builder.zero_fill.extend(operation.zero_fill.then_some(buffer));
    }
    for (buffer, input) in (ids.operations..).zip(inputs) {
        let name = Some(Name::new(&*input.name));
        push(builder, ids.alloc(buffer), name, RawKind::Alloc(buffer, input.size, level));
        builder.backed.push(buffer);
    }
    add_frees(builder, &ids, operations, inputs, reads);
    builder.edges = Some(edges);
    Ok(())
}

/// Adds a FREE of each buffer that is read.
fn add_frees(builder: &mut GraphBuilder, ids: &Ids, operations: &[Operation], inputs: &[Input], reads: &[u32]) {
    let mut is_read = vec![false; operations.len() + inputs.len()];
    reads.iter().for_each(|&buffer| is_read[buffer as usize] = true);
    let names = operations.iter().map(|operation| &operation.name).chain(inputs.iter().map(|input| &input.name));
    for ((buffer, name), is_read) in (0u64..).zip(names).zip(is_read) {
        if is_read {
            push(builder, ids.free(buffer), Some(Name::new(&**name)), RawKind::Free(buffer, None, None));
        }
    }
}

fn push(builder: &mut GraphBuilder, id: u64, name: Option<Name>, kind: RawKind) {
    builder.nodes.push(RawNode { id, name, kind });
}

/// The operation that entry `place` of the builder's nodes belongs to, of so many.
pub(super) fn operation_of(place: usize, operations: usize) -> Option<usize> {
    Some(place / 2).filter(|&at| at < operations)
}

/// Which ids nodes get.
struct Ids {
    operations: u64,
}

impl Ids {
    fn operation(at: u64) -> u64 {
        3 * at + 1
    }

    fn alloc(&self, buffer: u64) -> u64 {
        match buffer.checked_sub(self.operations) {
            None => 3 * buffer,
            Some(input) => 3 * self.operations + 2 * input,
        }
    }

    fn free(&self, buffer: u64) -> u64 {
        match buffer.checked_sub(self.operations) {
            None => 3 * buffer + 2,
            Some(input) => 3 * self.operations + 2 * input + 1,
        }
    }

    /// The node after which the buffer holds what its readers read.
    fn made_by(&self, buffer: u64) -> u64 {
        if buffer < self.operations { Self::operation(buffer) } else { self.alloc(buffer) }
    }
}
