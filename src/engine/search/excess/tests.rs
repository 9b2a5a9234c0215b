//! That a change comes to what the whole order does, and that nothing moves where all fits.

use super::super::dice::Dice;
use super::super::items::Items;
use super::super::moves::{Sequence, Web};
use super::super::tests::small;
use super::super::traffic::Traffic;
use super::*;

fn web(macros: &Macros) -> Web<'_> {
    Web { preds: &macros.preds, succs: &macros.succs, touches: &macros.accesses, users: &macros.users, bundle: 0 }
}

#[test]
fn a_change_comes_to_what_the_whole_order_does() {
    let (mut kept, mut fitting) = (0, 0);
    for seed in 0..60 {
        let problem = small(seed, 40);
        let items = Items::new(&problem);
        let macros = Macros::single(&problem, &items);
        let (mut traffic, mut dice) = (Traffic::new(&problem), Dice::new(seed));
        let mut excess = Excess::new(&problem, &macros);
        let mut sequence = Sequence::new(macros.legalize(&(0..macros.len() as u32).collect::<Vec<_>>()));
        let mut now = excess.of(&sequence.order).unwrap();
        for _ in 0..200 {
            let Some(change) = sequence.propose(web(&macros), &[], &mut dice) else { continue };
            sequence.apply(change);
            let found = excess.changed(&sequence.order, change.range(), now + 4.0);
            let whole = Excess::new(&problem, &macros).of(&sequence.order).filter(|whole| *whole <= now + 4.0);
            assert_eq!(found, whole, "seed {seed}");
            let Some(found) = found else {
                sequence.undo(change);
                continue;
            };
            now = excess.keep(&sequence.order, found, false);
            kept += 1;
            if found <= 0.0 {
                assert_eq!(traffic.of(&macros, &sequence.order, u64::MAX), Some(0), "seed {seed}");
                fitting += 1;
            }
        }
    }
    assert!(kept > 1000 && fitting > 100, "{kept} kept, {fitting} in which all fits");
}
