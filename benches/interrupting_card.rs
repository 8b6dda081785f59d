//! Interrupting Hark on a virtual sound card whose loudspeaker is heard in the room as loud as the person, by the
//! real daemon: `cargo bench --bench interrupting_card [-- SECONDS [PPM DELAY_MS]]`. Each way of the echo is spoken
//! over for so long (600), long and short utterances with pauses between them, every other one interrupted, and the
//! sound server is restarted halfway. Told are the echo that is taken out each second of speech but the first two after a
//! start, how soon the loudspeaker falls silent after the first sound of a request, and what Hark did without
//! being spoken to. Real time: the six ways together take an hour.

// A bench that cannot set up its room cannot go on.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};
use support::LONG_REPLY;
use support::echo_room::{EchoRoom, Way, request};
use support::median_and_p95;

/// Parts per million, and milliseconds. A clock that is slow by 200 ppm is a tenth of a second late after ten minutes,
/// a fast one needs as much to take away.
const WAYS: [(f64, u32); 6] = [(0.0, 20), (0.0, 200), (100.0, 100), (-100.0, 40), (200.0, 160), (-200.0, 20)];

const REQUESTS: [(&str, &str); 12] = [
    ("slt", "turn on the living room light"),
    ("rms", "turn off the kitchen lights"),
    ("awb", "stop"),
    ("kal16", "what time is it"),
    ("slt", "set a timer for ten minutes"),
    ("rms", "stop"),
    ("awb", "is the front door locked"),
    ("kal16", "add milk to the shopping list"),
    ("slt", "stop"),
    ("rms", "close the blinds in the bedroom"),
    ("awb", "turn on the standing light"),
    ("kal16", "stop"),
];

const SHORT_REPLIES: [&str; 3] = [
    "The kitchen light is on.",
    "It is a quarter past ten, and nothing stands in the calendar for the rest of the day.",
    "Every spring a new exhibition opens with music and bread for everybody who comes.",
];

/// What one way showed.
#[derive(Default)]
struct Shown {
    taken_db: Vec<f32>,
    stopped_ms: Vec<f64>,
    missed: Vec<String>,
    /// False ducks and false requests, counted while only Hark spoke.
    ducks: usize,
    turns: usize,
}

fn main() {
    let mut asked = std::env::args().skip(1).filter_map(|argument| argument.parse::<f64>().ok());
    let lasts = Duration::from_secs_f64(asked.next().unwrap_or(600.0));
    let one = asked.next().zip(asked.next()).map(|(ppm, delay_ms)| (ppm, delay_ms as u32));
    for (way, (drift_ppm, delay_ms)) in one.map_or(WAYS.to_vec(), |one| vec![one]).into_iter().enumerate() {
        println!(
            "{drift_ppm:+} ppm, {delay_ms} ms and what the server and the drift add, 0 dB, {} s",
            lasts.as_secs()
        );
        let mut room = EchoRoom::new(Way { delay_ms, gain_db: 0.0, drift_ppm });
        let mut shown = session(&mut room, lasts, way * 4);
        shown.tell(&room);
    }
}

/// `first`: the request to begin with, so that short sessions do not all hear the same ones.
fn session(room: &mut EchoRoom, lasts: Duration, first: usize) -> Shown {
    let (begun, mut shown, mut restarted) = (Instant::now(), Shown::default(), false);
    for (round, (voice, words)) in REQUESTS.iter().cycle().skip(first).enumerate() {
        if begun.elapsed() > lasts {
            break;
        }
        if round == 0 || !restarted && begun.elapsed() > lasts / 2 {
            if round > 0 {
                room.restart_server();
                restarted = true;
            }
            // The first two seconds are for learning the room.
            alone(room, SHORT_REPLIES[2], 2, &mut shown);
        }
        alone(room, SHORT_REPLIES[round % 3], 0, &mut shown);
        std::thread::sleep(Duration::from_secs([3, 8, 15][round % 3]));
        let wav = request(&room.hark, voice, words);
        room.say(LONG_REPLY);
        std::thread::sleep(Duration::from_millis([3000, 4700, 7300][round % 3]));
        shown.taken_db.extend(room.taken_out_db());
        let stopped_ms = room.interrupt(&wav);
        let (at_s, decided_ms) = (begun.elapsed().as_secs_f64(), room.decided_after_ms());
        println!("{at_s:6.0} s  {stopped_ms:?} ms, decided after {decided_ms:?} ms  {voice:5}  {words}");
        match stopped_ms {
            Some(stopped_ms) => shown.stopped_ms.push(stopped_ms),
            None => shown.missed.push(format!("{voice}: {words}")),
        }
        room.wait_until_idle();
        room.taken_out_db();
        std::thread::sleep(Duration::from_secs(3));
    }
    shown
}

/// Hark speaks alone; `learning` seconds are left out of the figures.
fn alone(room: &mut EchoRoom, words: &str, learning: usize, shown: &mut Shown) {
    let before = (room.decisions("duck"), room.events("transcript").len());
    room.say(words);
    room.wait_until_idle();
    shown.ducks += room.decisions("duck") - before.0;
    shown.turns += room.events("transcript").len() - before.1;
    shown.taken_db.extend(room.taken_out_db().into_iter().skip(learning));
}

impl Shown {
    fn tell(&mut self, room: &EchoRoom) {
        self.taken_db.sort_by(f32::total_cmp);
        let (seconds, stopped) = (self.taken_db.len(), self.stopped_ms.len());
        let at =
            |share: f32| self.taken_db.get((seconds as f32 * share) as usize).copied().unwrap_or(f32::NAN);
        let enough = self.taken_db.iter().filter(|taken| **taken >= 20.0).count();
        let in_time = self.stopped_ms.iter().filter(|after| **after <= 800.0).count();
        println!(
            "taken out: median {:.0} dB, at least {:.0} dB, 20 dB in {enough} of {seconds} seconds; {}",
            at(0.5),
            at(0.0),
            room.newest()
        );
        println!(
            "{stopped} of {} stop it, {in_time} within 800 ms: {}; missed {:?}",
            stopped + self.missed.len(),
            median_and_p95(&mut self.stopped_ms),
            self.missed
        );
        println!(
            "while nobody spoke it grew quieter {} times and took {} requests; aligned anew {} times\n",
            self.ducks,
            self.turns,
            room.realigned()
        );
    }
}
