//! From espeak-ng's IPA to the 39 phones of the CMU dictionary.
//!
//! The longest symbol that matches is taken at each place; stress, length, syllable and tie marks say
//! nothing the phone set could hold. Sounds English does not have go to their nearest neighbour.

/// IPA symbols and the phones they become, in no order; the longest match wins.
#[rustfmt::skip]
const TABLE: &[(&str, &[&str])] = &[
    // Diphthongs and r-coloured vowels.
    ("aɪ", &["AY"]), ("aʊ", &["AW"]), ("eɪ", &["EY"]), ("ɔɪ", &["OY"]), ("oʊ", &["OW"]), ("əʊ", &["OW"]),
    ("aɪə", &["AY", "AH"]), ("aɪɚ", &["AY", "ER"]), ("aʊə", &["AW", "AH"]), ("aʊɚ", &["AW", "ER"]),
    ("ɔːɹ", &["AO", "R"]), ("oːɹ", &["AO", "R"]), ("oɹ", &["AO", "R"]), ("ɔɹ", &["AO", "R"]),
    ("ɑːɹ", &["AA", "R"]), ("ɑɹ", &["AA", "R"]), ("ɛɹ", &["EH", "R"]), ("eə", &["EH", "R"]),
    ("ɪɹ", &["IH", "R"]), ("iɹ", &["IH", "R"]), ("ɪə", &["IH", "R"]), ("iə", &["IY", "AH"]),
    ("ʊɹ", &["UH", "R"]), ("ʊə", &["UH", "R"]), ("uɹ", &["UH", "R"]),
    ("ɜː", &["ER"]), ("ɜːɹ", &["ER"]), ("ɜ", &["ER"]), ("ɝ", &["ER"]), ("ɚ", &["ER"]), ("ɚɹ", &["ER"]),
    ("əɹ", &["ER"]), ("əl", &["AH", "L"]), ("ən", &["AH", "N"]), ("əm", &["AH", "M"]),
    // Vowels.
    ("iː", &["IY"]), ("i", &["IY"]), ("ɪ", &["IH"]), ("ᵻ", &["IH"]), ("ɨ", &["IH"]), ("y", &["IY"]),
    ("ʏ", &["IH"]), ("e", &["EH"]), ("eː", &["EY"]), ("ɛ", &["EH"]), ("ɛː", &["EH"]), ("ø", &["ER"]),
    ("øː", &["ER"]), ("œ", &["ER"]), ("æ", &["AE"]), ("a", &["AA"]), ("aː", &["AA"]), ("ä", &["AA"]),
    ("ɑ", &["AA"]), ("ɑː", &["AA"]), ("ɒ", &["AA"]), ("ɐ", &["AH"]), ("ʌ", &["AH"]), ("ə", &["AH"]),
    ("ɔ", &["AO"]), ("ɔː", &["AO"]), ("o", &["OW"]), ("oː", &["OW"]), ("ʊ", &["UH"]), ("u", &["UW"]),
    ("uː", &["UW"]), ("ʉ", &["UW"]), ("ɯ", &["UW"]),
    // Affricates and consonants.
    ("tʃ", &["CH"]), ("dʒ", &["JH"]), ("ts", &["T", "S"]), ("dz", &["D", "Z"]), ("pf", &["P", "F"]),
    ("p", &["P"]), ("b", &["B"]), ("t", &["T"]), ("d", &["D"]), ("k", &["K"]), ("g", &["G"]), ("ɡ", &["G"]),
    ("q", &["K"]), ("c", &["K"]), ("ʔ", &[]), ("ɾ", &["D"]), ("f", &["F"]), ("v", &["V"]), ("θ", &["TH"]),
    ("ð", &["DH"]), ("s", &["S"]), ("z", &["Z"]), ("ʃ", &["SH"]), ("ʒ", &["ZH"]), ("ɕ", &["SH"]),
    ("ʑ", &["ZH"]), ("ç", &["HH"]), ("x", &["K"]), ("ɣ", &["G"]), ("h", &["HH"]), ("ɦ", &["HH"]),
    ("m", &["M"]), ("n", &["N"]), ("ŋ", &["NG"]), ("ɲ", &["N", "Y"]), ("l", &["L"]), ("ɫ", &["L"]),
    ("ɬ", &["L"]), ("ʎ", &["L", "Y"]), ("r", &["R"]), ("ɹ", &["R"]), ("ʁ", &["R"]), ("ʀ", &["R"]),
    ("ɻ", &["R"]), ("j", &["Y"]), ("w", &["W"]), ("ʍ", &["W"]), ("ɥ", &["W"]), ("β", &["V"]), ("ɸ", &["F"]),
    // Syllabic consonants.
    ("n̩", &["AH", "N"]), ("l̩", &["AH", "L"]), ("m̩", &["AH", "M"]), ("ɹ̩", &["ER"]),
];

