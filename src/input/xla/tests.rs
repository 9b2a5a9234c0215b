use super::*;

const ASSIGNMENT: &str = "BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:
 value: <1 x @0> (size=64,offset=0): f32[16]{0}
allocation 1: size 128, maybe-live-out:
 value: <4 dot.1 @0> (size=128,offset=0): f32[32]{0}
allocation 2: size 4, output shape is |(f32[])|, maybe-live-out:
 value: <9 pair{0} (phi) @1> (size=4,offset=0): f32[]
allocation 3: size 4, thread-local:
 value: <7 inner @0> (size=4,offset=0): f32[]

allocation 4: size 96, color 2, preallocated-temp:
 value: <2 exp @0> (size=64,offset=32): f32[16]{0}
 value: <3 add.1{} @0> (size=32,offset=0): f32[8]{0}

Total bytes used: 296 (296B)

Used values:
<1 x @0>
 positions:
";

const LIVE: &str = "HloLiveRange (max 4):
  InstructionSequence:
    0:x
    1:exp
    2:add.1
    3:dot.1
  BufferLiveRange:
    x{}:0-4
    exp{}:1-2
    add.1{}:2-3
    dot.1{}:3-4
    pair{0}:3-4
  Live ranges at 3 (peak):
    dot.1{}: 128 bytes (cumulative: 128 bytes)
    x{}: 64 bytes (cumulative: 192 bytes)
  Stack trace breakdown for peak usage: 192 bytes
    main.44 (100.0%)
";

fn read(assignment: &str, live: &str) -> Result<Dump, Error> {
    parse(&Source::from_text("m-buffer-assignment.txt", assignment), &Source::from_text("m-live-range.txt", live))
}

#[track_caller]
fn assert_fault(assignment: &str, live: &str, words: &str, place: &str) {
    let error = read(assignment, live).unwrap_err();
    assert!(error.what.contains(words), "{}", error.what);
    assert!(error.to_string().starts_with(place), "expected {place} in {error}");
    assert_eq!(error.exit_status(), 2);
}

#[test]
fn the_two_files_are_joined_by_the_names_of_values() {
    let dump = read(ASSIGNMENT, LIVE).unwrap();
    assert_eq!((dump.name.raw(), dump.end, dump.peak, dump.skipped_lines), ("m", 4, Some((3, 192)), 0));
    let names: Vec<&str> = dump.instructions.iter().map(Name::raw).collect();
    assert_eq!(names, ["x", "exp", "add.1", "dot.1"]);
    let roles: Vec<Role> = dump.allocations.iter().map(|allocation| allocation.role).collect();
    assert_eq!(roles, [Role::Parameter, Role::LiveOut, Role::Output, Role::ThreadLocal, Role::Temporary]);
    let temp = &dump.allocations[4];
    assert_eq!((temp.number, temp.size), (4, 96));
    let values: Vec<_> = temp.values.iter().map(|v| (v.name.raw(), v.shape.raw(), v.size, v.offset, v.live)).collect();
    let expected = [("exp", "f32[16]{0}", 64, 32, Some((1, 3))), ("add.1", "f32[8]{0}", 32, 0, Some((2, 4)))];
    assert_eq!(values, expected, "the ends of live ranges are inclusive, those of the model are not");
    assert_eq!(dump.allocations[2].values[0].name.raw(), "pair{0}");
    assert_eq!(dump.allocations[2].values[0].live, Some((3, 5)));
    assert_eq!(dump.allocations[3].values[0].live, None, "values of nested computations have none");
}

#[test]
fn unknown_lines_are_counted() {
    let assignment = ASSIGNMENT.replace("\nTotal", " placement: hbm\n\nTotal").replace('\n', "\r\n");
    let live = LIVE.replace("  InstructionSequence:", "  Version: 7\n  InstructionSequence:");
    let dump = read(&assignment, &live).unwrap();
    assert_eq!((dump.skipped_lines, dump.allocations.len()), (2, 5));
}

