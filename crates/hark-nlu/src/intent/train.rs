//! Training of the head: encodes every sentence, cross-validates, calibrates the confidence, fits.

use super::data::Data;
use super::encoder::Encoder;
use super::error::IntentError;
use super::examples::Label;
use super::examples::spoken;
use super::head::{About, Class, Head};
use super::logistic::{Model, Rows, dot, soft_max};
use super::report::{Report, Share};
use hark_core::{Category, Fault};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

/// Parts of the cross-validation.
const FOLDS: usize = 3;

/// Steps of a fit at most.
const ROUNDS: usize = 45;

/// Fewer sentences than this that the encoder has not seen calibrate nothing; all are taken then.
const ENOUGH_UNTOUCHED: usize = 60;

/// This share of known sentences lies farther from every class than `near`.
const NEAR_QUANTILE: f32 = 0.05;

/// How much farther than `near` is like nothing known.
const FAR_BEYOND: f32 = 0.15;

/// How much more a sentence out of scope counts: a wrong act is worse than a question back.
const NOTHING_WEIGHT: f32 = 1.5;

/// How far a training is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Sentences turned into numbers.
    Encoding {
        /// So many.
        done: usize,
        /// Of so many.
        of: usize,
    },
    /// Fits made, of the cross-validation and the last one.
    Fitting {
        /// So many.
        done: usize,
        /// Of so many.
        of: usize,
    },
}

/// A trained head with its report.
#[derive(Debug)]
pub struct Training {
    /// The head.
    pub head: Head,
    /// What it came to.
    pub report: Report,
}

/// Hears how a training goes on; it may take its time, and may break the training off.
pub type Told<'a> = &'a mut dyn FnMut(Step) -> ControlFlow<()>;

/// Trains a head.
///
/// # Errors
/// When the encoder fails, there is nothing to learn from, or it was broken off.
pub fn train(encoder: &mut Encoder, data: &Data, told: Told<'_>) -> Result<Training, Fault> {
    let began = Instant::now();
    let table = Table::new(encoder, data, told)?;
    let embedding_s = began.elapsed().as_secs_f32();
    let began = Instant::now();
    let mut report = Report { language: data.language.clone(), samples: data.counts(), ..Report::default() };
    report.classes = table.classes.len();

    let mut found = Folds::default();
    for fold in 0..FOLDS {
        tell(told, Step::Fitting { done: fold, of: FOLDS + 1 })?;
        table.fold(fold, data, &mut found);
    }
    tell(told, Step::Fitting { done: FOLDS, of: FOLDS + 1 })?;
    let heat = found.heat();
    let (near, far) = found.edges();
    let about = About {
        language: data.language.clone(),
        encoder: encoder.id().to_owned(),
        data: data.hash.clone(),
        width: table.width,
        classes: table.classes.clone(),
        heat,
        near,
        far,
        accuracy: 0.0,
    };
    found.judge(&about, data, &mut report);
    let about = About { accuracy: report.untouched.value(), ..about };
    let model = Model::fit(&table.rows(), table.classes.len(), |_| true, ROUNDS);
    let head = Head { about, model, centres: table.centres(|_| true) };
    tell(told, Step::Fitting { done: FOLDS + 1, of: FOLDS + 1 })?;
    report.heat = heat;
    (report.embedding_s, report.fitting_s) = (embedding_s, began.elapsed().as_secs_f32());
    measure(encoder, &head, data, &mut report)?;
    Ok(Training { head, report })
}

fn tell(told: Told<'_>, step: Step) -> Result<(), IntentError> {
    if told(step).is_break() { Err(IntentError::BrokenOff) } else { Ok(()) }
}

/// How many of the sentences nothing is learned from come out right.
fn measure(encoder: &mut Encoder, head: &Head, data: &Data, report: &mut Report) -> Result<(), Fault> {
    let (mut numbers, mut shares) = (Vec::new(), Vec::new());
    for example in &data.held_out {
        encoder.embed(&spoken(&example.text), &mut numbers)?;
        head.shares(&numbers, &mut shares);
        let verdict = head.verdict(&shares);
        report.held_out.count(verdict.category == example.label.category);
        if let Some(intent) = &example.label.intent {
            report.held_out_intent.count(verdict.intents.first().is_some_and(|best| best.0 == *intent));
        }
    }
    Ok(())
}

/// All sentences as numbers, with their classes.
struct Table {
    width: usize,
    numbers: Vec<f32>,
    of: Vec<usize>,
    weights: Vec<f32>,
    classes: Vec<Class>,
    /// Which part of the cross-validation a sentence is in.
    fold: Vec<usize>,
}

impl Table {
    fn new(encoder: &mut Encoder, data: &Data, told: Told<'_>) -> Result<Self, Fault> {
        let mut labels: Vec<&Label> = data.samples.iter().map(|sample| &sample.label).collect();
        labels.sort_unstable();
        labels.dedup();
        if !labels.iter().any(|label| label.category == Category::OutOfScope) || labels.len() < 2 {
            let why = "there must be sentences that are out of scope, and others".to_owned();
            return Err(IntentError::TooLittle(why).into());
        }
        let mut table = Self {
            width: 0,
            numbers: Vec::new(),
            of: Vec::new(),
            weights: Vec::new(),
            fold: Vec::new(),
            classes: labels.iter().map(|label| Class::from((*label).clone())).collect(),
        };
        let mut turn = vec![0; labels.len()];
        let mut numbers = Vec::new();
        for (done, sample) in data.samples.iter().enumerate() {
            if done % 64 == 0 {
                tell(told, Step::Encoding { done, of: data.samples.len() })?;
            }
            encoder.embed(&sample.text, &mut numbers)?;
            table.width = numbers.len();
            table.numbers.extend_from_slice(&numbers);
            // Every label is in the list it was collected from.
            let class = labels.binary_search(&&sample.label).unwrap_or_default();
            table.of.push(class);
            let nothing = sample.label.category == Category::OutOfScope;
            table.weights.push(sample.origin.weight() * if nothing { NOTHING_WEIGHT } else { 1.0 });
            table.fold.push(turn[class] % FOLDS);
            turn[class] += 1;
        }
        tell(told, Step::Encoding { done: data.samples.len(), of: data.samples.len() })?;
        Ok(table)
    }

