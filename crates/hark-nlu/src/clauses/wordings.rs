//! Other ways to say the words of a clause.

use hark_language::{Lexicon, phrases};

/// The words of a clause that is denied without the denial; `None` where nothing denies it.
pub(super) fn affirmed<'w>(words: &[&'w str], lexicon: &'w Lexicon) -> Option<Vec<&'w str>> {
    let denied = &lexicon.discourse.denied;
    let (at, word) = words.iter().enumerate().find_map(|(at, word)| Some((at, denied.get(word)?)))?;
    let said = (!word.text().is_empty()).then(|| word.text());
    Some([&words[..at], said.as_slice(), &words[at + 1..]].concat())
}

/// Other ways to say a clause: without words that add nothing, and with contractions written out.
pub(super) fn plainer<'w>(words: &[&'w str], lexicon: &'w Lexicon) -> Vec<Vec<&'w str>> {
    let talk = &lexicon.discourse;
    let kept = phrases::without(talk.fillers, words);
    let in_full = |words: &[&'w str]| -> Vec<Vec<&'w str>> {
        let contracted = words.iter().enumerate().find_map(|(at, word)| Some((at, talk.contraction(word)?)));
        let Some((at, (stem, meant))) = contracted else { return Vec::new() };
        meant.iter().map(|meant| [&words[..at], &[stem, *meant], &words[at + 1..]].concat()).collect()
    };
    // "It's been open *longer* than ten minutes": some words add nothing elsewhere only.
    let plain =
        if kept.len() == words.len() { Vec::new() } else { [vec![kept.clone()], in_full(&kept)].concat() };
    let all = [plain, in_full(words), as_heard(&kept, lexicon), as_heard(words, lexicon)].concat();
    // "If *that* is still on" is about "it".
    let pronouns = lexicon.requests.pronouns;
    let of_it = |words: &Vec<&'w str>| {
        let (first, rest) = words.split_first().filter(|(first, _)| pronouns.contains(first))?;
        let it = pronouns.first().filter(|it| *it != first)?;
        // "*That* window's still open" names it.
        let article = lexicon.things.articles.first();
        Some([Some([&[*it], rest].concat()), article.map(|article| [&[*article], rest].concat())])
    };
    let own = words.to_vec();
    let spoken_of = std::iter::once(&own).chain(&all).filter_map(of_it).flatten().flatten().collect();
    [all, spoken_of].concat()
}

/// The words with what sounds like a contraction written out: who only hears it writes a plural, "the garage *doors* been left
/// open".
fn as_heard<'w>(words: &[&'w str], lexicon: &'w Lexicon) -> Vec<Vec<&'w str>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some((stem, meant)) = lexicon.discourse.unmarked_contraction(word) else { continue };
        found.extend(meant.iter().map(|meant| [&words[..at], &[stem, *meant], &words[at + 1..]].concat()));
    }
    found
}
