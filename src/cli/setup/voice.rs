//! The language of the household, and the voice that speaks it.

use super::dialogue::Answer;
use super::sound::quietly;
use super::{Setup, has_texts};
use crate::app::audio::voices;
use crate::cli::standalone::say;
use hark_config::speaking::Speaking;

/// Asks which language is spoken, and goes on in it.
pub(super) fn language(setup: &mut Setup) -> Answer<String> {
    let languages = hark_language::all();
    let shown = |code: &str, name: &str| match name {
        "" => code.to_owned(),
        name => format!("{name} ({code})"),
    };
    let options: Vec<String> =
        languages.iter().map(|language| shown(language.code, &language.setup.name)).collect();
    let configured = setup.config()?.speaking.language;
    let here = |code: &str| languages.iter().position(|language| language.code == code);
    // The dialogue may be held in that of the terminal: then that one is likely.
    let talked =
        languages.iter().position(|language| std::ptr::eq(&raw const language.setup, setup.talk.texts));
    let usual = talked.or_else(|| here(&configured)).unwrap_or(0);
    let chosen = setup.talk.choose(&setup.text("language_which", &[]), &options, usual)?;
    let language = languages[chosen];
    setup.write([("speaking.language", language.code.into())])?;
    if has_texts(language) {
        setup.talk.texts = &language.setup;
    }
    Ok(options[chosen].clone())
}

/// Lets voices speak until one is liked.
pub(super) fn voice(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("voice_intro", &[]);
    let (config, manifest) = (setup.config()?, setup.manifest()?);
    let language = config.speaking.language.clone();
    let neural = voices::speaking(&manifest, &language);
    let mut names: Vec<(String, String)> = neural
        .into_iter()
        .map(|voice| (voice.name.clone(), format!("{}: {}", voice.name, voice.description)))
        .collect();
    names.push((Speaking::ESPEAK.to_owned(), setup.text("voice_espeak", &[])));
    names.push((Speaking::NO_VOICE.to_owned(), setup.text("voice_silent", &[])));
    let options: Vec<String> = names.iter().map(|(_, shown)| shown.clone()).collect();
    let mut usual = names.iter().position(|(name, _)| *name == config.speaking.voice).unwrap_or(0);
    setup.talk.say("voice_more", &[]);
    loop {
        usual = setup.talk.choose(&setup.text("voice_which", &[]), &options, usual)?;
        let name = &names[usual].0;
        let is_heard = name != Speaking::NO_VOICE && config.audio.output_device != "none";
        if is_heard {
            let mut tried = setup.config()?;
            tried.speaking.voice.clone_from(name);
            let app = crate::app::builder::App::open(tried).map_err(|mut faults| faults.swap_remove(0))?;
            quietly(|| say::on_speaker(&app, &setup.text("voice_sample", &[]), &language))?;
            if !setup.talk.confirm(&setup.text("voice_liked", &[]))? {
                continue;
            }
        }
        setup.write([("speaking.voice", name.as_str().into())])?;
        return Ok(name.clone());
    }
}
