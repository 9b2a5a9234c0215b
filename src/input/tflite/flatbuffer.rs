//! The little of FlatBuffers that reading a model takes, with every access checked. Numbers are little-endian; a table begins
//! with the distance back to its vtable, which says where in the table each field stands; lists and texts begin with their
//! length (<https://flatbuffers.dev/internals>).

use std::cell::Cell;

/// How many times over the bytes of a file may be read: what is shared is read more than once, but no honest file shares so
/// much that reading it takes longer than its length says.
const READ_AT_MOST: usize = 4;

/// What is wrong with a file, and at which byte.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub what: String,
    pub advice: &'static str,
}

impl Fault {
    /// Something that no writer of models writes.
    pub fn broken(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into(), advice: "is the file a TensorFlow Lite model, and whole?" }
    }
}

/// The bytes of a file.
pub(super) struct Buffer<'a> {
    bytes: &'a [u8],
    /// How many more bytes of lists and texts may be read.
    left: Cell<usize>,
}

impl<'a> Buffer<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, left: Cell::new(bytes.len().saturating_mul(READ_AT_MOST)) }
    }

    /// The table that the file is.
    pub fn root(&self) -> Result<Table<'_>, Fault> {
        self.follow(0)
    }

    fn part(&self, at: usize, len: usize) -> Result<&'a [u8], Fault> {
        let end = at.checked_add(len).filter(|&end| end <= self.bytes.len());
        end.map(|end| &self.bytes[at..end]).ok_or_else(|| {
            let what = format!("{len} bytes are expected there, but the file ends at byte {}", self.bytes.len());
            Fault::broken(at, what)
        })
    }

    fn number<const WIDTH: usize>(&self, at: usize) -> Result<[u8; WIDTH], Fault> {
        let mut number = [0; WIDTH];
        number.copy_from_slice(self.part(at, WIDTH)?);
        Ok(number)
    }

    fn u16(&self, at: usize) -> Result<usize, Fault> {
        self.number(at).map(|number| usize::from(u16::from_le_bytes(number)))
    }

    fn u32(&self, at: usize) -> Result<usize, Fault> {
        self.number(at).map(|number| u32::from_le_bytes(number) as usize)
    }

    /// Where the distance at `at` leads; never backward, so there is no way to go round.
    fn target(&self, at: usize) -> Result<usize, Fault> {
        let distance = self.u32(at)?;
        let target = at.checked_add(distance).filter(|&target| distance > 0 && target < self.bytes.len());
        target.ok_or_else(|| {
            let what = format!("the offset {distance} there leads out of the file of {} bytes", self.bytes.len());
            Fault::broken(at, what)
        })
    }

    fn follow(&self, at: usize) -> Result<Table<'_>, Fault> {
        Table::read(self, self.target(at)?)
    }

    fn charge(&self, at: usize, len: usize) -> Result<(), Fault> {
        let left = self.left.get().checked_sub(len);
        self.left.set(left.ok_or_else(|| Fault::broken(at, "lists and texts of the file lie over each other"))?);
        Ok(())
    }
}

/// A table: fields that may be absent.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    buffer: &'a Buffer<'a>,
    /// Where it begins.
    pub at: usize,
    vtable: usize,
    vtable_len: usize,
    len: usize,
}

impl<'a> Table<'a> {
    fn read(buffer: &'a Buffer<'a>, at: usize) -> Result<Self, Fault> {
        let back = i64::from(i32::from_le_bytes(buffer.number(at)?));
        let vtable = i64::try_from(at).ok().and_then(|at| usize::try_from(at - back).ok());
        let vtable = vtable.filter(|&vtable| vtable < buffer.bytes.len());
        let vtable = vtable.ok_or_else(|| Fault::broken(at, "the vtable of the table there is out of the file"))?;
        let (vtable_len, len) = (buffer.u16(vtable)?, buffer.u16(vtable + 2)?);
        if vtable_len < 4 || len < 4 || vtable_len % 2 == 1 {
            let what = format!("a vtable of {vtable_len} bytes for a table of {len} cannot be");
            return Err(Fault::broken(vtable, what));
        }
        buffer.part(vtable, vtable_len)?;
        buffer.part(at, len)?;
        Ok(Self { buffer, at, vtable, vtable_len, len })
    }

    /// Where field number `index`, of `width` bytes, stands; none where it has its default.
    fn field(&self, index: usize, width: usize) -> Result<Option<usize>, Fault> {
        let slot = 4 + 2 * index;
        if slot + 2 > self.vtable_len {
            return Ok(None);
        }
        let within = self.buffer.u16(self.vtable + slot)?;
        match within {
            0 => Ok(None),
            _ if within >= 4 && within + width <= self.len => Ok(Some(self.at + within)),
            _ => {
                let what = format!("field {index} would stand at {within} of a table of {} bytes", self.len);
                Err(Fault::broken(self.vtable + slot, what))
            }
        }
    }

    /// A number of one byte.
    pub fn u8(&self, index: usize) -> Result<u8, Fault> {
        Ok(self.field(index, 1)?.map_or(0, |at| self.buffer.bytes[at]))
    }

    /// A number of four bytes.
    pub fn u32(&self, index: usize) -> Result<u32, Fault> {
        let at = self.field(index, 4)?;
        Ok(at.map(|at| self.buffer.number(at)).transpose()?.map_or(0, u32::from_le_bytes))
    }

    /// A number of eight bytes.
    pub fn u64(&self, index: usize) -> Result<u64, Fault> {
        let at = self.field(index, 8)?;
        Ok(at.map(|at| self.buffer.number(at)).transpose()?.map_or(0, u64::from_le_bytes))
    }

    /// A list whose entries take `width` bytes; empty where it is absent.
    pub fn list(&self, index: usize, width: usize) -> Result<List<'a>, Fault> {
        let Some(at) = self.field(index, 4)? else {
            return Ok(List { buffer: self.buffer, start: self.at, count: 0, width });
        };
        let start = self.buffer.target(at)?;
        let count = self.buffer.u32(start)?;
        let fits = count.checked_mul(width).filter(|len| start + 4 + len <= self.buffer.bytes.len());
        if fits.is_none() {
            let what = format!("a list of {count} entries begins there, more than the file has room for");
            return Err(Fault::broken(start, what));
        }
        Ok(List { buffer: self.buffer, start: start + 4, count, width })
    }

    /// A text, in whatever bytes it has.
    pub fn text(&self, index: usize) -> Result<&'a [u8], Fault> {
        let list = self.list(index, 1)?.read()?;
        list.buffer.part(list.start, list.count)
    }
}

/// A list of numbers or of tables.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    buffer: &'a Buffer<'a>,
    /// Where its first entry begins.
    pub start: usize,
    /// How many entries it has.
    pub count: usize,
    width: usize,
}

impl<'a> List<'a> {
    /// The same, which from now on is read.
    fn read(self) -> Result<Self, Fault> {
        self.buffer.charge(self.start, self.count * self.width)?;
        Ok(self)
    }

    /// Its entries, numbers of four bytes.
    pub fn numbers(self) -> Result<impl Iterator<Item = i32> + 'a, Fault> {
        let list = self.read()?;
        let entries = list.buffer.part(list.start, list.count * 4)?.chunks_exact(4);
        Ok(entries.map(|entry| i32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]])))
    }

    /// Its entries, tables.
    pub fn tables(self) -> Result<impl Iterator<Item = Result<Table<'a>, Fault>> + 'a, Fault> {
        let list = self.read()?;
        Ok((0..list.count).map(move |at| list.buffer.follow(list.start + 4 * at)))
    }
}
