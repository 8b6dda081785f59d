//! How well a name that a person said fits what a program or a window is called.

/// How well a name fits; the later, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// Every word of it is in what the thing is called.
    Words,
    /// The thing is of the kind that is meant.
    Kind,
    /// The thing is called so.
    Name,
}

/// Words of another program in one line.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

/// Lower-case words, with single blanks between them.
pub(crate) fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// How well `wanted` fits something of these names; `None`: not at all.
pub(crate) fn fit<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<Fit> {
    let wanted = plain(wanted);
    let words: Vec<&str> = wanted.split(' ').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return None;
    }
    let one = |name: &str| {
        let name = plain(name);
        if name == wanted || name.replace(' ', "") == wanted.replace(' ', "") {
            return Some(Fit::Name);
        }
        let has = |word: &&str| name.split(' ').any(|known| known == *word);
        words.iter().all(has).then_some(Fit::Words)
    };
    names.filter_map(one).max()
}

/// Those that fit best, in their order.
pub(crate) fn best<T>(things: impl IntoIterator<Item = (Option<Fit>, T)>) -> Vec<T> {
    let found: Vec<(Fit, T)> = things.into_iter().filter_map(|(fit, thing)| Some((fit?, thing))).collect();
    let most = found.iter().map(|(fit, _)| *fit).max();
    found.into_iter().filter(|(fit, _)| Some(*fit) == most).map(|(_, thing)| thing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_by_all_of_them_or_by_their_words() {
        let of = |wanted: &str| fit(wanted, ["Firefox ESR", "Web Browser", "firefox-esr"].into_iter());
        assert_eq!(of("web browser"), Some(Fit::Name));
        assert_eq!(of("Firefox"), Some(Fit::Words));
        assert_eq!(of("firefoxesr"), Some(Fit::Name));
        assert_eq!(of("fox"), None);
        assert_eq!(of(""), None);
        assert_eq!(
            best([(Some(Fit::Words), 1), (Some(Fit::Name), 2), (None, 3), (Some(Fit::Name), 4)]),
            [2, 4]
        );
    }
}
