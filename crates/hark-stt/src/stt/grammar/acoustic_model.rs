//! The acoustic model (Gaussian mixtures by senone), read from PocketSphinx's files.
//!
//! PocketSphinx keeps its scores to itself, and they are relative to what it searches. Rescoring needs scores that can be
//! compared, so the model is read once more: the phonetically tied mixtures of `en-us` (one codebook of Gaussians for each
//! phone and stream; the states of its triphones, "senones", differ in the weights). File formats: SphinxBase `s3file`,
//! PocketSphinx `bin_mdef.h` (binary model definition, version 1) and `ptm_mgau.c` (`sendump`).

use super::cepstra::CEPSTRA;
use super::error::GrammarError;
use memmap2::Mmap;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Streams of a feature: cepstra, their slope, and the slope's slope.
pub(super) const STREAMS: usize = 3;
/// States of a phone.
pub(super) const STATES: usize = 3;
/// Nepers a step of a quantised weight: 1024 × ln 1.0001.
const NEPERS_PER_STEP: f32 = 0.102_395;
/// Least variance and transition probability, as PocketSphinx has them.
const MIN_VARIANCE: f32 = 1e-4;
const MIN_TRANSITION: f32 = 1e-4;

/// Number of a base phone.
pub(super) type Phone = u8;
/// Numbers of the senones of a phone's states.
pub(super) type Senones = [u16; STATES];

/// Where in a word a phone stands; the model definition's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Inside = 0,
    Begin = 1,
    End = 2,
    Alone = 3,
}

/// A Gaussian with the constant part of its log density.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaussian {
    pub(super) mean: [f32; CEPSTRA],
    /// One over twice the variance.
    pub(super) precision: [f32; CEPSTRA],
    pub(super) peak: f32,
}

/// Probabilities of a state: staying and going on, natural logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Transitions {
    pub(super) stay: f32,
    pub(super) go: f32,
}

/// All of it.
pub(super) struct AcousticModel {
    phones: HashMap<String, Phone>,
    /// Base phone, position, left and right neighbour → senones; sorted.
    triphones: Vec<(u32, Senones)>,
    base: Vec<Senones>,
    /// Gaussians by phone, stream and density.
    gaussians: Vec<Gaussian>,
    /// Densities of a codebook.
    pub(super) densities: usize,
    /// Quantised log weights by stream, density and senone, from `weights_from` on to the end of `sendump`: they take
    /// no memory before they are used.
    sendump: Mmap,
    weights_from: usize,
    senones: usize,
    transitions: Vec<[Transitions; STATES]>,
    /// The phone that is silence.
    pub(super) silence: Phone,
}

