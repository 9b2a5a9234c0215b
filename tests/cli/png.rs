//! PNG: a picture where spillscope was built with it, else a word on how to get it.

use super::run::Folder;

#[test]
fn a_png_is_a_picture_or_says_how_to_get_one() {
    let folder = Folder::with_sample("first-spill");
    let ran = folder.run(&["frame", "graph.json", "--format", "png", "-o", "frame.png"]);
    if cfg!(feature = "png") && ran.status == Some(0) {
        let bytes = std::fs::read(folder.path("frame.png")).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 10_000, "{} bytes", bytes.len());
    } else {
        // A system without a font says so.
        let words = if cfg!(feature = "png") { "no monospaced font" } else { "--features png" };
        ran.refused(&[words]);
        assert!(!folder.path("frame.png").exists());
    }
}
