//! `hark eval kills`: the real daemon is killed again and again while it takes requests and before what it promised is
//! due. What was promised must ring once, and be on the list once. What each kill meets is chance, the same at every run:
//! half of them come in the middle of a request, the others between a promise and its time.

use super::daemon::Daemon;
use super::figures::Row;
use super::needs::Need;
use super::sentences::{self, Sentences, fill};
use super::{Found, Run, failed};
use crate::app::clock::wall_unix_ms;
use crate::app::storage;
use crate::cli::benchmarks::samples::{Samples, ms};
use crate::cli::random::Xorshift;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::timer::TimerState;
use hark_core::{Envelope, Fault, PublicEvent};
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Requests between two kills, at most.
const REQUESTS_A_ROUND: u64 = 6;
/// The longest a promise may lie ahead.
const LONGEST_S: u64 = 12;
/// What rings is waited for so long.
const RINGS_WITHIN: Duration = Duration::from_secs(120);
/// A kill in the middle of a request comes within so long after it was sent.
const WITHIN_A_REQUEST_MS: u64 = 20;

/// What it needs.
pub(crate) fn needs(config: &Config) -> Vec<Need> {
    vec![Need::models(config)]
}

/// What was promised, by the receipts that were told.
#[derive(Default)]
struct Promises {
    /// Ids of what is to ring.
    rings: BTreeSet<String>,
    /// Things that are on a list.
    items: BTreeSet<String>,
}

impl Promises {
    fn note(&mut self, envelope: &Envelope) {
        let PublicEvent::Action { receipt, .. } = &envelope.event else { return };
        if !receipt.ok {
            return;
        }
        let ids =
            ["timer", "alarm", "reminder"].iter().filter_map(|kind| receipt.detail[kind]["id"].as_str());
        self.rings.extend(ids.map(str::to_owned));
        let items = receipt.detail["items"].as_array().into_iter().flatten();
        self.items.extend(items.filter_map(|item| Some(item.as_str()?.to_owned())));
    }
}

/// One run.
struct Story {
    sentences: Sentences,
    chance: Xorshift,
    promises: Promises,
    /// When no daemon answered, milliseconds since the Unix epoch.
    outages: Vec<(i64, i64)>,
    starts: Samples,
    asked: usize,
    killed_in_a_request: usize,
}

/// Kills it so many times.
///
/// # Errors
/// When a daemon cannot be started or the database cannot be read.
pub(crate) fn run(run: &Run<'_>, count: usize) -> Result<Found, Fault> {
    let folder = TemporaryFolder::make()?;
    let config = run.apart(&folder);
    let mut story = Story {
        sentences: sentences::load()?,
        chance: Xorshift(0x5eed_0005),
        promises: Promises::default(),
        outages: Vec::new(),
        starts: Samples::default(),
        asked: 0,
        killed_in_a_request: 0,
    };
    for round in 0..count {
        (run.progress)(&format!("kill {} of {count}", round + 1));
        let daemon = story.start(&config, &folder)?;
        story.promise(daemon)?;
    }
    let daemon = story.start(&config, &folder)?;
    (run.progress)("the last rings");
    wait_for_rings(&config)?;
    let ended_well = daemon.terminate()?.success();
    let rings = rings(&config)?;
    let items = items(&config)?;
    Ok(story.told(count, ended_well, &rings, &items))
}

impl Story {
    fn start(&mut self, config: &Config, folder: &TemporaryFolder) -> Result<Daemon, Fault> {
        let daemon = Daemon::start(config, folder)?;
        self.starts.push(ms(daemon.started_after));
        if let Some(outage) = self.outages.last_mut() {
            outage.1 = wall_unix_ms();
        }
        Ok(daemon)
    }

