//! Placeholders in captions: `{extra_traffic}`, `{size.W4}`, `{search:spills}`. What they stand for is read from the
//! plans, so that no caption goes stale.

use super::{Misfit, NamedPlan, figures};
use crate::input::Source;
use crate::input::lesson::Text;
use crate::model::{BufIx, NodeIx, clean};
use crate::session::Session;

/// What placeholders speak of where they name nothing else.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// All plans of the lesson.
    pub plans: &'a [NamedPlan],
    /// The one that is shown.
    pub session: &'a Session,
    /// The step that one stands at.
    pub step: usize,
    /// The buffer that the moment is about.
    pub buf: Option<BufIx>,
    /// The operation that the moment is about.
    pub node: Option<NodeIx>,
}

impl Scene<'_> {
    /// `text` with its placeholders filled in; `{{` and `}}` are braces.
    pub(super) fn fill(&self, source: &Source, text: &Text) -> Result<String, Misfit> {
        let mut out = String::with_capacity(text.text.len());
        let mut rest = text.text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(&rest[..at]);
            let (brace, after) = (&rest[at..=at], &rest[at + 1..]);
            if let Some(after) = after.strip_prefix(brace) {
                out.push_str(brace);
                rest = after;
                continue;
            }
            let Some((inside, after)) = after.split_once('}').filter(|_| brace == "{") else {
                let what = format!("a `{brace}` without its other half in “{}”", clean(&text.text));
                return Err(Misfit::new(&text.at, what, "write {{ or }} for the character itself"));
            };
            out.push_str(&self.value(inside).map_err(|(what, advice)| {
                let place = source.text[text.at.clone()].find(&format!("{{{inside}}}"));
                let start = text.at.start + place.unwrap_or(0);
                let width = if place.is_some() { inside.len() + 2 } else { 1 };
                Misfit::new(&(start..start + width), what, advice)
            })?);
            rest = after;
        }
        out.push_str(rest);
        Ok(clean(&out).into_owned())
    }

    /// What a placeholder stands for, or what is wrong with it and what would be right.
    fn value(&self, inside: &str) -> Result<String, (String, String)> {
        let Some((plan, rest)) = inside.split_once(':') else { return figures::value(self, inside) };
        let known = || self.plans.iter().map(|plan| clean(&plan.name)).collect::<Vec<_>>().join(", ");
        let found = self.plans.iter().find(|other| other.name == plan);
        let plan = found.ok_or_else(|| {
            (
                format!("`{{{}}}`: there is no plan “{}”", clean(inside), clean(plan)),
                format!("the plans are {}", known()),
            )
        })?;
        let step = plan.session.trace.step_count().saturating_sub(1);
        figures::value(&Scene { session: &plan.session, step, buf: None, node: None, ..*self }, rest)
    }
}
