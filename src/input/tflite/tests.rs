use super::*;
use crate::model::SplitMix64;

#[path = "../../../tests/support/tflite.rs"]
mod writer;
use writer::{Table as Written, model, operator, small, small_subgraph, subgraph, tensor};

fn lives(file: &Lifetimes) -> Vec<(&str, u64, u64, u64)> {
    file.packing.buffers.iter().map(|b| (b.name.raw(), b.lower, b.upper, b.size)).collect()
}

fn one(subgraph: Written) -> Result<Lifetimes, Fault> {
    read(&model(vec![subgraph]), "m")
}

#[track_caller]
fn assert_fault(bytes: &[u8], words: &str) {
    let fault = read(bytes, "m").expect_err(words);
    assert!(fault.what.contains(words), "expected {words} in {}", fault.what);
    assert!(fault.at <= bytes.len() && !fault.advice.is_empty());
}

#[test]
fn tensors_live_from_who_makes_them_to_who_reads_them_last() {
    let file = read(&small(), "small").unwrap();
    let expected = [("x", 0, 1, 32), ("a", 0, 3, 128), ("b", 1, 3, 16), ("y", 2, 3, 16)];
    assert_eq!(lives(&file), expected, "sizes are rounded up to 16");
    let found = file.model.unwrap();
    let operators: Vec<&str> = found.operators.iter().map(Name::raw).collect();
    assert_eq!(operators, ["CONV_2D.0", "MyOp.1", "CUMSUM.2"], "codes above 127 have a field of their own");
    assert_eq!((found.tensors, found.constants, found.variables, found.unused), (7, 1, 1, 1));
    assert_eq!((found.unmade, found.resizable, found.other_subgraphs), (0, 0, 1));
    assert_eq!(file.rows[2], ["b", "1", "3", "16", "16"]);
    assert_eq!(file.name.raw(), "small");
}

#[test]
fn outputs_live_to_the_end_and_what_nobody_reads_for_one_operator() {
    let tensors = || (0..4).map(|_| tensor("t", &[4], 0, 0, false)).collect::<Vec<_>>();
    let operators = vec![operator(0, &[0], &[1, 2]), operator(0, &[1], &[3]), operator(0, &[3], &[])];
    let file = one(subgraph(tensors(), &[0], &[1], operators)).unwrap();
    assert_eq!(lives(&file), [("t", 0, 1, 16), ("t#1", 0, 3, 16), ("t#2", 0, 1, 16), ("t#3", 1, 3, 16)]);
    // Without operators what comes in goes out.
    let file = one(subgraph(tensors(), &[0, 1], &[1], vec![])).unwrap();
    assert_eq!(lives(&file), [("t", 0, 1, 16), ("t#1", 0, 1, 16)]);
}

#[test]
fn sizes_are_those_of_the_types() {
    let sizes = [(0, 64), (1, 32), (3, 16), (4, 128), (8, 128), (11, 240), (13, 64), (17, 16), (18, 32)];
    for (kind, expected) in sizes {
        let file = one(subgraph(vec![tensor("t", &[3, 5], kind, 0, false)], &[0], &[], vec![])).unwrap();
        assert_eq!(file.packing.buffers[0].size, expected, "type {kind}");
    }
    let scalar = one(subgraph(vec![tensor("", &[], 0, 0, false)], &[0], &[], vec![])).unwrap();
    assert_eq!(lives(&scalar), [("tensor 0", 0, 1, 16)]);
    let empty = one(subgraph(vec![tensor("t", &[0, 5], 0, 0, false)], &[0], &[], vec![])).unwrap();
    assert_eq!((empty.packing.buffers.len(), empty.model.unwrap().unused), (0, 1));
}

#[test]
fn what_is_read_but_made_by_nobody_is_alive_from_the_start_and_counted() {
    let tensors = vec![tensor("s", &[4], 0, 0, false), tensor("y", &[4], 0, 0, false)];
    let file = one(subgraph(tensors, &[], &[1], vec![operator(0, &[], &[1]), operator(0, &[0], &[1])])).unwrap();
    assert_eq!(lives(&file), [("s", 0, 2, 16), ("y", 0, 2, 16)]);
    assert_eq!(file.model.unwrap().unmade, 1);
}

