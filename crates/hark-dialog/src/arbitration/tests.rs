//! Tables of the arbiter, and a house of ten on a bad network.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const TIMING: Timing = Timing { window_ms: 150, hold_ms: 1_500, takeover_ms: 250 };

fn arbiter(node: &str) -> Arbiter {
    Arbiter::new(node, 100, TIMING)
}

fn claim(kind: ClaimKind, node: &str, score: f32, level_db: f32) -> Claim {
    Claim { kind, node: node.into(), id: 7, score, level_db }
}

fn standings(orders: &[Order]) -> Vec<Standing> {
    let standing = |order: &Order| match order {
        Order::Stand(standing) => Some(*standing),
        Order::Send(_) => None,
    };
    orders.iter().filter_map(standing).collect()
}

fn run(arbiter: &mut Arbiter, until_ms: u64) -> Vec<Order> {
    let mut orders = Vec::new();
    while let Some(at) = arbiter.next_ms().filter(|at| *at <= until_ms) {
        orders.extend(arbiter.tick(at));
    }
    orders
}

#[test]
fn one_alone_answers_after_its_window() {
    let mut alone = arbiter("a");
    assert!(matches!(&alone.heard(0, 0.9, -20.0)[..], [Order::Send(_)]));
    let orders = run(&mut alone, 149);
    assert_eq!(orders.len(), 2, "claimed twice more: {orders:?}");
    assert_eq!(standings(&run(&mut alone, 150)), [Standing::Won]);
    assert_eq!(alone.next_ms(), None);
}

#[test]
fn the_better_one_answers_and_the_name_settles_a_tie() {
    use ClaimKind::{Claim as Claimed, Won};
    for (score, level, node, wins) in [
        (0.5, -20.0, "b", true),
        (0.99, -20.0, "b", false),
        (0.9, -10.0, "b", false),
        (0.9, -30.0, "b", true),
        (0.9, -20.0, "b", true),
        (0.9, -20.0, "A", false),
        (0.9, -20.0, "0", false),
    ] {
        let mut own = arbiter("a");
        own.heard(0, 0.9, -20.0);
        own.received(40, claim(Claimed, node, score, level));
        let end = if wins { Standing::Won } else { Standing::Waiting };
        assert_eq!(standings(&run(&mut own, 150)), [end], "{score} {level} {node}");
        if !wins {
            assert_eq!(standings(&own.received(170, claim(Won, node, score, level))), [Standing::Lost]);
            assert_eq!(own.next_ms(), None);
        }
    }
}

#[test]
fn who_hears_of_a_claim_first_is_silent_and_takes_over_from_the_dead() {
    let mut late = arbiter("a");
    late.received(0, claim(ClaimKind::Claim, "z", 0.1, -90.0));
    assert_eq!(late.heard(100, 1.0, 0.0), [Order::Stand(Standing::Waiting)]);
    assert_eq!(
        standings(&late.clone().received(200, claim(ClaimKind::Won, "z", 0.1, -90.0))),
        [Standing::Lost]
    );
    assert!(run(&mut late, 499).is_empty());
    assert_eq!(standings(&run(&mut late, 500)), [Standing::Won], "nobody else said that it answers");

    // Once somebody answers, those who hear the word now are silent at once; a while later they are not.
    let mut next = arbiter("a");
    next.received(0, claim(ClaimKind::Won, "z", 0.5, -30.0));
    assert_eq!(next.heard(300, 1.0, 0.0), [Order::Stand(Standing::Lost)]);
    assert!(matches!(&next.heard(1_500, 1.0, 0.0)[..], [Order::Send(_)]));
}

