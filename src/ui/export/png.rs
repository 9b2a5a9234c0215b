//! A picture of pixels, from the picture of lines and letters.

use crate::error::Error;

/// Renders an SVG document of ours as PNG, two pixels a unit. Letters come from the fonts of the system.
///
/// # Errors
/// Where this build has no renderer, the system has no monospaced font, or the picture is too large.
#[cfg(feature = "png")]
pub fn to_png(svg: &str) -> Result<Vec<u8>, Error> {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};

    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    let Some(family) = monospaced(&options.fontdb) else {
        return Err(Error::input(
            "the system has no monospaced font to draw the letters with",
            "install one, such as DejaVu Sans Mono, or take SVG",
        ));
    };
    options.fontdb_mut().set_monospace_family(family);
    let broken = |what: String| Error::input(format!("the picture cannot be drawn: {what}"), "take SVG");
    let tree = Tree::from_str(svg, &options).map_err(|error| broken(error.to_string()))?;
    let size = tree.size().to_int_size();
    let scaled = |side: u32| side.checked_mul(SCALE);
    let pixels = scaled(size.width()).zip(scaled(size.height())).and_then(|(width, height)| Pixmap::new(width, height));
    let mut pixels = pixels.ok_or_else(|| broken("it is too large".into()))?;
    resvg::render(&tree, Transform::from_scale(SCALE as f32, SCALE as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| broken(error.to_string()))
}

/// Pixels a unit: letters of a frame are small, and screens are dense.
#[cfg(feature = "png")]
const SCALE: u32 = 2;

/// The font for `monospace` in SVG: one that the frame's own list names, else any whose characters are of one width.
#[cfg(feature = "png")]
fn monospaced(fonts: &resvg::usvg::fontdb::Database) -> Option<String> {
    let wide = || fonts.faces().filter(|face| face.monospaced);
    let name = |face: &resvg::usvg::fontdb::FaceInfo| face.families.first().map(|(name, _)| name.clone());
    let known = wide().filter_map(name).find(|name| super::svg::FAMILIES.contains(name.as_str()));
    known.or_else(|| wide().find_map(name))
}

/// Renders an SVG document of ours as PNG.
///
/// # Errors
/// Always: this build has no renderer.
#[cfg(not(feature = "png"))]
pub fn to_png(_: &str) -> Result<Vec<u8>, Error> {
    Err(Error::input(
        "this spillscope was built without PNG",
        "build it with `cargo build --release --features png`, or take SVG",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "png"))]
    #[test]
    fn without_the_feature_it_says_how_to_get_it() {
        assert!(to_png("<svg/>").unwrap_err().advice.contains("--features png"));
    }

    #[cfg(feature = "png")]
    #[test]
    fn a_picture_has_two_pixels_a_unit_and_what_is_none_is_refused() {
        let svg =
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/></svg>"#;
        match to_png(svg) {
            Ok(png) => {
                let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
                assert_eq!((&png[..4], side(16), side(20)), (&b"\x89PNG"[..], 60, 40));
                assert!(to_png("<svg").unwrap_err().what.contains("cannot be drawn"));
            }
            // A system without any font is told so.
            Err(error) => assert!(error.what.contains("no monospaced font"), "{error}"),
        }
    }
}