impl AcousticModel {
    /// Reads `mdef`, `means`, `variances`, `sendump` and `transition_matrices` of a folder; some
    /// hundredths of a second.
    ///
    /// # Errors
    /// When a file is missing or is not of the kind described above.
    pub(super) fn load(folder: &Path) -> Result<Self, GrammarError> {
        let refused = |what: &'static str| move || GrammarError::Refused { what, folder: folder.to_owned() };
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|source| GrammarError::File { path, source })
        };
        let definition = Definition::parse(&read("mdef")?).ok_or_else(refused("the model definition"))?;
        let phones = definition.base.len();
        let means = parameters(&read("means")?).ok_or_else(refused("the means"))?;
        let variances = parameters(&read("variances")?).ok_or_else(refused("the variances"))?;
        let densities = means.len() / (phones * STREAMS * CEPSTRA).max(1);
        if densities == 0
            || means.len() != variances.len()
            || means.len() != densities * phones * STREAMS * CEPSTRA
        {
            return Err(refused("the means (one codebook a phone is wanted)")());
        }
        let gaussians = means
            .as_chunks()
            .0
            .iter()
            .zip(variances.as_chunks().0)
            .map(|(mean, variance)| Gaussian::new(mean, variance))
            .collect();
        let sendump = map(folder.join("sendump"))?;
        let weights_from = mixture_weights(&sendump, densities, definition.senones)
            .ok_or_else(refused("the mixture weights"))?;
        let transitions = parameters(&read("transition_matrices")?).ok_or_else(refused("the transitions"))?;
        let transitions: Vec<_> =
            transitions.chunks_exact(STATES * (STATES + 1)).map(parse_transitions).collect();
        if transitions.len() != phones {
            return Err(refused("the transitions")());
        }
        let Definition { names, base, triphones, senones, silence } = definition;
        Ok(Self {
            phones: names,
            triphones,
            base,
            gaussians,
            densities,
            sendump,
            weights_from,
            senones,
            transitions,
            silence,
        })
    }

    /// How many base phones there are.
    pub(super) fn phone_count(&self) -> usize {
        self.base.len()
    }

    /// How many senones there are.
    pub(super) fn senone_count(&self) -> usize {
        self.senones
    }

    /// Number of a phone by its name, `AA` …
    pub(super) fn phone(&self, name: &str) -> Option<Phone> {
        self.phones.get(name).copied()
    }

    /// Senones of a phone whatever stands beside it.
    pub(super) fn base(&self, phone: Phone) -> Senones {
        self.base[phone as usize]
    }

    /// Senones of a phone between two others; of the phone alone when it never stood there.
    pub(super) fn triphone(&self, phone: Phone, position: Position, left: Phone, right: Phone) -> Senones {
        let mut places = vec![position];
        places.extend(
            [Position::Inside, Position::Begin, Position::End, Position::Alone]
                .into_iter()
                .filter(|other| *other != position),
        );
        for place in places {
            let key = triphone_key(phone, place as u8, left, right);
            if let Ok(found) = self.triphones.binary_search_by_key(&key, |(key, _)| *key) {
                return self.triphones[found].1;
            }
        }
        self.base(phone)
    }

    /// Gaussians of a phone in a stream.
    pub(super) fn codebook(&self, phone: Phone, stream: usize) -> &[Gaussian] {
        let first = (phone as usize * STREAMS + stream) * self.densities;
        &self.gaussians[first..first + self.densities]
    }

    /// Log weight of a density in a senone.
    pub(super) fn weight(&self, stream: usize, density: u8, senone: u16) -> f32 {
        let row = stream * self.densities + density as usize;
        -f32::from(self.sendump[self.weights_from + row * self.senones + senone as usize]) * NEPERS_PER_STEP
    }

    /// Step probabilities of a phone's states.
    pub(super) fn transitions(&self, phone: Phone) -> &[Transitions; STATES] {
        &self.transitions[phone as usize]
    }
}

impl Gaussian {
    pub(super) fn new(mean: &[f32; CEPSTRA], variance: &[f32; CEPSTRA]) -> Self {
        let variance = variance.map(|variance| variance.max(MIN_VARIANCE));
        let peak = variance.iter().map(|variance| -0.5 * (std::f32::consts::TAU * variance).ln()).sum();
        Self { mean: *mean, precision: variance.map(|variance| 0.5 / variance), peak }
    }
}

/// Rows of a transition matrix of counts: `STATES` rows with one column more.
fn parse_transitions(counts: &[f32]) -> [Transitions; STATES] {
    std::array::from_fn(|state| {
        let row = &counts[state * (STATES + 1)..(state + 1) * (STATES + 1)];
        let total = row.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let log = |count: f32| (count / total).max(MIN_TRANSITION).ln();
        Transitions { stay: log(row[state]), go: log(row[state + 1]) }
    })
}

fn triphone_key(phone: Phone, position: u8, left: Phone, right: Phone) -> u32 {
    u32::from_be_bytes([position, phone, left, right])
}

/// Little-endian numbers, one after the other.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn int(&mut self) -> Option<i32> {
        Some(i32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.int()?).ok()
    }
}

/// Numbers of an `s3` file: a text header up to `endhdr`, a byte-order mark, sizes of which the last is
/// the count of numbers, and the numbers.
fn parameters(file: &[u8]) -> Option<Vec<f32>> {
    const END: &[u8] = b"endhdr\n";
    const ORDER: i32 = 0x1122_3344;
    let header = file.windows(END.len()).position(|window| window == END)?;
    let mut bytes = Bytes(&file[header + END.len()..]);
    if bytes.int()? != ORDER {
        return None;
    }
    // The sizes are few and their number differs by kind: the right one tells the length of the rest.
    for _ in 0..16 {
        let count = bytes.size()?;
        let rest = bytes.0.len();
        if count > 16 && (rest == count * 4 || rest == count * 4 + 4) {
            let numbers = bytes.take(count * 4)?.chunks_exact(4);
            return Some(
                numbers.map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect(),
            );
        }
    }
    None
}

/// Where the quantised weights begin: after strings with their lengths up to a length of zero, rows and columns.
fn mixture_weights(file: &[u8], densities: usize, senones: usize) -> Option<usize> {
    let mut bytes = Bytes(file);
    loop {
        let length = bytes.size()?;
        if length == 0 {
            break;
        }
        bytes.take(length)?;
    }
    let (rows, columns) = (bytes.size()?, bytes.size()?);
    if rows != densities || columns != senones {
        return None;
    }
    let weights = bytes.take(STREAMS * rows * columns)?;
    bytes.0.is_empty().then_some(file.len() - weights.len())
}

