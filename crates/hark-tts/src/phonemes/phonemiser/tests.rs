//! The real lexicon, tagger and network.

use super::*;
use hark_core::FaultKind;
use proptest::prelude::*;

const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache");

fn files() -> PhonemiserFiles {
    let file = |name: &str| Path::new(CACHE).join(name);
    PhonemiserFiles {
        common_words: file("hibari_words_us.json.gz"),
        rare_words: file("hibari_rare_words_us.json.gz"),
        tagger: file("hibari_tagger.json.gz"),
        unknown_words: file("hibari_unknown_us.onnx"),
        unknown_words_letters: file("hibari_unknown_us.json"),
        british: false,
    }
}

fn runtime() -> OnnxRuntime {
    OnnxRuntime::load(&Path::new(CACHE).join("libonnxruntime.so")).unwrap()
}

/// One for all tests of the process.
pub(crate) fn phonemiser() -> Arc<Phonemiser> {
    static KEPT: std::sync::OnceLock<Arc<Phonemiser>> = std::sync::OnceLock::new();
    KEPT.get_or_init(|| Phonemiser::open(runtime(), files()).unwrap()).clone()
}

fn phonemes(text: &str) -> String {
    phonemiser().phonemes(text, str::to_owned)
}

#[test]
fn replies_are_said_as_people_say_them() {
    for (text, said) in [
        ("The kitchen light is on, okay?", "ðə kˈɪʧᵊn lˈIt ɪz ˌɔn, ˌOkˈA?"),
        ("I turned on the lights.", "ˌI tˈɜɹnd ˌɔn ðə lˈIts."),
        ("It's twenty past ten.", "ˌɪts twˈɛnti pˈæst tˈɛn."),
        ("Anna’s lamps, the boys' room", "ˈænəz lˈæmps, ðə bˈYz ɹˈum"),
        ("", ""),
        (" … ?!", ""),
    ] {
        assert_eq!(phonemes(text), said, "{text}");
    }
}

#[test]
fn small_words_go_by_what_follows() {
    for (text, said) in [
        ("the apple", "ði ˈæpᵊl"),
        ("the lamp", "ðə lˈæmp"),
        ("to Anna", "tʊ ˈænə"),
        ("to Bob", "tə bˈɑb"),
        ("what for", "wˌʌt fɔɹ"),
        ("seven a m", "sˈɛvən ˌA ˈɛm"),
        ("come in.", "kˈʌm ˈɪn."),
        ("in Berlin", "ɪn bəɹlˈɪn"),
        ("we can", "wi kˈæn"),
    ] {
        assert_eq!(phonemes(text), said, "{text}");
    }
}

#[test]
fn a_word_goes_by_its_part_of_speech() {
    for (text, word, said) in [
        ("They live in Berlin.", 1, "lˈɪv"),
        ("The live stream", 1, "lˈIv"),
        ("I'll record the show.", 1, "ɹəkˈɔɹd"),
        ("The record is broken.", 1, "ɹˈɛkəɹd"),
        ("Please close the window.", 1, "klˈOz"),
        ("The window is close to the door.", 3, "klˈOs"),
        ("There is no use.", 3, "jˈus."),
        ("Shall I read the list?", 2, "ɹˈid"),
        ("It was read aloud.", 2, "ɹˈɛd"),
        ("I used to sing.", 1, "jˈust"),
        ("I used the lamp.", 1, "jˈuzd"),
    ] {
        assert_eq!(phonemes(text).split(' ').nth(word), Some(said), "{text}");
    }
}

#[test]
fn words_of_no_lexicon_are_said_too() {
    for (text, said) in [
        ("TV", "tˌivˈi"),
        ("BBC's", "bˌibˌisˈiz"),
        ("TVs", "tˌivˈiz"),
        ("tv", "tˌivˈi"),
        ("LEDs", "ˌɛlˌidˈiz"),
        ("it", "ɪt"),
        ("kWh", "kˌAdˌʌbᵊljuˈAʧ"),
        ("WiFi", "wˈIfˌI"),
        ("left-hand", "lˈɛfthˌænd"),
        ("ESPHome", "ˌiˌɛspˈihˌOm"),
        ("MP3", "ˌɛmpˈi θɹˈi"),
        ("Zigbee", "zˈɪɡbi"),
        ("Zigbee's", "zˈɪɡbiz"),
        ("Málaga", "mˈɑləɡə"),
        ("you're", "jʊɹ"),
        ("Anna'll", "ˈɑnəəl"),
        ("你好", ""),
    ] {
        assert_eq!(phonemes(text), said, "{text}");
    }
}

#[test]
fn names_in_phonemes_stand_among_the_words() {
    let text = "the \u{e000}Nguyen\u{e001}wɪn\u{e002} lamp and the \u{e000}Id\u{e001}iːd\u{e002}";
    assert_eq!(phonemes(text), "ðə wɪn lˈæmp ænd ði iːd");
}

#[test]
fn the_recogniser_gets_phonemes_of_words() {
    assert_eq!(phonemiser().ipa("kitchen", "en").unwrap(), "kˈɪtʃən");
    assert_eq!(phonemiser().ipa("Küche", "de").unwrap_err().kind, FaultKind::BadInput);
}

#[test]
fn whoever_asks_for_the_same_shares_it() {
    // Other tests open others meanwhile.
    let open = || Phonemiser::open(runtime(), files()).unwrap();
    assert!((0..20).any(|_| Arc::ptr_eq(&open(), &open())));
}

#[test]
fn files_of_another_kind_are_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.json");
    for text in ["", "[]", "{}", r#"{"b": "b", "a": "a"}"#, r#"{"a": 1}"#, r#"{"vocab": [1]}"#] {
        std::fs::write(&path, text).unwrap();
        for files in [
            PhonemiserFiles { common_words: path.clone(), ..files() },
            PhonemiserFiles { tagger: path.clone(), ..files() },
            PhonemiserFiles { unknown_words_letters: path.clone(), ..files() },
            PhonemiserFiles { rare_words: folder.path().join("other.json.gz"), ..files() },
        ] {
            let fault = Phonemiser::open(runtime(), files).unwrap_err();
            assert_eq!(fault.kind, FaultKind::MissingPart);
            assert!(fault.message.contains("other.json"), "{fault}");
        }
    }
}

#[test]
fn a_network_that_is_missing_costs_only_its_words() {
    let files = PhonemiserFiles { unknown_words: "none".into(), ..files() };
    let phonemiser = Phonemiser::open(runtime(), files).unwrap();
    assert_eq!(phonemiser.phonemes("the zigbee", str::to_owned), "ðə zˌiˌIʤˌibˌiˌiˈi");
}

#[test]
fn no_text_takes_long() {
    let unknown: String = (0..250).map(|n| format!("{}{} ", char::from(b'a' + n % 26), n)).collect();
    for text in
        [&unknown[..1000], &"xq".repeat(500), &"A-b.".repeat(250), &"a'".repeat(500), &"0".repeat(1000)]
    {
        let start = std::time::Instant::now();
        phonemes(text);
        assert!(start.elapsed().as_secs() < 5, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_text_becomes_letters(text in "\\PC{0,80}|[a-zA-Z'’.,!? -]{0,80}|(\\w{1,4}['-]?){0,20}") {
        let said = phonemes(&text);
        prop_assert!(!said.contains(['\t', '=', '0', '\u{e000}']), "{said}");
    }
}
