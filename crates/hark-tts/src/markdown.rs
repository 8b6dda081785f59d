//! Takes the marks of Markdown out of a reply while it is still being written, so that only what can be said is said:
//! emphasis, headings, bullets, tables and addresses of links lose their marks; code that is no words is named, or left
//! out where a colon or brackets lead to it. What is written for the eye stays as it is elsewhere.
//!
//! Marks are as in CommonMark 0.31 and GitHub's tables, read a character at a time; a text comes out the same however
//! it is split.

use super::language::Language;

/// Code that is longer than this is no span of it: the mark stood alone.
const MAX_CODE_CHARS: usize = 300;
/// The same for HTML tags, and for marks at the beginning of a line.
const MAX_TAG_CHARS: usize = 60;
const MAX_MARKS: usize = 200;
/// Code of this many words at most can be said, if it is words.
const MAX_SAID_WORDS: usize = 4;
/// What a line may begin with besides words.
const LINE_MARKS: &str = " \t#>-*+=_|:~`";
/// A fence is at least this long.
const FENCE: usize = 3;

/// What the character that comes next may belong to.
#[derive(Debug, Clone)]
enum Place {
    /// Marks at the beginning of a line.
    LineStart(String),
    Text,
    /// So many of one mark: '`', '*', '_' or '~'.
    Run(char, usize),
    /// What is only said if no code, or image, follows: a colon, a bracket, an exclamation mark.
    Before(String),
    /// Behind '[': a checkbox, or the text of a link.
    Open(String),
    /// Behind ']'.
    Closed,
    /// Between the brackets behind a link's text, so many deep.
    Address(char, usize),
    /// `closing` ticks may be the end of it.
    Code {
        ticks: usize,
        text: String,
        closing: usize,
    },
    /// Behind code that is not said.
    AfterCode,
    /// In lines of code, with the line so far; `opening` in the line of the fence.
    Fence {
        mark: char,
        ticks: usize,
        line: String,
        opening: bool,
    },
    Tag(String),
    Escape,
    /// Behind a '|'.
    Cell,
}

/// See the module. One for each text.
#[derive(Debug, Clone)]
pub(super) struct Markdown {
    language: Option<Language>,
    place: Place,
    /// What stood before code, and is said only if something of the code is.
    lead: String,
    last: Option<char>,
}

impl Markdown {
    pub(super) fn new(language: Option<Language>) -> Self {
        Self { language, place: Place::LineStart(String::new()), lead: String::new(), last: None }
    }

