//! Comparing a voice with those that are known. Where the likelihoods come from: `hark eval speakers`, and
//! `models/speaker/README.md`.

use hark_core::SpeakerGuess;
use hark_core::speaker::{EnrolledSpeaker, VoiceSample, is_same_name};

/// Similarity at which a voice is as likely the person's as another's, by how many utterances were enrolled: of more
/// utterances more alike are a person's and a stranger's to their mean.
const EVEN: [f32; 4] = [0.42, 0.47, 0.50, 0.53];
/// Logits of one unit of similarity.
const STEEPNESS: f32 = 20.0;
/// Two people whose voices are this close to one that is heard are not told apart.
const APART: f32 = 0.15;

/// Cosine of the angle between two embeddings of length 1.
pub fn similarity(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// How likely a voice of this similarity to the mean of so many utterances is the same person's, when it is as likely as
/// not to be theirs.
pub fn likelihood_of(similarity: f32, samples: usize) -> f32 {
    let even = EVEN[samples.clamp(1, EVEN.len()) - 1];
    1.0 / (1.0 + (-STEEPNESS * (similarity - even)).exp())
}

/// Everybody with the mean of their samples (length 1), in the order of their first ones; names are told apart without
/// regard to case.
pub fn profiles(samples: &[VoiceSample]) -> Vec<(EnrolledSpeaker, Vec<f32>)> {
    let mut people: Vec<(EnrolledSpeaker, Vec<f32>)> = Vec::new();
    for sample in samples {
        match people.iter_mut().find(|(person, _)| is_same_name(&person.name, &sample.name)) {
            Some((person, sum)) => {
                person.samples += 1;
                person.told_unix_ms = person.told_unix_ms.max(sample.told_unix_ms);
                sum.iter_mut().zip(&sample.embedding).for_each(|(sum, number)| *sum += number);
            }
            None => {
                let (name, told_unix_ms) = (sample.name.clone(), sample.told_unix_ms);
                people.push((EnrolledSpeaker { name, samples: 1, told_unix_ms }, sample.embedding.clone()));
            }
        }
    }
    for (_, mean) in &mut people {
        let length = similarity(mean, mean).sqrt().max(f32::MIN_POSITIVE);
        mean.iter_mut().for_each(|number| *number /= length);
    }
    people
}

/// The person whose voice is nearest, with how likely it is theirs; `None` where nobody's is known.
pub fn nearest(embedding: &[f32], samples: &[VoiceSample]) -> Option<SpeakerGuess> {
    let guesses = profiles(samples).into_iter().map(|(person, mean)| SpeakerGuess {
        likelihood: likelihood_of(similarity(embedding, &mean), person.samples),
        name: person.name,
    });
    guesses.max_by(|one, other| one.likelihood.total_cmp(&other.likelihood))
}

/// Whose voice it is, if that is at least `min_likelihood` likely and nobody else's is as close.
pub fn who(embedding: &[f32], samples: &[VoiceSample], min_likelihood: f32) -> Option<SpeakerGuess> {
    let people = profiles(samples);
    let mut close: Vec<(f32, &EnrolledSpeaker)> =
        people.iter().map(|(person, mean)| (similarity(embedding, mean), person)).collect();
    close.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let (best, person) = close.first()?;
    let is_alone = close.get(1).is_none_or(|(second, _)| best - second >= APART);
    let likelihood = likelihood_of(*best, person.samples);
    (is_alone && likelihood >= min_likelihood).then(|| SpeakerGuess { name: person.name.clone(), likelihood })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str, embedding: [f32; 3]) -> VoiceSample {
        VoiceSample { name: name.into(), embedding: embedding.to_vec(), told_unix_ms: 5 }
    }

    #[test]
    fn the_nearest_person_is_named_when_near_enough() {
        let known = [
            sample("Anna", [1.0, 0.0, 0.0]),
            sample("Ben", [0.0, 1.0, 0.0]),
            sample("anna", [0.8, 0.0, 0.6]),
        ];
        let named = |voice: [f32; 3], least| who(&voice, &known, least).map(|guess| guess.name);
        assert_eq!(named([0.95, 0.1, 0.3], 0.9).as_deref(), Some("Anna"));
        assert_eq!(named([0.0, 0.97, 0.2], 0.9).as_deref(), Some("Ben"));
        assert_eq!(named([0.0, 0.3, -0.95], 0.9), None, "a stranger");
        assert_eq!(named([0.69, 0.69, 0.2], 0.5), None, "as near to one as to the other");
        assert!(who(&[1.0, 0.0, 0.0], &[], 0.5).is_none() && nearest(&[1.0, 0.0, 0.0], &[]).is_none());
        let near = nearest(&[0.69, 0.69, 0.2], &known).unwrap();
        assert!(near.likelihood > 0.9, "near to two is near: {near:?}");
    }

    #[test]
    fn samples_of_a_person_are_one_profile_of_length_1() {
        let people = profiles(&[sample("Anna", [1.0, 0.0, 0.0]), sample("ANNA", [0.0, 1.0, 0.0])]);
        assert_eq!(people.len(), 1);
        assert_eq!((people[0].0.name.as_str(), people[0].0.samples), ("Anna", 2));
        assert!((similarity(&people[0].1, &people[0].1) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn likelihood_grows_with_similarity_and_asks_for_more_of_a_better_profile() {
        assert!(likelihood_of(0.3, 1) < 0.1 && likelihood_of(0.6, 1) > 0.95);
        assert!(likelihood_of(0.55, 5) < likelihood_of(0.55, 1));
        assert_eq!(likelihood_of(0.5, 0), likelihood_of(0.5, 1));
    }
}