    fn rows(&self) -> Rows<'_> {
        Rows { numbers: &self.numbers, width: self.width, classes: &self.of, weights: &self.weights }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.width..][..self.width]
    }

    /// Mean of each class over the chosen rows, length 1; zero for out of scope.
    fn centres(&self, chosen: impl Fn(usize) -> bool) -> Vec<f32> {
        let mut centres = vec![0.0_f32; self.classes.len() * self.width];
        for (row, class) in self.of.iter().enumerate().filter(|(row, _)| chosen(*row)) {
            if self.classes[*class].category == Category::OutOfScope {
                continue;
            }
            let centre = &mut centres[class * self.width..][..self.width];
            centre.iter_mut().zip(self.row(row)).for_each(|(sum, number)| *sum += number);
        }
        for centre in centres.chunks_exact_mut(self.width) {
            let length = dot(centre, centre).sqrt();
            if length > 0.0 {
                centre.iter_mut().for_each(|number| *number /= length);
            }
        }
        centres
    }

    /// Fits all parts but one and looks at that one.
    fn fold(&self, fold: usize, data: &Data, found: &mut Folds) {
        let learned = |row: usize| self.fold[row] != fold;
        let model = Model::fit(&self.rows(), self.classes.len(), learned, ROUNDS);
        let centres = self.centres(learned);
        for row in (0..self.of.len()).filter(|row| !learned(*row)) {
            let mut scores = Vec::new();
            model.scores(self.row(row), &mut scores);
            let nearest = centres.chunks_exact(self.width).map(|centre| dot(centre, self.row(row)));
            found.rows.push(Judged {
                row,
                class: self.of[row],
                known: self.classes[self.of[row]].category != Category::OutOfScope,
                untouched: data.samples[row].untouched,
                likeness: nearest.fold(-1.0, f32::max),
                scores,
            });
        }
    }
}

/// A sentence as a head sees it that has not learned it.
struct Judged {
    row: usize,
    class: usize,
    known: bool,
    untouched: bool,
    likeness: f32,
    scores: Vec<f32>,
}

#[derive(Default)]
struct Folds {
    rows: Vec<Judged>,
}

impl Folds {
    /// Sentences the encoder has not seen, when there are enough of them.
    fn honest(&self) -> Vec<&Judged> {
        let untouched: Vec<&Judged> = self.rows.iter().filter(|judged| judged.untouched).collect();
        if untouched.len() < ENOUGH_UNTOUCHED { self.rows.iter().collect() } else { untouched }
    }

    /// The divisor of the scores that makes the right classes least surprising (Guo et al. 2017).
    fn heat(&self) -> f32 {
        let rows = self.honest();
        let surprise = |heat: f32| -> f64 {
            let of = |judged: &&Judged| {
                let mut shares: Vec<f32> = judged.scores.iter().map(|score| score / heat).collect();
                soft_max(&mut shares);
                -f64::from(shares[judged.class].max(1e-30)).ln()
            };
            rows.iter().map(of).sum()
        };
        let heats = (0..60).map(|step| 0.1 * 1.07_f32.powi(step));
        heats.min_by(|a, b| surprise(*a).total_cmp(&surprise(*b))).unwrap_or(1.0)
    }

    /// Likeness from which a sentence is like what is known, and below which it is like nothing.
    fn edges(&self) -> (f32, f32) {
        let rows = self.honest();
        let mut likeness: Vec<f32> =
            rows.iter().filter(|judged| judged.known).map(|judged| judged.likeness).collect();
        likeness.sort_by(f32::total_cmp);
        let at = (likeness.len() as f32 * NEAR_QUANTILE) as usize;
        let near = likeness.get(at).copied().unwrap_or(0.0);
        (near, near - FAR_BEYOND)
    }

    /// Counts what comes out right.
    fn judge(&self, about: &About, data: &Data, report: &mut Report) {
        let head = Head {
            about: about.clone(),
            model: Model { width: 0, weights: Vec::new() },
            centres: Vec::new(),
        };
        let mut by_category: BTreeMap<Category, Share> = BTreeMap::new();
        for judged in &self.rows {
            let mut shares: Vec<f32> = judged.scores.iter().map(|score| score / about.heat).collect();
            soft_max(&mut shares);
            head.bound(&mut shares, judged.likeness);
            let verdict = head.verdict(&shares);
            let label = &data.samples[judged.row].label;
            let right = verdict.category == label.category;
            by_category.entry(label.category).or_default().count(right);
            report.category.count(right);
            if judged.untouched {
                report.untouched.count(right);
            }
            if let Some(intent) = &label.intent {
                report.intent.count(verdict.intents.first().is_some_and(|best| best.0 == *intent));
            }
        }
        report.by_category = by_category;
    }
}