#[test]
fn what_cannot_be_is_said() {
    assert_fault(b"", "the file ends before its identifier");
    assert_fault(b"\x10\0\0\0TFL2\0\0\0\0", "expected the identifier TFL3, found TFL2");
    assert_fault(b"\0\0\0\0TFL3\0\0\0\0", "the offset 0 there leads out of the file");
    assert_fault(b"\xff\xff\xff\xffTFL3\0\0\0\0", "the offset 4294967295 there leads out of the file");
    assert_fault(b"\x08\0\0\0TFL3\0\0\0\x80", "the vtable of the table there is out of the file");
    assert_fault(b"\x08\0\0\0TFL3\0\0\0\0", "a vtable of 0 bytes for a table of 0 cannot be");
    assert_fault(&model(vec![]), "the model has no subgraph");
    let with = |at: usize, shape: &[i32], kind: u8, data: u32| {
        let mut tensors = vec![tensor("x", &[4], 0, 0, false), tensor("y", &[4], 0, 0, false)];
        tensors[at] = tensor("it", shape, kind, data, false);
        model(vec![subgraph(tensors, &[0], &[1], vec![operator(0, &[0], &[1])])])
    };
    assert_fault(&with(0, &[1, -1, 3], 0, 0), "dimension 1 of tensor it is -1, that is unknown");
    assert_fault(&with(1, &[i32::MAX, i32::MAX, i32::MAX], 0, 0), "takes more than 2^63-1 bytes");
    assert_fault(&with(1, &[4], 5, 0), "tensor it is of type STRING");
    assert_fault(&with(1, &[4], 77, 0), "of type 77, which is unknown");
    assert_fault(&with(1, &[4], 0, 2), "has its data in buffer 2, but there are 2");
    let wrong = |operators| model(vec![subgraph(vec![tensor("x", &[4], 0, 0, false)], &[], &[], operators)]);
    assert_fault(&wrong(vec![operator(3, &[0], &[])]), "is of kind 3, but there are 3 kinds");
    assert_fault(&wrong(vec![operator(0, &[1], &[])]), "tensor 1 is named there, but there are 1");
    assert_fault(&wrong(vec![operator(0, &[-2], &[])]), "tensor -2 is named there");
    let early = vec![operator(0, &[0], &[]), operator(1, &[], &[0])];
    assert_fault(&wrong(early), "operator 1 (MyOp) makes a tensor that an operator before it reads");
}

#[test]
fn errors_carry_the_file_and_the_byte() {
    let source = Source { bytes: b"\0\0\0\0TFL2".to_vec(), ..Source::from_text("m.tflite", "") };
    let error = read_tflite(&source).unwrap_err();
    assert!(error.to_string().starts_with("m.tflite: at byte 4: expected the identifier TFL3"), "{error}");
    assert_eq!(error.exit_status(), 2);
}

#[test]
fn names_are_safe_and_told_apart() {
    let names = ["a\u{1b}[1m", "t", "t", "t#2", " t "];
    let tensors: Vec<Written> = names.iter().map(|name| tensor(name, &[1], 0, 0, false)).collect();
    let file = one(subgraph(tensors, &[0, 1, 2, 3, 4], &[], vec![])).unwrap();
    let found: Vec<&str> = file.packing.buffers.iter().map(|buffer| buffer.name.raw()).collect();
    assert_eq!(found, ["a\u{fffd}[1m", "t", "t#2", "t#2#3", "t#4"]);
}

#[test]
fn lists_that_all_lie_in_one_place_are_refused_before_they_take_long() {
    // Each operator reads the same long list: a file of n bytes that would take n² steps.
    let long: Vec<i32> = vec![0; 4000];
    let operators: Vec<Written> = (0..2000).map(|_| operator(0, &[], &[])).collect();
    let mut tensors = small_subgraph();
    tensors[3] = writer::Field::Tables(operators);
    tensors[1] = writer::Field::Numbers(long);
    let mut bytes = model(vec![tensors]);
    let start = bytes.windows(4).position(|at| at == 4000u32.to_le_bytes()).unwrap();
    // A vtable of an operator, and then the table: its inputs stand 8 bytes from its start. Offsets only lead forward, so the
    // list is written again behind everything.
    let copy = bytes[start..start + 4 + 16_000].to_vec();
    let target = bytes.len();
    bytes.extend(copy);
    let vtable: Vec<u8> = [10u16, 16, 4, 8, 12].iter().flat_map(|number| number.to_le_bytes()).collect();
    let found: Vec<usize> = (0..target - 10).filter(|&at| bytes[at..at + 10] == vtable[..]).collect();
    assert_eq!(found.len(), 2000);
    for vtable in found {
        let field = vtable + 12 + 8;
        bytes[field..field + 4].copy_from_slice(&((target - field) as u32).to_le_bytes());
    }
    assert_fault(&bytes, "lie over each other");
}

#[test]
fn models_cut_short_or_with_wrong_bytes_end_in_a_model_or_a_message() {
    let whole = small();
    for len in 0..whole.len() {
        if let Err(fault) = read(&whole[..len], "m") {
            assert!(!fault.what.is_empty() && fault.at <= whole.len(), "cut at {len}");
        }
    }
    let mut random = SplitMix64::new(11);
    let mut refused = 0;
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = match random.below(3) {
                0 => bytes[at] ^ (1 << random.below(8)),
                1 => [0, 1, 0x7f, 0x80, 0xff][random.below(5) as usize],
                _ => random.below(256) as u8,
            };
        }
        match read(&bytes, "m") {
            Err(fault) => refused += usize::from(!fault.what.is_empty()),
            Ok(file) => assert!(file.packing.buffers.iter().all(|b| b.lower < b.upper && b.size > 0)),
        }
    }
    assert!(refused > 1000, "most of them were read: {refused}");
}
