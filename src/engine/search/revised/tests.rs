//! That a change comes to what the whole order does.

use super::super::dice::Dice;
use super::super::items::Items;
use super::super::moves::{Sequence, Web};
use super::super::tests::small;
use super::super::traffic::Traffic;
use super::*;

fn web(macros: &Macros) -> Web<'_> {
    Web { preds: &macros.preds, succs: &macros.succs, touches: &macros.accesses, users: &macros.users, bundle: 0 }
}

/// What is known is what going through the whole order tells.
fn assert_sound(revised: &Revised<'_>, problem: &Problem, macros: &Macros, order: &[u32]) {
    let mut anew = Revised::new(problem, macros);
    anew.whole(order);
    assert_eq!((&revised.starts, &revised.accesses), (&anew.starts, &anew.accesses));
    assert_eq!((&revised.next, &revised.prev), (&anew.next, &anew.prev));
    for (at, checkpoint) in revised.checkpoints.iter().enumerate() {
        let start = revised.starts[at * revised.every];
        for &(buf, next) in &checkpoint.residents {
            let mut behind = revised.accesses[start as usize..].iter();
            let first = behind.position(|access| access & !LAST == buf);
            assert_eq!(next, first.map_or(NEVER, |by| start + by as u32));
        }
    }
}

#[test]
fn a_change_comes_to_what_the_whole_order_does() {
    let (mut kept, mut early, mut as_whole, mut all) = (0, 0, 0, 0);
    for seed in 0..60 {
        let problem = small(seed, 40);
        let items = Items::new(&problem);
        let macros = Macros::single(&problem, &items);
        let (mut traffic, mut dice) = (Traffic::new(&problem), Dice::new(seed));
        let mut revised = Revised::new(&problem, &macros);
        let mut sequence = Sequence::new(macros.legalize(&(0..macros.len() as u32).collect::<Vec<_>>()));
        let mut now = revised.of(&sequence.order).unwrap();
        for _ in 0..60 {
            let Some(change) = sequence.propose(web(&macros), revised.costly(), &mut dice) else { continue };
            sequence.apply(change);
            let found = revised.changed(&sequence.order, change.range(), f64::MAX).unwrap();
            let whole = traffic.of(&macros, &sequence.order, u64::MAX).unwrap() as f64;
            // What is known of the whole is then as if all were decided anew.
            if change.range().start < EVERY && revised.kept == 0 {
                assert!((found - whole).abs() < 0.5, "seed {seed}: {found} {whole}");
                early += 1;
            }
            all += 1;
            as_whole += u32::from((found - whole).abs() < 0.5);
            if found <= now + 8.0 {
                now = revised.keep(&sequence.order, found, found < now);
                kept += 1;
                assert_sound(&revised, &problem, &macros, &sequence.order);
            } else {
                sequence.undo(change);
            }
        }
    }
    assert!(kept > 300 && early > 100, "{kept} kept, {early} from the start on");
    assert!(as_whole * 10 > all * 8, "{as_whole} of {all}");
}
