use super::*;
use crate::model::Gap;

fn read(text: &str) -> Result<Lifetimes, Error> {
    read_lifetimes(&Source::from_text("x.csv", text))
}

/// The text must be refused with these words at that place.
#[track_caller]
fn assert_fault(text: &str, words: &str, place: &str) {
    let error = read(text).unwrap_err();
    assert!(error.what.contains(words), "{}", error.what);
    assert!(error.to_string().starts_with(&format!("x.csv:{place}: ")), "expected {place} in {error}");
    assert!(!error.advice.is_empty(), "{error}");
    assert_eq!(error.exit_status(), 2);
}

#[track_caller]
fn assert_row_fault(row: &str, words: &str, column: usize) {
    let text = format!("id,lower,upper,size,alignment,offset,gaps\r\na,0,9,4,,,\r\n\r\n{row}\r\n");
    assert_fault(&text, words, &format!("4:{column}"));
}

#[test]
fn rows_are_buffers() {
    let file = read("id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n").unwrap();
    let spans: Vec<_> = file.packing.buffers.iter().map(|b| (b.name.raw(), b.lower, b.upper, b.size)).collect();
    assert_eq!(spans, [("b1", 0, 3, 4), ("b2", 3, 9, 5)]);
    let first = &file.packing.buffers[0];
    assert_eq!((first.alignment, first.fixed, first.hint, first.gaps.len()), (1, None, None, 0));
    assert_eq!((file.header.len(), file.rows.len(), file.offset_column, file.given()), (4, 2, None, None));
}

#[test]
fn columns_have_many_names_and_any_order() {
    for (header, upper) in [
        ("size,id,lower,upper", 7),
        ("BYTES,Buffer,Start,Stop", 7),
        ("size, buffer_id ,begin,end_exclusive", 7),
        ("bytes,\"name\",alloc_time,free_time", 7),
        ("size,id,first,last", 8),
        ("size,id,lower,end", 8),
    ] {
        let file = read(&format!("\u{feff}{header}\r\n4,w,2.0,7\r\n")).unwrap();
        let buffer = &file.packing.buffers[0];
        assert_eq!((buffer.name.raw(), buffer.lower, buffer.upper, buffer.size), ("w", 2, upper, 4), "{header}");
        assert!(is_header(header) && file.unknown_columns.is_empty(), "{header}");
    }
}

#[test]
fn unknown_columns_are_kept_and_named() {
    let file = read("id,name,lower,upper,size,color\n0,conv,0,3,4,\"red, dark\"\n").unwrap();
    assert_eq!(file.packing.buffers[0].name.raw(), "0");
    let names: Vec<&str> = file.unknown_columns.iter().map(Name::raw).collect();
    assert_eq!((names, file.rows[0][5].as_str()), (vec!["name", "color"], "red, dark"));
}

#[test]
fn optional_columns_are_read_where_they_are_filled() {
    let file = read("id,lower,upper,size,align,address,hint,gaps\na,0,9,8,4,16,,\nb,0,9,8,,,3,5-6@2:4 1-3\n").unwrap();
    let [a, b] = &file.packing.buffers[..] else { panic!("two rows") };
    assert_eq!((a.alignment, a.fixed, a.hint), (4, Some(16), None));
    assert_eq!((b.alignment, b.fixed, b.hint), (1, None, Some(3)));
    let gaps = [Gap { lower: 1, upper: 3, window: None }, Gap { lower: 5, upper: 6, window: Some((2, 4)) }];
    assert_eq!(b.gaps, gaps);
    assert_eq!(file.given(), None, "b has no address");
    let end = read("id,lower,end,size,gaps\na,0,9,8,1-3\n").unwrap();
    assert_eq!(end.packing.buffers[0].gaps[0].upper, 4, "the ends of gaps are as those of lifetimes");
}

#[test]
fn a_file_with_every_address_is_a_packing() {
    let file = read("id,lower,upper,size,offset\na,0,9,8,0\nb,0,9,8,24\n").unwrap();
    let given = file.given().unwrap();
    assert_eq!((given.offsets, given.height), (vec![0, 24], 32));
    assert_eq!(read("id,lower,upper,size,offset\n").unwrap().given(), None, "no buffer, no packing");
}

