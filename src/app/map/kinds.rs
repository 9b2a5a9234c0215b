//! A letter for each kind of operation.

use super::Coloring;
use crate::model::{NodeKind, Symbol};
use crate::trace::Trace;

/// The kinds of operation of a graph, in the order of their first one.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    list: Vec<(Symbol, char)>,
}

/// Letters that are no sign (S, R, P, W, F).
const LETTERS: &str = "ABCDEGHIJKLMNOQTUVXYZabcdefghijklmnopqrstuvwxyz";

impl Kinds {
    /// Reads the graph, where the map tells kinds and has not done so before.
    pub(in crate::app) fn prepare(&mut self, trace: &Trace, coloring: Coloring) {
        if coloring != Coloring::Operation || !self.list.is_empty() {
            return;
        }
        let graph = &trace.problem.graph;
        let mut seen = vec![false; graph.symbols().len()];
        for node in graph.node_ixs() {
            let NodeKind::Op(op) = graph.node(node).kind else { continue };
            if !std::mem::replace(&mut seen[op.op.at()], true) {
                let letter = self.choose(graph.symbol(op.op).raw());
                self.list.push((op.op, letter));
            }
        }
    }

    /// The first letter of the name that no other kind has, else any such letter; beyond the alphabet letters repeat.
    fn choose(&self, name: &str) -> char {
        let upper = name.chars().map(|c| c.to_ascii_uppercase());
        let lower = name.chars().map(|c| c.to_ascii_lowercase());
        let mut wanted = upper.chain(lower).chain(LETTERS.chars()).filter(|&letter| LETTERS.contains(letter));
        let is_free = |letter: &char| self.list.iter().take(LETTERS.len()).all(|(_, other)| other != letter);
        let round = || LETTERS.chars().nth(self.list.len() % LETTERS.len());
        wanted.find(is_free).or_else(round).unwrap_or('?')
    }

    /// The place of a kind among all, and its letter.
    pub fn of(&self, kind: Symbol) -> Option<(usize, char)> {
        let at = self.list.iter().position(|&(other, _)| other == kind)?;
        Some((at, self.list[at].1))
    }

    /// The kinds with their letters.
    pub fn list(&self) -> &[(Symbol, char)] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_letters_of_their_names_and_never_a_sign() {
        let mut kinds = Kinds::default();
        for (at, name) in ["MATMUL", "MOVE", "SUB", "MATMUL2", "", "权重"].into_iter().enumerate() {
            let letter = kinds.choose(name);
            kinds.list.push((Symbol(at as u16), letter));
        }
        let letters: String = kinds.list().iter().map(|(_, letter)| letter).collect();
        assert_eq!(letters, "MOUABC", "SUB may not be S; M of MATMUL2 is taken, A is not");
        assert_eq!(kinds.of(Symbol(1)), Some((1, 'O')));
        assert_eq!(kinds.of(Symbol(99)), None);
    }
}