#[test]
fn of_two_winners_one_gives_way() {
    let (mut a, mut b) = (arbiter("a"), arbiter("b"));
    a.heard(0, 0.9, -20.0);
    b.heard(5_000, 0.9, -20.0);
    let (from_a, from_b) = (run(&mut a, 150), run(&mut b, 5_150));
    let won = |orders: &[Order]| match orders.iter().rev().nth(1) {
        Some(Order::Send(claim)) => claim.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(standings(&b.received(5_160, won(&from_a))), [Standing::Lost]);
    let again = a.received(160, won(&from_b));
    assert!(matches!(&again[..], [Order::Send(Claim { kind: ClaimKind::Won, .. })]), "{again:?}");
}

#[test]
fn garbage_is_known_and_bounded() {
    let sound = claim(ClaimKind::Claim, "kitchen", 0.9, -20.0);
    assert!(sound.is_sound());
    for wrong in [
        Claim { node: String::new(), ..sound.clone() },
        Claim { node: "a/b".into(), ..sound.clone() },
        Claim { node: "x".repeat(33), ..sound.clone() },
        Claim { score: f32::NAN, ..sound.clone() },
        Claim { score: 2.0, ..sound.clone() },
        Claim { level_db: f32::INFINITY, ..sound.clone() },
    ] {
        assert!(!wrong.is_sound(), "{wrong:?}");
    }
    let mut flooded = arbiter("a");
    for number in 0..10_000 {
        flooded.received(0, Claim { node: format!("n{number}"), ..sound.clone() });
    }
    assert_eq!(flooded.others.len(), MAX_CLAIMS);
}

/// A network that delays, doubles, reorders and loses, and ten nodes with clocks of their own.
struct House {
    nodes: Vec<(Arbiter, u64)>,
    /// Time → deliveries.
    air: BTreeMap<u64, Vec<(usize, Claim)>>,
    dead: Option<usize>,
    chance: u64,
}

impl House {
    fn random(&mut self, below: u64) -> u64 {
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.chance >> 33) % below
    }

    /// Up to a quarter of the window late; at most one of the copies of a claim is lost on a way.
    fn send(
        &mut self,
        now: u64,
        from: usize,
        claim: &Claim,
        copies: &mut BTreeMap<(usize, usize, bool), u32>,
    ) {
        for to in 0..self.nodes.len() {
            let lost = copies.entry((from, to, claim.kind == ClaimKind::Won)).or_default();
            if claim.kind == ClaimKind::Claim && *lost == 0 && self.random(4) == 0 {
                *lost += 1;
                continue;
            }
            for _ in 0..1 + self.random(2) {
                let at = now + 1 + self.random(TIMING.window_ms / 4);
                self.air.entry(at).or_default().push((to, claim.clone()));
            }
        }
    }

    /// The standings every node was told last.
    fn live(&mut self, heard: &[(u64, f32, f32)]) -> Vec<Option<Standing>> {
        let mut told = vec![None; self.nodes.len()];
        let mut copies = BTreeMap::new();
        for now in 0..4_000 {
            for node in 0..self.nodes.len() {
                let own = now + self.nodes[node].1;
                let mut orders = Vec::new();
                if heard.get(node).is_some_and(|(at, ..)| *at == now) {
                    orders.extend(self.nodes[node].0.heard(own, heard[node].1, heard[node].2));
                }
                let is_dead = self.dead == Some(node) && now > heard[node].0;
                if is_dead {
                    continue;
                }
                for (to, claim) in self.air.get(&now).cloned().unwrap_or_default() {
                    if to == node {
                        orders.extend(self.nodes[node].0.received(own, claim));
                    }
                }
                if self.nodes[node].0.next_ms().is_some_and(|at| at <= own) {
                    orders.extend(self.nodes[node].0.tick(own));
                }
                for order in orders {
                    match order {
                        Order::Send(claim) => self.send(now, node, &claim, &mut copies),
                        Order::Stand(standing) => told[node] = Some(standing),
                    }
                }
            }
        }
        told
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn of_ten_nodes_exactly_one_answers(
        heard in prop::collection::vec((0..300_u64, 0.5..1.0_f32, -60.0..-5.0_f32), 10),
        offsets in prop::collection::vec(0..1_000_000_u64, 10),
        chance: u64,
        dead in prop::option::of(0..10_usize),
    ) {
        let nodes = offsets.iter().enumerate().map(|(n, offset)| (arbiter(&format!("node{n}")), *offset));
        let mut house = House { nodes: nodes.collect(), air: BTreeMap::new(), dead, chance };
        let told = house.live(&heard);
        let winners: Vec<usize> = (0..10).filter(|n| told[*n] == Some(Standing::Won)).collect();
        prop_assert_eq!(winners.len(), 1, "{:?}", told);
        for (node, standing) in told.iter().enumerate().filter(|(node, _)| Some(*node) != dead) {
            prop_assert!(matches!(standing, Some(Standing::Won | Standing::Lost)), "{} {:?}", node, standing);
        }
    }
}
