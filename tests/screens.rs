//! The screen as text: what a person sees of the samples at several sizes.

mod support;

use spillscope::app::Where;
use support::{open, text, typed};

/// Prints a frame to look at:
/// `LOOK="flash-attention 120x36 spill" cargo test --test screens look -- --ignored --nocapture`.
#[test]
#[ignore = "for looking at a frame"]
fn look() {
    let wanted = std::env::var("LOOK").unwrap_or_else(|_| "flash-attention 130x40 spill".into());
    let mut words = wanted.split(' ');
    let mut next = |or: &str| words.next().unwrap_or(or).to_owned();
    let (name, size, place, keys) = (next("first-spill"), next("130x40"), next("spill"), next(""));
    let (width, height) = size.split_once('x').expect("a size like 130x40");
    let (width, height) = (width.parse().expect("columns"), height.parse().expect("rows"));
    let mut app = open(&name, width, height);
    match place.as_str() {
        "peak" => app.open_at(Where::Peak),
        "spill" => app.open_at(Where::FirstSpill),
        "open" => {}
        step => app.open_at(Where::Step(step.parse().expect("a step"))),
    }
    typed(&mut app, &keys);
    println!("{}", text(&app, width, height));
}
