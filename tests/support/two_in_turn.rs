//! A small plan that holds, for tests that break it.

/// Two buffers of 60 that take turns in a level of 100, and one of 40 that stays beside them to the end.
pub const GRAPH: &str = r#"{
    "Nodes": [
        {"Id": 0, "Op": "ALLOC", "BufId": 1, "Size": 60, "Type": "L1"},
        {"Id": 1, "Op": "COPY_IN", "Pipe": "MTE2", "Cycles": 100, "Bufs": [1]},
        {"Id": 2, "Op": "ALLOC", "BufId": 2, "Size": 60, "Type": "L1"},
        {"Id": 3, "Op": "ADD", "Pipe": "VECTOR", "Cycles": 10, "Bufs": [2, 3]},
        {"Id": 4, "Op": "ADD", "Pipe": "VECTOR", "Cycles": 20, "Bufs": [1]},
        {"Id": 5, "Op": "ADD", "Pipe": "VECTOR", "Cycles": 30, "Bufs": [2]},
        {"Id": 6, "Op": "FREE", "BufId": 2},
        {"Id": 7, "Op": "ADD", "Pipe": "VECTOR", "Cycles": 40, "Bufs": [1]},
        {"Id": 8, "Op": "FREE", "BufId": 1},
        {"Id": 9, "Op": "ALLOC", "BufId": 3, "Size": 40, "Type": "L1"}
    ],
    "Edges": [[0, 1], [1, 4], [4, 7], [7, 8], [2, 3], [3, 5], [5, 6], [9, 3]]
}"#;

/// The plan. Spills 0 and 2 are of buffer 1 (nodes 10, 11 and 14, 15), spill 1 of buffer 2 (12, 13).
#[rustfmt::skip]
pub const SCHEDULE: [u64; 16] =
    // 0  1  2   3  4  5   6   7  8   9  10 11 12  13 14 15
    [  9, 0, 1, 10, 2, 3, 12, 11, 4, 14, 13, 5, 6, 15, 7, 8];

/// Buffers and their first addresses.
pub const MEMORY: [(u64, i64); 3] = [(1, 0), (2, 0), (3, 60)];

/// Spills and their new addresses.
pub const SPILLS: [(u64, i64); 3] = [(1, 0), (2, 0), (1, 0)];
