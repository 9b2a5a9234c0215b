use super::*;

const PLAIN: &str = "{ \"Nodes\" : [\n\t{\"Id\": 0, \"Op\": \"ALLOC\", \"BufId\": 7, \"Size\": 64, \"Type\": \"L1\", \"Name\": \"é\"},\
    {\"Id\":1,\"Op\":\"COPY_IN\",\"Pipe\":\"MTE2\",\"Cycles\":10,\"Bufs\":[7 , 7]},{\"Id\":2,\"Op\":\"FREE\",\"BufId\":7}],\
    \"Edges\":[[0,1],[1, 2]],\"Schedule\":[0,1,2] }\r\n";

fn shown(builder: &GraphBuilder) -> String {
    let GraphBuilder { nodes, operands, edges, schedule, ignored_fields, .. } = builder;
    format!("{nodes:?} {operands:?} {edges:?} {schedule:?} {ignored_fields}")
}

/// Whether the short way took it; it must then have taken it as the long one does.
fn is_plain(text: &str) -> bool {
    let source = Source::from_text("g.json", text);
    let Some(short) = plain(&source) else { return false };
    let long = read_all(&source).unwrap_or_else(|error| panic!("taken, but {error}: {text}"));
    assert_eq!(shown(&short), shown(&long), "{text}");
    true
}

#[test]
fn files_as_they_are_usually_written_take_the_short_way() {
    assert!(is_plain(PLAIN));
    assert!(is_plain(r#"{"Nodes":[]}"#));
    for sample in ["matmul", "flash-attention", "conv", "first-spill"] {
        let path = format!("{}/samples/{sample}.json", env!("CARGO_MANIFEST_DIR"));
        assert!(is_plain(&std::fs::read_to_string(path).unwrap()), "{sample}");
    }
}

#[test]
fn the_short_way_takes_nothing_that_the_long_one_would_not() {
    let mut taken = 0;
    for at in (0..PLAIN.len()).filter(|&at| PLAIN.is_char_boundary(at)) {
        let (before, behind) = PLAIN.split_at(at);
        let rest = behind.chars().next().map_or("", |first| &behind[first.len_utf8()..]);
        for put in ["", "0", "9", "-", ".", "e", "\"", "\\", "\u{1}", "\n", ",", ":", "[", "]", "{", "}", " ", "null"] {
            taken += usize::from(is_plain(&format!("{before}{put}{behind}")));
            taken += usize::from(is_plain(&format!("{before}{put}{rest}")));
        }
    }
    assert!(taken > 1000, "{taken} of the changed texts are still plain");
}

#[test]
fn large_numbers_and_doubled_names_take_the_long_way() {
    assert!(is_plain(&PLAIN.replace("64", "999999999999999999")));
    for (from, to) in [
        ("64", "1000000000000000000"),
        ("64", "9223372036854775808"),
        ("64", "18446744073709551616"),
        ("64", "064"),
        ("64", "6.4e1"),
        ("\"Cycles\":10", "\"Cycles\":10,\"Cycles\":10"),
        ("\"Schedule\"", "\"Edges\""),
        ("\"Schedule\"", "\"Version\""),
        ("MTE2", "MTE\\u0032"),
    ] {
        assert!(!is_plain(&PLAIN.replace(from, to)), "{to}");
    }
}
