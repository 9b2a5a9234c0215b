//! Packers side by side on the same lifetimes: a table for people, CSV (`packer,height,above_bound`), and JSON (`lifetimes`,
//! `bound`, `rows` with `packer` and `height`, `command`).

use std::fmt::Write;

use serde::Serialize;

use crate::output::numbers::{above_bound, grouped};
use crate::output::packing_report::to_json;

/// Packers and what each comes to.
pub struct Compared<'a> {
    /// The name of the lifetimes.
    pub name: &'a str,
    /// What each packer comes to; `None` where it has no packing.
    pub rows: Vec<(&'a str, Option<u64>)>,
    /// No packing is lower than this.
    pub bound: u64,
}

/// The table; ends with a newline.
pub fn text(compared: &Compared, repeat: &str) -> String {
    let mut text =
        format!("{}: what packers come to, bound {}\n\n", crate::model::clean(compared.name), grouped(compared.bound));
    let width = compared.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let heights = compared.rows.iter().map(|(_, height)| height.map_or("-".into(), grouped));
    let digits = heights.clone().map(|height: String| height.len()).max().unwrap_or(0);
    for ((name, height), shown) in compared.rows.iter().zip(heights) {
        let how = height.map_or("fixed addresses are in its way".into(), |height| above_bound(height, compared.bound));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {name:<width$}  {shown:>digits$}   {how}");
    }
    let _ = write!(text, "\nthe same again:\n{repeat}\n");
    text
}

/// The rows as CSV.
pub fn csv(compared: &Compared) -> String {
    let mut text = String::from("packer,height,above_bound\n");
    for (name, height) in &compared.rows {
        let (height, above) = match height {
            Some(height) => (height.to_string(), height.saturating_sub(compared.bound).to_string()),
            None => (String::new(), String::new()),
        };
        let _ = writeln!(text, "\"{name}\",{height},{above}");
    }
    text
}

#[derive(Serialize)]
struct CompareJson<'a> {
    lifetimes: &'a str,
    bound: u64,
    rows: Vec<RowJson<'a>>,
    command: &'a str,
}

#[derive(Serialize)]
struct RowJson<'a> {
    packer: &'a str,
    height: Option<u64>,
}

/// The rows as JSON; ends with a newline.
pub fn json(compared: &Compared, repeat: &str) -> String {
    let rows = compared.rows.iter().map(|&(packer, height)| RowJson { packer, height });
    to_json(&CompareJson { lifetimes: compared.name, bound: compared.bound, rows: rows.collect(), command: repeat })
}