#[test]
fn malformed_lines_are_named() {
    let allocation = "expected `allocation N: size BYTES, KIND:`";
    let value = "expected `value: <ID NAME @COLOR> (size=BYTES,offset=BYTES): SHAPE`";
    for (from, to, words, place) in [
        ("allocation 0: size 64", "allocation 0: size -64", allocation, "2:1"),
        ("allocation 0: size 64", "allocation x: size 64", allocation, "2:1"),
        ("allocation 1: size 128, maybe-live-out:", "allocation 1: size 128, maybe-", allocation, "4:1"),
        ("allocation 1: size 128", "allocation 0: size 128", "allocation 0 stands twice", "4:1"),
        ("(size=128,offset=0)", "(size=128)", value, "5:2"),
        ("(size=128,offset=0)", "(size=9223372036854775808,offset=0)", value, "5:2"),
        ("<4 dot.1 @0>", "<dot.1>", value, "5:2"),
        ("(size=64,offset=32)", "(size=64,offset=33)", "ends behind its allocation 4, which has 96 bytes", "12:2"),
        ("allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:\n", "", "before the first", "2:2"),
    ] {
        assert_fault(&ASSIGNMENT.replacen(from, to, 1), LIVE, words, &format!("m-buffer-assignment.txt:{place}: "));
    }
    for (from, to, words, place) in [
        ("1:exp", "2:exp", "expected instruction `1:NAME`, found 2:exp", "4:5"),
        ("1:exp", "exp", "expected instruction `1:NAME`", "4:5"),
        ("exp{}:1-2", "exp{}:1", "expected a live range `NAME{}:FIRST-LAST`", "9:5"),
        ("exp{}:1-2", "exp{}:1-9223372036854775808", "expected a live range", "9:5"),
        ("exp{}:1-2", "exp{}:1-5", "the live range of exp{} ends at 5, but the program ends at 4", "9:5"),
        ("    3:dot.1\n", "", "the live range of x{} ends at 4, but the program ends at 3", "7:5"),
        ("exp{}:1-2", "exp{}:2-1", "the live range of exp{} ends before it begins: 2-1", "9:5"),
        ("exp{}:1-2", "x{}:1-2", "the live range of x{} stands twice", "9:5"),
    ] {
        assert_fault(ASSIGNMENT, &LIVE.replacen(from, to, 1), words, &format!("m-live-range.txt:{place}: "));
    }
}

#[test]
fn without_its_second_file_a_dump_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m-buffer-assignment.txt");
    let source = Source::from_text(path.to_str().unwrap(), ASSIGNMENT);
    let error = read_xla(&source).unwrap_err().to_string();
    assert!(error.contains("m-live-range.txt: the live ranges of") && error.contains("are missing"), "{error}");
    std::fs::write(folder.path().join("m-live-range.txt"), LIVE).unwrap();
    assert_eq!(read_xla(&source).unwrap().allocations.len(), 5);
    let error = read_xla(&Source::from_text("-", ASSIGNMENT)).unwrap_err().to_string();
    assert!(error.contains("does not end in -buffer-assignment.txt"), "{error}");
}

proptest::proptest! {
    #[test]
    fn broken_dumps_end_in_a_dump_or_a_message(
        at in 0..ASSIGNMENT.len(),
        put_in in "[<>@:(){}=,\n 0-9a-zé-]{0,3}",
        in_live in proptest::bool::ANY,
    ) {
        let broken = |text: &str| {
            let at = at.min(text.len());
            format!("{}{put_in}{}", &text[..at], text.get(at + 1..).unwrap_or_default())
        };
        let (assignment, live) =
            if in_live { (ASSIGNMENT.into(), broken(LIVE)) } else { (broken(ASSIGNMENT), LIVE.into()) };
        if let Err(error) = read(&assignment, &live) {
            proptest::prop_assert!(!error.what.is_empty() && error.place.is_some());
        }
    }
}