    /// Has some things promised, and kills the daemon: in the middle of the last request, or some time after it.
    fn promise(&mut self, daemon: Daemon) -> Result<(), Fault> {
        for _ in 0..self.chance.below(REQUESTS_A_ROUND) {
            let text = self.request();
            let promises = &mut self.promises;
            daemon.ask(&text, "kills", &mut |envelope| promises.note(envelope))?;
        }
        if self.chance.below(2) == 0 {
            std::thread::sleep(Duration::from_millis(self.chance.below(1500)));
            self.outages.push((wall_unix_ms(), i64::MAX));
            daemon.kill();
            return Ok(());
        }
        let (text, after) = (self.request(), Duration::from_millis(self.chance.below(WITHIN_A_REQUEST_MS)));
        let process = daemon.process();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(after);
            let killed_at = wall_unix_ms();
            let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
            // A daemon that has ended by itself shows in the next start.
            let _ =
                process.map(|process| rustix::process::kill_process(process, rustix::process::Signal::KILL));
            killed_at
        });
        let promises = &mut self.promises;
        let answered = daemon.ask(&text, "kills", &mut |envelope| promises.note(envelope));
        self.killed_in_a_request += usize::from(answered.is_err());
        let killed_at = killer.join().map_err(|_| failed("the thread that kills ended"))?;
        self.outages.push((killed_at, i64::MAX));
        daemon.kill();
        Ok(())
    }

    fn request(&mut self) -> String {
        self.asked += 1;
        let (rings, items) = (&self.sentences.rings, &self.sentences.list_items);
        let all = rings.len() + items.len();
        let at = usize::try_from(self.chance.below(all as u64)).unwrap_or_default();
        let sentence = rings.iter().chain(items).nth(at).cloned().unwrap_or_default();
        let (number, seconds) = (self.asked.to_string(), (1 + self.chance.below(LONGEST_S)).to_string());
        fill(&sentence, &[("number", &number), ("seconds", &seconds)])
    }

    fn told(
        &self,
        count: usize,
        ended_well: bool,
        rings: &BTreeMap<String, Vec<(i64, i64)>>,
        items: &BTreeMap<String, usize>,
    ) -> Found {
        let promised = &self.promises;
        let rang = promised.rings.iter().filter(|id| rings.contains_key(*id)).count();
        let again = rings.values().filter(|times| times.len() > 1).count();
        let kept = promised.items.iter().filter(|item| items.contains_key(*item)).count();
        let doubled = items.values().filter(|count| **count > 1).count();
        let mut late = Samples::default();
        rings.values().flatten().for_each(|ring| late.push(self.late_ms(*ring)));
        let rows = vec![
            Row::share("promised timers that rang", rang, promised.rings.len()),
            Row::share("timers that rang more than once", again, rings.len()),
            Row::share("promised list items that are kept", kept, promised.items.len()),
            Row::share("list items that are kept more than once", doubled, items.len()),
            Row::share("clean exits on SIGTERM", usize::from(ended_well), 1),
            Row::values("delay of a ring, less the time without a daemon", "ms", &late),
            Row::values("from process start to first answer", "ms", &self.starts),
        ];
        let note = format!(
            "{count} kills, {} of them before a request was answered; {} requests. A promise is a receipt seen before the \
             kill; a request that was under way may have been carried out, once.",
            self.killed_in_a_request, self.asked
        );
        Found { rows, notes: vec![note], cases: Vec::new() }
    }

    /// How late a ring was, less the time in which no daemon ran.
    fn late_ms(&self, (due, rang): (i64, i64)) -> f64 {
        let down: i64 = self.outages.iter().map(|(from, to)| (rang.min(*to) - due.max(*from)).max(0)).sum();
        (rang - due - down).max(0) as f64
    }
}

/// Waits until nothing is ahead any more.
fn wait_for_rings(config: &Config) -> Result<(), Fault> {
    let begun = Instant::now();
    loop {
        let ahead = storage::open_timers(config)?.all();
        if ahead.iter().all(|timer| timer.state == TimerState::Ringing) {
            return Ok(());
        }
        if begun.elapsed() > RINGS_WITHIN {
            let what: Vec<String> = ahead.into_iter().map(|timer| timer.id.0).collect();
            return Err(failed(format!("not rung after {} s: {}", RINGS_WITHIN.as_secs(), what.join(", "))));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn database(config: &Config) -> Result<Connection, Fault> {
    Connection::open_with_flags(storage::database(config)?, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)
}

/// Every ring that was noted, by the timer: when it was due and when it rang.
fn rings(config: &Config) -> Result<BTreeMap<String, Vec<(i64, i64)>>, Fault> {
    let read = |db: &Connection| {
        let mut statement = db.prepare("SELECT timer, due_unix_ms, rang_unix_ms FROM rings")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        rows.collect::<rusqlite::Result<Vec<(String, (i64, i64))>>>()
    };
    let mut rings: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for (timer, ring) in read(&database(config)?).map_err(failed)? {
        rings.entry(timer).or_default().push(ring);
    }
    Ok(rings)
}

/// How often each thing is on a list.
fn items(config: &Config) -> Result<BTreeMap<String, usize>, Fault> {
    let read = |db: &Connection| {
        let mut statement = db.prepare("SELECT text, count(*) FROM list_items GROUP BY text")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
        rows.collect::<rusqlite::Result<Vec<(String, i64)>>>()
    };
    let rows = read(&database(config)?).map_err(failed)?;
    Ok(rows.into_iter().map(|(text, count)| (text, usize::try_from(count).unwrap_or_default())).collect())
}