/// Marks without a phone: stress, tie bars, syllable breaks, nasality, length left over, spaces.
const SILENT: &[char] =
    &['ˈ', 'ˌ', '\'', ',', '.', '-', '_', '|', '‿', '͡', '͜', '̃', '̩', 'ː', 'ˑ', 'ʲ', 'ʰ', '̪', ' '];

/// Marks that may stand inside a symbol of the table and would hide it.
const INSIDE: &[char] = &['ˈ', 'ˌ', '͡', '͜'];

/// The phones of an IPA transcription, `None` when it has none or has an unknown symbol.
pub(super) fn from_ipa(ipa: &str) -> Option<Vec<&'static str>> {
    let text: Vec<char> = ipa.trim().chars().filter(|sign| !INSIDE.contains(sign)).collect();
    let mut phones = Vec::new();
    let mut place = 0;
    while place < text.len() {
        let longest = TABLE
            .iter()
            .filter(|(symbol, _)| starts_with(&text[place..], symbol))
            .max_by_key(|(symbol, _)| symbol.chars().count());
        match longest {
            Some((symbol, becomes)) => {
                phones.extend_from_slice(becomes);
                place += symbol.chars().count();
            }
            None if SILENT.contains(&text[place]) => place += 1,
            None => return None,
        }
    }
    if phones.is_empty() { None } else { Some(phones) }
}

fn starts_with(text: &[char], symbol: &str) -> bool {
    let mut rest = text.iter();
    symbol.chars().all(|sign| rest.next() == Some(&sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phones(ipa: &str) -> String {
        from_ipa(ipa).map(|phones| phones.join(" ")).unwrap_or_default()
    }

    #[test]
    fn english_words_become_what_the_dictionary_has() {
        let cases = [
            ("kˈɪtʃən", "K IH CH AH N"),
            ("lˈæmp", "L AE M P"),
            ("bˈeɪsmənt", "B EY S M AH N T"),
            ("fˈaɪɚpleɪs", "F AY ER P L EY S"),
            ("ɡɚɹˈɑːʒ", "G ER AA ZH"),
            ("nˈɜːsɚɹi", "N ER S ER IY"),
            ("ˈɔːfɪs", "AO F IH S"),
            ("fˈoːɹ", "F AO R"),
            ("dˈoːɹ", "D AO R"),
            ("hˈɑːɹk", "HH AA R K"),
            ("ʃˈeɹ", "SH EH R"),
            ("dʒˈɑːɹvɪs", "JH AA R V IH S"),
            ("θˈɜːtiːn", "TH ER T IY N"),
            ("wˈɔːɾɚ", "W AO D ER"),
            ("bˈɔɪlɚ", "B OY L ER"),
            ("hˈaʊs", "HH AW S"),
            ("tˈoʊni", "T OW N IY"),
            ("sˈɪŋkɪŋ", "S IH NG K IH NG"),
            ("mjˈuːzɪk", "M Y UW Z IH K"),
            ("ˈæpəl", "AE P AH L"),
            ("bˈʌʔn̩", "B AH AH N"),
            ("ðə", "DH AH"),
            ("ɹˈuːtᵻd", "R UW T IH D"),
        ];
        for (ipa, expected) in cases {
            assert_eq!(phones(ipa), expected, "{ipa}");
        }
    }

    #[test]
    fn foreign_sounds_go_to_a_neighbour() {
        assert_eq!(phones("kˈyːçə"), "K IY HH AH");
        assert_eq!(phones("bˈaxstʁaːsə"), "B AA K S T R AA S AH");
        assert_eq!(phones("t͡sˈɪmɐ"), "T S IH M AH");
    }

    #[test]
    fn what_has_no_sound_or_an_unknown_sign_has_no_phones() {
        assert_eq!(from_ipa(""), None);
        assert_eq!(from_ipa("ˈ"), None);
        assert_eq!(from_ipa("k§"), None);
    }

    #[test]
    fn every_phone_is_one_of_the_39() {
        let known = "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH \
                     UW V W Y Z ZH";
        let known: Vec<&str> = known.split(' ').collect();
        assert_eq!(known.len(), 39);
        for (symbol, becomes) in TABLE {
            assert!(becomes.iter().all(|phone| known.contains(phone)), "{symbol}");
        }
    }
}
