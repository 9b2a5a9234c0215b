//! The checker: replays a plan by the published rules, apart from the engine.

use crate::model::Figures;

/// What the checker found (being written elsewhere; this is its outline).
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Every broken rule.
    pub broken: Vec<Broken>,
    /// The figures, where nothing is broken.
    pub figures: Option<Figures>,
}

/// One broken rule.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The step, if it has one.
    pub step: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}
