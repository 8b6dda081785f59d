//! The modes and the ways between them. What is wanted is reached by permitted steps only: a task that comes upon
//! a dangerous act is laid aside first (ALERT) and then guarded.

use hark_core::Mode;

/// Every permitted step.
pub const STEPS: [(Mode, Mode); 9] = [
    // A task starts, and ends.
    (Mode::Alert, Mode::Working),
    (Mode::Working, Mode::Alert),
    // It asks the person, and is answered.
    (Mode::Working, Mode::Waiting),
    (Mode::Waiting, Mode::Working),
    // A dangerous act is asked about; a yes; a no, or nothing.
    (Mode::Alert, Mode::Guarding),
    (Mode::Guarding, Mode::Working),
    (Mode::Guarding, Mode::Alert),
    // Nothing happens for a while; anything does.
    (Mode::Alert, Mode::Resting),
    (Mode::Resting, Mode::Alert),
];

/// Whether one step leads from one to the other.
pub fn permitted(from: Mode, to: Mode) -> bool {
    STEPS.contains(&(from, to))
}

/// The steps from one mode to another, the last of them `to`; empty when it is there already. The shortest way;
/// of two as short, the one over ALERT.
pub fn way(from: Mode, to: Mode) -> Vec<Mode> {
    if from == to {
        return Vec::new();
    }
    if permitted(from, to) {
        return vec![to];
    }
    let over = |middle: &Mode| permitted(from, *middle) && permitted(*middle, to);
    match [Mode::Alert, Mode::Working].iter().find(|middle| over(middle)) {
        Some(middle) => vec![*middle, to],
        // WAITING is left by way of WORKING, and entered so.
        None => {
            let first = if from == Mode::Waiting { Mode::Working } else { Mode::Alert };
            let mut steps = vec![first];
            steps.extend(way(first, to));
            steps
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{Alert, Guarding, Resting, Waiting, Working};

    #[test]
    fn every_way_is_made_of_permitted_steps_and_arrives() {
        for from in Mode::ALL {
            for to in Mode::ALL {
                let steps = way(from, to);
                let mut at = from;
                for step in &steps {
                    assert!(permitted(at, *step), "{from} to {to}: {at} to {step}");
                    at = *step;
                }
                assert_eq!(at, to, "{from} to {to} ends at {at}");
                assert!(steps.len() <= 4, "{from} to {to}: {steps:?}");
            }
        }
    }

    #[test]
    fn the_ways_of_the_specification() {
        for (from, to) in [
            (Alert, Working),
            (Working, Waiting),
            (Waiting, Working),
            (Alert, Guarding),
            (Guarding, Working),
            (Guarding, Alert),
            (Alert, Resting),
            (Resting, Alert),
        ] {
            assert_eq!(way(from, to), [to]);
        }
        assert_eq!(way(Working, Guarding), [Alert, Guarding]);
        assert_eq!(way(Resting, Guarding), [Alert, Guarding]);
        assert_eq!(way(Waiting, Resting), [Working, Alert, Resting]);
        for (from, to) in [(Resting, Working), (Alert, Waiting), (Guarding, Waiting), (Waiting, Guarding)] {
            assert!(!permitted(from, to), "{from} to {to}");
        }
    }
}
