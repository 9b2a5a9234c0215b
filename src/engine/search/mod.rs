//! Search for a better order.

pub mod addresses;
mod anneal;
mod budget;
mod dice;
mod exact;
mod groups;
mod items;
mod macros;
mod moves;
mod rows;
mod traffic;

pub use budget::{Budget, Progress};

use crate::engine::order;
use crate::model::*;
use addresses::Fit;
use anneal::{Heat, anneal};
use budget::Purse;
use dice::Dice;
use exact::Exact;
use groups::Groups;
use items::{Expander, Items};
use macros::Macros;
use moves::Web;
use traffic::Traffic;

pub fn dev(problem: &Problem, seconds: f64, seed: u64) -> Plan {
    let env = |name: &str, default: f64| std::env::var(name).ok().map_or(default, |t| t.parse().unwrap());
    let items = Items::new(problem);
    let macros = Macros::contracted(problem, &items);
    eprintln!("items {} macros {}", items.len(), macros.len());
    let program = order::first_order(&problem.graph, Order::Program).unwrap();
    let mut start = macros.of_items(&items.of_order(&program));
    let mut traffic = Traffic::new(problem);
    let t = std::time::Instant::now();
    let mut best = traffic.of(&macros, &start, u64::MAX);
    eprintln!("program fast {best:?} {:?}", t.elapsed());
    let t = std::time::Instant::now();
    for _ in 0..10 { traffic.of(&macros, &start, u64::MAX); }
    eprintln!("program fast {best:?} {:?}", t.elapsed() / 10);
    let mut tell = |_p: Progress| true;
    let mut purse = Purse::new(Budget::Seconds(seconds), &mut tell);
    let mut dice = Dice::new(seed);
    let web = Web { preds: &macros.preds, succs: &macros.succs, touches: &macros.accesses, users: &macros.users, bundle: 0 };
    if let Some(groups) = Groups::new(problem, &macros) {
        eprintln!("groups {}", groups.len());
        let t = std::time::Instant::now();
        let mut gbest = groups.in_order(&start);
        let mut e = groups.open(&macros, &gbest).and_then(|s| traffic.of(&macros, &s, u64::MAX));
        eprintln!("in order {e:?}");
        for _ in 0..20 {
            let order = groups.nearest(&mut dice);
            let open = groups.open(&macros, &order);
            let f = open.as_ref().and_then(|s| traffic.of(&macros, s, u64::MAX));
            if f.is_some() && (e.is_none() || f < e) { e = f; gbest = order; eprintln!("nn {f:?}"); }
        }
        eprintln!("{:?}", t.elapsed());
        let gweb = Web { preds: &groups.unbound, succs: &groups.unbound, touches: &groups.touches, users: &groups.users, bundle: groups.at_once() };
        let g = anneal(gweb, &gbest, Heat { first: env("G0", 200.0), last: env("G1", 30.0) }, &mut purse, "groups", env("GS", 0.3), &mut dice,
            |s, limit| { let open = groups.open(&macros, s)?; traffic.of(&macros, &open, limit as u64).map(|t| t as f64) });
        if let Some((g, e)) = g {
            eprintln!("groups {e} at {}", purse.spent());
            let open = groups.open(&macros, &g).unwrap();
            if best.is_none_or(|b| (e as u64) < b) { start = open; best = Some(e as u64); }
        }
    }
    let (fast, e) = anneal(web, &start, Heat { first: env("H0", 200.0), last: env("H1", 10.0) }, &mut purse, "macros", env("MS", 0.4), &mut dice,
            |s, limit| traffic.of(&macros, s, limit as u64).map(|t| t as f64)).unwrap();
    eprintln!("macros {e} at {}", purse.spent());
    let mut exact = Exact::new(problem);
    let mut expander = Expander::default();
    let (mut list, mut done) = (Vec::new(), Vec::new());
    let mut fits = vec![];
    for time in [0.0, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1] { for snug in [0.0, 1e-5, 1e-3] { fits.push(Fit { time, snug }); } }
    let mut all = vec![];
    for &fit in &fits {
        macros.items(&items, &fast, &mut list, &mut done);
        let nodes = expander.nodes(problem, &items, &list);
        let t = std::time::Instant::now();
        let s = exact.of(nodes, fit, u64::MAX);
        all.push((s.map_or(u64::MAX, |s| s.traffic), s.map_or(u64::MAX, |s| s.makespan), fit, t.elapsed()));
    }
    all.sort_by_key(|a| (a.0, a.1));
    for a in all.iter().take(12) { eprintln!("{a:?}"); }
    let fit = all[0].2;
    let e2 = anneal(web, &fast, Heat { first: env("E0", 100.0), last: env("E1", 10.0) }, &mut purse, "exact", env("ES", 0.15), &mut dice,
            |s, limit| {
                macros.items(&items, s, &mut list, &mut done);
                let nodes = expander.nodes(problem, &items, &list);
                exact.of(nodes, fit, limit as u64).map(|t| t.traffic as f64 + t.makespan as f64 * 1e-6) }).unwrap();
    eprintln!("exact {} at {}", e2.1, purse.spent());
    let single = Macros::single(problem, &items);
    let web = Web { preds: &single.preds, succs: &single.succs, touches: &single.accesses, users: &single.users, bundle: 0 };
    macros.items(&items, &e2.0, &mut list, &mut done);
    let e3 = anneal(web, &list.clone(), Heat { first: env("F0", 50.0), last: env("F1", 5.0) }, &mut purse, "items", env("FS", 0.15), &mut dice,
            |s, limit| {
                let nodes = expander.nodes(problem, &items, s);
                exact.of(nodes, fit, limit as u64).map(|t| t.traffic as f64 + t.makespan as f64 * 1e-6) }).unwrap();
    eprintln!("items {} at {}", e3.1, purse.spent());
    let nodes = expander.nodes(problem, &items, &e3.0).to_vec();
    exact.plan(&nodes, fit).unwrap()
}