fn map(path: PathBuf) -> Result<Mmap, GrammarError> {
    // SAFETY: it belongs to a package, whose manager puts new files in the place of old ones and does not write into
    // them.
    let mapped = fs::File::open(&path).and_then(|file| unsafe { Mmap::map(&file) });
    mapped.map_err(|source| GrammarError::File { path, source })
}

/// What `mdef` says.
struct Definition {
    names: HashMap<String, Phone>,
    base: Vec<Senones>,
    triphones: Vec<(u32, Senones)>,
    senones: usize,
    silence: Phone,
}

impl Definition {
    fn parse(file: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(file);
        if bytes.take(4)? != b"BMDF" || bytes.int()? != 1 {
            return None;
        }
        let text = bytes.size()?;
        bytes.take(text)?;
        let mut sizes = [0usize; 10];
        for size in &mut sizes {
            *size = bytes.size()?;
        }
        let [base_phones, phones, states, _, senones, _, sequences, _, tree, silence] = sizes;
        if states != STATES || base_phones > usize::from(Phone::MAX) || silence >= base_phones {
            return None;
        }
        let before = bytes.0.len();
        let mut names = HashMap::new();
        for phone in 0..base_phones {
            let length = bytes.0.iter().position(|byte| *byte == 0)?;
            let name = String::from_utf8_lossy(bytes.take(length + 1)?.get(..length)?).into_owned();
            names.insert(name, phone as Phone);
        }
        bytes.take((4 - (before - bytes.0.len()) % 4) % 4)?;
        bytes.take(tree.checked_mul(8)?)?;
        let table = bytes.take(phones.checked_mul(12)?)?;
        if bytes.size()? != sequences * STATES {
            return None;
        }
        let numbers = bytes.take(sequences * STATES * 2)?;
        let sequences: Vec<Senones> = numbers
            .chunks_exact(2 * STATES)
            .map(|six| std::array::from_fn(|state| u16::from_le_bytes([six[2 * state], six[2 * state + 1]])))
            .collect();
        if sequences.iter().flatten().any(|senone| usize::from(*senone) >= senones) {
            return None;
        }
        let mut base = Vec::with_capacity(base_phones);
        let mut triphones = Vec::with_capacity(phones);
        for (number, entry) in table.chunks_exact(12).enumerate() {
            let mut entry = Bytes(entry);
            let found = *sequences.get(entry.size()?)?;
            entry.int()?;
            match (number < base_phones, entry.0) {
                (true, _) => base.push(found),
                (false, &[position, phone, left, right]) => {
                    triphones.push((triphone_key(phone, position, left, right), found));
                }
                _ => return None,
            }
        }
        triphones.sort_unstable();
        Some(Self { names, base, triphones, senones, silence: silence as Phone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = "/usr/share/pocketsphinx/model/en-us/en-us";

    #[test]
    fn the_english_model_is_read_whole() {
        let model = AcousticModel::load(Path::new(FOLDER)).unwrap();
        assert_eq!((model.phone_count(), model.densities, model.senone_count()), (42, 128, 5126));
        assert_eq!(model.phone("SIL"), Some(model.silence));
        let [t, er, n] = ["T", "ER", "N"].map(|name| model.phone(name).unwrap());
        let inside = model.triphone(er, Position::Inside, t, n);
        assert_ne!(inside, model.base(er), "a common triphone has senones of its own");
        assert_ne!(inside, model.triphone(er, Position::Inside, n, t));
        for steps in model.transitions(t) {
            assert!(steps.stay < 0.0 && steps.go < 0.0 && steps.stay.exp() + steps.go.exp() < 1.001);
        }
        let weights = |senone| (0..128).map(|density| model.weight(0, density, senone).exp()).sum::<f32>();
        assert!((0.8..1.2).contains(&weights(inside[1])), "{}", weights(inside[1]));
    }

    #[test]
    fn a_broken_file_is_refused_and_a_missing_one_named() {
        assert!(Definition::parse(b"BMDF\x01\0\0\0\xff\xff\xff\x7f").is_none());
        assert!(parameters(b"s3\nendhdr\n\x44\x33\x22\x11").is_none());
        assert!(parameters(b"no header").is_none());
        assert!(mixture_weights(b"\0\0\0\0\x01\0\0\0", 1, 1).is_none());
        let error = AcousticModel::load(Path::new("/nowhere")).err().unwrap();
        assert!(error.to_string().contains("/nowhere/mdef"), "{error}");
    }
}