    /// Takes more of the text; answers what of it can be said, as far as that is certain.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        piece.chars().for_each(|character| self.take(character, &mut out));
        out
    }

    /// The text is over: answers what is left of it.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        match std::mem::replace(&mut self.place, Place::Text) {
            Place::Before(text) | Place::Open(text) | Place::Tag(text) => self.say(&text, &mut out),
            Place::Run('~', 1) => self.say("~", &mut out),
            Place::Code { ticks, text, closing } if closing == ticks => self.say_code(&text, true, &mut out),
            Place::Code { text, .. } => self.unmarked(&text, &mut out),
            Place::AfterCode => self.after_code(None, &mut out),
            Place::Escape => self.say("\\", &mut out),
            _ => {}
        }
        out
    }

    fn say(&mut self, text: &str, out: &mut String) {
        out.push_str(text);
        self.last = text.chars().next_back().or(self.last);
    }

    fn take(&mut self, character: char, out: &mut String) {
        match std::mem::replace(&mut self.place, Place::Text) {
            Place::LineStart(marks) => self.line_start(marks, character, out),
            Place::Text => self.text(character, out),
            Place::Run(mark, count) if character == mark => self.place = Place::Run(mark, count + 1),
            Place::Run(mark, count) => self.run(mark, count, character, out),
            Place::Before(text) => self.before(text, character, out),
            Place::Open(text) => self.open(text, character, out),
            Place::Closed => match character {
                '(' => self.place = Place::Address(')', 1),
                '[' => self.place = Place::Address(']', 1),
                _ => self.text(character, out),
            },
            Place::Address(end, depth) => self.address(end, depth, character, out),
            Place::Code { ticks, text, closing } => self.code(ticks, text, closing, character, out),
            Place::AfterCode => self.after_code(Some(character), out),
            Place::Fence { mark, ticks, line, opening } => {
                self.fence((mark, ticks), line, opening, character, out);
            }
            Place::Tag(text) => self.tag(text, character, out),
            Place::Escape if character.is_ascii_punctuation() => self.say(&character.to_string(), out),
            Place::Escape => {
                self.say("\\", out);
                self.text(character, out);
            }
            Place::Cell => match character {
                ' ' | '\t' => self.place = Place::Cell,
                '\n' => self.text(character, out),
                _ => {
                    self.say("| ", out);
                    self.text(character, out);
                }
            },
        }
    }

    fn text(&mut self, character: char, out: &mut String) {
        self.place = match character {
            '\n' => {
                self.say("\n", out);
                Place::LineStart(String::new())
            }
            '`' | '*' | '_' | '~' => Place::Run(character, 1),
            ':' | '(' | '!' => Place::Before(character.to_string()),
            '[' => Place::Open(character.to_string()),
            ']' => Place::Closed,
            '<' => Place::Tag(character.to_string()),
            '\\' => Place::Escape,
            '|' => Place::Cell,
            _ => {
                let mut bytes = [0; 4];
                self.say(character.encode_utf8(&mut bytes), out);
                Place::Text
            }
        };
    }

    /// The marks in front of a line's first word are over.
    fn line_start(&mut self, mut marks: String, character: char, out: &mut String) {
        if LINE_MARKS.contains(character) && marks.len() < MAX_MARKS {
            marks.push(character);
            self.place = Place::LineStart(marks);
            return;
        }
        let bare = marks.trim_start();
        let mark = bare.chars().next().unwrap_or_default();
        let ticks = bare.chars().take_while(|it| *it == mark).count();
        if matches!(mark, '`' | '~') && ticks >= FENCE {
            let (opening, line) = (true, String::new());
            self.place = Place::Fence { mark, ticks, line, opening };
            self.take(character, out);
            return;
        }
        // A line of nothing but marks parts what is above from what is below.
        let rest = if character == '\n' { "" } else { after_block_marks(bare, character) };
        rest.chars().for_each(|mark| self.take(mark, out));
        self.take(character, out);
    }

    /// A run of marks is over; `next` is behind it.
    fn run(&mut self, mark: char, count: usize, next: char, out: &mut String) {
        if mark == '`' {
            self.place = Place::Code { ticks: count, text: String::new(), closing: 0 };
            self.take(next, out);
            return;
        }
        let between = |is: fn(char) -> bool| self.last.is_some_and(is) && is(next);
        let stays = match mark {
            // "2*3", "2 * 3": emphasis stands beside a word.
            '*' => count == 1 && (between(|it| it.is_ascii_digit()) || between(char::is_whitespace)),
            '_' => between(char::is_alphanumeric),
            _ => count == 1,
        };
        if stays {
            self.say(&mark.to_string().repeat(count), out);
        }
        self.text(next, out);
    }

    fn before(&mut self, mut text: String, next: char, out: &mut String) {
        match next {
            ' ' if text.starts_with(':') => {
                text.push(next);
                self.place = Place::Before(text);
            }
            '`' if text != "!" => {
                self.lead = text;
                self.place = Place::Run('`', 1);
            }
            '[' if text == "!" => self.place = Place::Open("[".into()),
            _ => {
                self.say(&text, out);
                self.text(next, out);
            }
        }
    }

    /// "[ ]" and "[x]" are boxes to be ticked; of anything else only the bracket goes.
    fn open(&mut self, mut text: String, next: char, out: &mut String) {
        match (text.as_str(), next) {
            ("[", ' ' | 'x' | 'X') => {
                text.push(next);
                self.place = Place::Open(text);
            }
            ("[ " | "[x" | "[X", ']') => {}
            _ => {
                self.say(&text[1..], out);
                self.text(next, out);
            }
        }
    }

    fn address(&mut self, end: char, depth: usize, next: char, out: &mut String) {
        match next {
            '\n' => self.text(next, out),
            _ if next == end && depth == 1 => {}
            _ if next == end => self.place = Place::Address(end, depth - 1),
            '(' if end == ')' => self.place = Place::Address(end, depth + 1),
            _ => self.place = Place::Address(end, depth),
        }
    }

    fn code(&mut self, ticks: usize, mut text: String, closing: usize, next: char, out: &mut String) {
        if next == '`' {
            self.place = Place::Code { ticks, text, closing: closing + 1 };
        } else if closing == ticks {
            self.say_code(&text, false, out);
            self.take(next, out);
        } else {
            text.extend(std::iter::repeat_n('`', closing));
            text.push(next);
            if next == '\n' || text.chars().count() > MAX_CODE_CHARS {
                self.unmarked(&text, out);
            } else {
                self.place = Place::Code { ticks, text, closing: 0 };
            }
        }
    }

    /// What was taken for code is none: its mark had no other end.
    fn unmarked(&mut self, text: &str, out: &mut String) {
        let lead = std::mem::take(&mut self.lead);
        self.say(&lead, out);
        self.place = Place::Text;
        text.chars().filter(|it| *it != '`').for_each(|it| self.take(it, out));
    }

    fn say_code(&mut self, code: &str, is_last: bool, out: &mut String) {
        if can_be_said(code) {
            let lead = std::mem::take(&mut self.lead);
            self.say(&lead, out);
            self.say(code.trim(), out);
        } else if is_last {
            self.after_code(None, out);
        } else {
            self.place = Place::AfterCode;
        }
    }

    /// Code that cannot be said is named where the sentence needs it.
    fn after_code(&mut self, next: Option<char>, out: &mut String) {
        let lead = std::mem::take(&mut self.lead);
        let is_over = next.is_none_or(|next| matches!(next, '.' | ',' | ';' | '!' | '?' | '\n'));
        let enclosed = lead == "(" && next == Some(')');
        if enclosed {
            // The space in front of the bracket is followed by another one.
            return;
        }
        if !(lead.starts_with(':') && is_over) {
            let name = self.language.map_or("", |language| language.speech.code.span.text());
            self.say(&lead, out);
            self.say(name, out);
        }
        if let Some(next) = next {
            self.text(next, out);
        }
    }

    fn fence(
        &mut self,
        (mark, ticks): (char, usize),
        mut line: String,
        opening: bool,
        next: char,
        out: &mut String,
    ) {
        if next != '\n' {
            // Only a line of marks is looked for.
            if line.len() < MAX_MARKS {
                line.push(next);
            }
            // All of it in one line is a span.
            if opening && mark == '`' && line.ends_with(&"`".repeat(ticks)) {
                self.place = Place::AfterCode;
            } else {
                self.place = Place::Fence { mark, ticks, line, opening };
            }
            return;
        }
        let marks = line.trim();
        let ends = !opening && marks.chars().count() >= ticks && marks.chars().all(|it| it == mark);
        if opening {
            let name = self.language.map_or("", |language| language.speech.code.block.text());
            self.say(name, out);
            self.say("\n", out);
        }
        self.place = match ends {
            true => Place::LineStart(String::new()),
            false => Place::Fence { mark, ticks, line: String::new(), opening: false },
        };
    }

    fn tag(&mut self, mut text: String, next: char, out: &mut String) {
        let is_tag = match text.len() {
            1 => next == '/' || next.is_ascii_alphabetic(),
            length => length < MAX_TAG_CHARS && !matches!(next, '\n' | ':' | '@' | '<'),
        };
        if !is_tag {
            self.say(&text, out);
            self.text(next, out);
        } else if next != '>' {
            text.push(next);
            self.place = Place::Tag(text);
        } else {
            self.say(" ", out);
        }
    }
}

/// The marks at the beginning of a line without those of quotations, headings, lists and tables; `next` is behind them.
fn after_block_marks(mut marks: &str, next: char) -> &str {
    loop {
        let first = marks.chars().next().unwrap_or_default();
        let after = marks.get(1..).unwrap_or_default();
        let apart = after.starts_with([' ', '\t']);
        let hashes = marks.len() - marks.trim_start_matches('#').len();
        let rest = match first {
            '>' if apart || after.starts_with('>') || (after.is_empty() && next.is_alphabetic()) => after,
            '#' if hashes <= 6 && marks[hashes..].starts_with([' ', '\t']) => &marks[hashes..],
            '-' | '*' | '+' if apart => after,
            '|' => after,
            _ => return marks,
        };
        marks = rest.trim_start();
    }
}

/// Whether code is a few words or names that a voice can say.
fn can_be_said(code: &str) -> bool {
    let is_word = |word: &str| {
        let inner = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '-' | '\'' | '°' | '%' | ',');
        word.starts_with(char::is_alphanumeric) && word.chars().all(inner)
    };
    let words: Vec<&str> = code.split_whitespace().collect();
    !words.is_empty() && words.len() <= MAX_SAID_WORDS && words.into_iter().all(is_word)
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
