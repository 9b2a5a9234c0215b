use super::*;
use crate::model::NodeKind;

fn tenant(name: &str, lower: u64, upper: u64, size: u64, offset: u64) -> Tenant {
    Tenant { name: name.into(), level: 0, lower, upper, size, offset: Some(offset) }
}

fn scene(tenants: Vec<Tenant>, capacity: u64) -> Scene {
    Scene {
        name: "s".into(),
        machine: "lifetimes".into(),
        levels: vec![("memory".into(), capacity)],
        tenants,
        times: Times::Abstract,
        ignored_fields: 0,
    }
}

fn seen() -> Seen {
    Seen { maker: "test".into(), verdict: "v".into(), core: Vec::new(), peak: 0 }
}

#[test]
fn cycles_are_the_times_of_the_lifetimes() {
    let scene = scene(vec![tenant("a", 5, 9, 4, 0), tenant("b", 7, 20, 2, 4), tenant("c", 9, 12, 4, 0)], 6);
    let session = Session::of_scene(&scene, seen(), false).unwrap();
    assert_eq!(session.broken(), None);
    assert!(session.check.is_valid() && session.recorded.is_none());
    let (trace, graph) = (&session.trace, &*session.trace.problem.graph);
    for (buf, tenant) in scene.tenants.iter().enumerate() {
        let buffer = graph.buffer(BufIx::new(buf));
        let at = |node| trace.time_of(trace.step_of(node).unwrap()).unwrap().0;
        assert_eq!((at(buffer.alloc), at(buffer.free.unwrap())), (tenant.lower, tenant.upper), "{}", tenant.name);
        assert_eq!(graph.buffer_name(BufIx::new(buf)), Some(&tenant.name));
    }
    assert_eq!(session.figures.makespan, 20);
    assert_eq!((session.figures.peak.as_slice(), session.bounds.max_live.as_slice()), (&[6][..], &[6][..]));
    let Some(Step::Node(peak)) = trace.step(session.packed.as_ref().unwrap().peak) else { panic!("no peak") };
    assert_eq!(graph.node(peak).name.as_ref().map(Name::raw), Some("t=7"));
}

#[test]
fn who_leaves_at_a_moment_makes_room_for_who_comes() {
    let scene = scene(vec![tenant("a", 0, 3, 4, 0), tenant("b", 3, 4, 4, 0)], 4);
    assert!(Session::of_scene(&scene, seen(), false).unwrap().check.is_valid(), "lifetimes are half-open");
    let session = Session::of_scene(&scene, seen(), false).unwrap();
    let graph = &session.trace.problem.graph;
    let names: Vec<String> = graph
        .node_ixs()
        .map(|node| {
            let sign = match graph.node(node).kind {
                NodeKind::Alloc(_) => "+",
                NodeKind::Free(_) => "-",
                NodeKind::Op(_) => "",
            };
            format!("{sign}{}", graph.node(node).name.as_ref().map_or("", Name::raw))
        })
        .collect();
    assert_eq!(names, ["+a", "t=0", "-a", "+b", "t=3", "-b"]);
}

#[test]
fn what_overlaps_is_shown_as_broken() {
    let scene = scene(vec![tenant("a", 0, 3, 4, 0), tenant("b", 2, 4, 4, 3)], 7);
    let session = Session::of_scene(&scene, seen(), true).unwrap();
    assert!(!session.check.is_valid() && session.recorded.is_some());
    assert!(Session::of_scene(&scene, seen(), false).unwrap().broken().is_some(), "ours must hold");
}

#[test]
fn without_room_the_record_ends_at_the_buffer_that_has_none() {
    let scene = scene(vec![tenant("a", 0, 3, 4, 0), tenant("b", 0, 4, 4, 4), tenant("c", 3, 4, 4, 0)], 7);
    let session = Session::of_failing_scene(&scene, seen()).unwrap();
    let found = session.diagnosis.as_ref().expect("a and b do not fit together");
    assert_eq!((found.buf, session.trace.failing_step().is_some()), (BufIx::new(1), true));
}

#[test]
fn instructions_are_steps_of_one_cycle_each() {
    let instructions = ["x", "dot.3", "end.x"].map(Name::from).to_vec();
    let scene = Scene { times: Times::Program(instructions), ..scene(vec![tenant("a", 1, 4, 4, 0)], 4) };
    let session = Session::of_scene(&scene, seen(), false).unwrap();
    let graph = &session.trace.problem.graph;
    let ops = graph.node_ixs().filter_map(|node| match graph.node(node).kind {
        NodeKind::Op(op) => {
            Some((graph.node(node).name.clone()?.raw().to_owned(), graph.symbol(op.op).raw().to_owned()))
        }
        _ => None,
    });
    let expected = [("x", "x"), ("dot.3", "dot"), ("end.x", "end.x"), ("end of program", "end of program")];
    assert!(ops.eq(expected.map(|(name, kind)| (name.to_owned(), kind.to_owned()))));
    assert_eq!(session.figures.makespan, 4);
}

#[test]
fn nothing_is_a_packing_too() {
    let session = Session::of_scene(&scene(Vec::new(), 1), seen(), false).unwrap();
    assert_eq!((session.trace.step_count(), session.check.is_valid()), (0, true));
}