#[test]
fn headers_that_lack_or_double_a_column_are_refused() {
    assert_fault("id,lower,size\n", "there is no column `upper` or `stop` or", "1:1");
    assert_fault("lower,upper,size\n", "there is no column `id`", "1:1");
    assert_fault("id,lower,upper,size,size\n", "the column `size` stands twice", "1:21");
    assert_fault("id,lower,upper,size,end\n", "the columns `upper` and `end` say the same", "1:21");
    assert_fault("id,lower,upper,offset,size,address\n", "the columns `offset` and `address`", "1:28");
    let empty = read("").unwrap_err().to_string();
    assert!(empty.contains("the file is empty"), "{empty}");
}

#[test]
fn broken_rows_are_pointed_at() {
    assert_row_fault("a,0,9,4,,,", "the id a stands twice: it is that of line 2 too", 1);
    assert_row_fault(",0,9,4,,,", "the buffer has no id", 1);
    assert_row_fault("b,0,9", "the row has 3 cells, but there are 7 columns", 1);
    assert_row_fault("b,0,9,4,,,,", "the row has 8 cells, but there are 7 columns", 12);
    assert_row_fault("b,5,5,4,,,", "`upper` must be above `lower`, which is 5, found 5", 5);
    assert_row_fault("b,5,4,4,,,", "`upper` must be above `lower`, which is 5, found 4", 5);
    assert_row_fault("b,,4,4,,,", "`lower` is empty", 3);
    for bad in ["-1", "1.5", "1e3", "9223372036854775808", "x", "+7", "4 kB", "99999999999999999999"] {
        assert_row_fault(&format!("b,0,9,{bad},,,"), "`size` must be a whole number from 1 to 2^63-1, found", 7);
        assert_row_fault(&format!("b,{bad},9,4,,,"), "`lower` must be a whole number from 0 to 2^63-1, found", 3);
    }
    assert_row_fault("b,0,9,0,,,", "`size` must be a whole number from 1 to 2^63-1, found 0", 7);
    assert_row_fault("b,0,9,4,0,,", "`alignment` must be a whole number from 1", 9);
    assert_row_fault("b,0,9,4,8,4,", "the address 4 is no multiple of the alignment 8", 11);
    assert_row_fault("b,0,9,4,,9223372036854775807,", "ends behind 2^63-1", 10);
    assert_row_fault("b,0,9,9223372036854775807,,,", "together pass 2^63-1", 7);
    let inclusive = "id,lower,end,size\nb,0,9223372036854775807,4\n";
    assert_fault(inclusive, "the lifetime ends after 2^63-1", "2:5");
    assert_fault("id,lower,end,size\nb,4,3,4\n", "`end` must be at least `lower`, which is 4, found 3", "2:5");
}

#[test]
fn broken_gaps_are_pointed_at() {
    for (gap, words) in [
        ("3", "3 is no gap"),
        ("3-x", "3-x is no gap"),
        ("3-4@1", "3-4@1 is no gap"),
        ("4-4", "must lie inside the lifetime [0,9)"),
        ("4-10", "must lie inside the lifetime [0,9)"),
        ("1-2@2:2", "the window of 1-2@2:2 must lie inside the buffer, [0,4)"),
        ("1-2@2:5", "the window of 1-2@2:5 must lie inside the buffer, [0,4)"),
        ("1-4 3-5", "the gaps [1,4) and [3,5) overlap"),
        ("-1-4", "-1-4 is no gap"),
    ] {
        assert_row_fault(&format!("b,0,9,4,,,{gap}"), words, 11);
    }
}

#[test]
fn first_rows_of_other_tables_are_told_apart() {
    for header in ["id,lower,upper,size", "id,lower,size", "size,upper", "\n\"id\", \"start\" ,\"end\",\"size\""] {
        assert!(is_header(header), "{header}");
    }
    for header in [
        "",
        "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs",
        "StartNodeId,EndNodeId",
        "id;lower;upper;size",
        "{",
        "{\"inputs\":[\"a\",\"start\",\"size\",\"b\"]",
    ] {
        assert!(!is_header(header), "{header}");
    }
}

proptest::proptest! {
    #[test]
    fn broken_files_end_in_lifetimes_or_a_message(at in 0usize..70, put_in in "[\",;\r\n@: 0-9a-zé.-]{0,3}") {
        let text = "id,lower,upper,size,gaps\nb1,0,3,4,1-2\nb2,3,9,4,4-5@1:2 6-7\nb3,0,9,4,\n";
        let at = at.min(text.len());
        let broken = format!("{}{put_in}{}", &text[..at], text.get(at + 1..).unwrap_or_default());
        match read(&broken) {
            Ok(file) => proptest::prop_assert_eq!(file.rows.len(), file.packing.buffers.len()),
            Err(error) => proptest::prop_assert!(!error.what.is_empty() && error.place.is_some()),
        }
    }
}
