//! A kernel as a straight-line program: buffers are declared, operations write and read them, and the graph
//! follows from that. Each ALLOC stands right before the first operation that names the buffer, each FREE right
//! after the last; the edges are the true dependencies.

use crate::model::{Fault, GraphBuilder, Name};

/// A buffer of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buf(u32);

/// Straight-line code over buffers. `'a` is the life of the names of kinds, pipes and levels.
#[derive(Debug, Default)]
pub(super) struct Program<'a> {
    buffers: Vec<Declared<'a>>,
    operations: Vec<Operation<'a>>,
    operands: Vec<Buf>,
    kept: usize,
}

#[derive(Debug)]
struct Declared<'a> {
    level: &'a str,
    size: u64,
    name: Option<Name>,
    /// Lives to the end: has no FREE.
    kept: bool,
    /// The first and the last operation that names it.
    uses: Option<(usize, usize)>,
}

#[derive(Debug)]
struct Operation<'a> {
    kind: &'a str,
    pipe: &'a str,
    cycles: u64,
    name: Option<Name>,
    /// Its operands in the table, half-open; those before `reads` are written, the others read.
    operands: (usize, usize),
    reads: usize,
}

impl<'a> Program<'a> {
    /// How many nodes the graph will have.
    pub(super) fn node_count(&self) -> usize {
        self.operations.len() + 2 * self.buffers.len() - self.kept
    }

    /// Declares a buffer. It must be named by some operation.
    pub(super) fn buffer(&mut self, level: &'a str, size: u64, name: Option<String>) -> Buf {
        self.buffers.push(Declared { level, size, name: name.map(Name::new), kept: false, uses: None });
        Buf(self.buffers.len() as u32 - 1)
    }

    /// Leaves out the FREE of `buf`.
    pub(super) fn keep(&mut self, buf: Buf) {
        self.buffers[buf.0 as usize].kept = true;
        self.kept += 1;
    }

    /// Adds an operation that writes (or changes in place) `writes` and reads `reads`; no buffer stands twice.
    pub(super) fn op(&mut self, kind: &'a str, pipe: &'a str, cycles: u64, writes: &[Buf], reads: &[Buf]) {
        let at = self.operations.len();
        let start = self.operands.len();
        self.operands.extend(writes.iter().chain(reads));
        for buf in &self.operands[start..] {
            let uses = &mut self.buffers[buf.0 as usize].uses;
            *uses = Some((uses.map_or(at, |(first, _)| first), at));
        }
        let operands = (start, self.operands.len());
        self.operations.push(Operation { kind, pipe, cycles, name: None, operands, reads: start + writes.len() });
    }

    /// The same with a name.
    pub(super) fn named(
        &mut self,
        name: String,
        kind: &'a str,
        pipe: &'a str,
        cycles: u64,
        writes: &[Buf],
        reads: &[Buf],
    ) {
        self.op(kind, pipe, cycles, writes, reads);
        if let Some(last) = self.operations.last_mut() {
            last.name = Some(Name::new(name));
        }
    }

    /// Fills `buf` from main memory.
    pub(super) fn load(&mut self, buf: Buf) {
        let declared = &self.buffers[buf.0 as usize];
        let cycles = super::cost::copy_in(declared.size);
        match &declared.name {
            Some(name) => self.named(format!("load {}", name.raw()), "COPY_IN", "MTE2", cycles, &[buf], &[]),
            None => self.op("COPY_IN", "MTE2", cycles, &[buf], &[]),
        }
    }

    /// The graph under construction, ids in program order from 0. Without `edges` they are left to the buffers.
    ///
    /// # Errors
    /// Where there are too many different names.
    pub(super) fn into_builder(mut self, name: &str, edges: bool) -> Result<GraphBuilder, Fault> {
        let mut builder = GraphBuilder::new(name.into());
        builder.nodes.reserve(self.node_count());
        let mut flow = edges.then(|| Flow::new(self.buffers.len()));
        for at in 0..self.operations.len() {
            self.emit(at, &mut builder, flow.as_mut())?;
        }
        builder.edges = flow.map(|flow| flow.edges);
        Ok(builder)
    }

    /// Adds operation `at`, the ALLOCs that it is the first to need before it and the FREEs that it allows after it.
    fn emit(&mut self, at: usize, builder: &mut GraphBuilder, mut flow: Option<&mut Flow>) -> Result<(), Fault> {
        let operation = &mut self.operations[at];
        let operands = &self.operands[operation.operands.0..operation.operands.1];
        for buf in operands {
            let buffer = &mut self.buffers[buf.0 as usize];
            if buffer.uses.is_some_and(|(first, _)| first == at) {
                let id = builder.nodes.len() as u64;
                let level = builder.intern(buffer.level)?;
                builder.alloc(id, u64::from(buf.0), buffer.size, level);
                set_name(builder, buffer.name.take());
                if let Some(flow) = &mut flow {
                    flow.write(*buf, id);
                }
            }
        }
        let id = builder.nodes.len() as u64;
        let (kind, pipe) = (builder.intern(operation.kind)?, builder.intern(operation.pipe)?);
        let ids: Vec<u64> = operands.iter().map(|buf| u64::from(buf.0)).collect();
        builder.op(id, kind, pipe, operation.cycles, &ids);
        set_name(builder, operation.name.take());
        if let Some(flow) = &mut flow {
            let writes = operation.reads - operation.operands.0;
            operands[..writes].iter().for_each(|&buf| flow.write(buf, id));
            operands[writes..].iter().for_each(|&buf| flow.read(buf, id));
        }
        for buf in operands {
            let buffer = &self.buffers[buf.0 as usize];
            if !buffer.kept && buffer.uses.is_some_and(|(_, last)| last == at) {
                let id = builder.nodes.len() as u64;
                builder.free(id, u64::from(buf.0));
                if let Some(flow) = &mut flow {
                    flow.write(*buf, id);
                }
            }
        }
        Ok(())
    }
}

fn set_name(builder: &mut GraphBuilder, name: Option<Name>) {
    if let Some(node) = builder.nodes.last_mut() {
        node.name = name;
    }
}

/// True dependencies: a reader waits for the last writer, a writer for the readers since then.
#[derive(Debug)]
struct Flow {
    edges: Vec<(u64, u64)>,
    /// By buffer: the last node that wrote it.
    writer: Vec<Option<u64>>,
    /// By buffer: the nodes that read it since.
    readers: Vec<Vec<u64>>,
}

impl Flow {
    fn new(buffers: usize) -> Self {
        Self { edges: Vec::new(), writer: vec![None; buffers], readers: vec![Vec::new(); buffers] }
    }

    fn write(&mut self, buf: Buf, node: u64) {
        let at = buf.0 as usize;
        let writer = self.writer[at].replace(node);
        if self.readers[at].is_empty() {
            self.edges.extend(writer.map(|writer| (writer, node)));
        }
        self.edges.extend(self.readers[at].drain(..).map(|reader| (reader, node)));
    }

    fn read(&mut self, buf: Buf, node: u64) {
        let at = buf.0 as usize;
        self.edges.extend(self.writer[at].map(|writer| (writer, node)));
        self.readers[at].push(node);
    }
}
