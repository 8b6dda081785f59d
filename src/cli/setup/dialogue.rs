//! Questions at a terminal, in lines: a screen reader reads them, and a script can answer them. Every question takes the
//! words for leaving a step out and for ending the whole, and an answer without sense is asked for again.

use hark_core::{Fault, FaultKind};
use hark_language::setup::Setup as Texts;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::fmt::Display;
use std::io::{self, Read, Write};

/// Longest secret that is typed, in bytes.
const MAX_SECRET: usize = 4096;

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum Interrupt {
    /// The step is left out.
    Skipped,
    /// The whole is ended: by the word for it, or because nothing more can be typed.
    Left,
    /// Something does not work.
    Trouble(Fault),
}

impl From<Fault> for Interrupt {
    fn from(fault: Fault) -> Self {
        Self::Trouble(fault)
    }
}

impl From<io::Error> for Interrupt {
    fn from(error: io::Error) -> Self {
        Self::Trouble(Fault::new(FaultKind::Failed, "terminal", error.to_string(), ""))
    }
}

/// What an answer comes to.
pub(super) type Answer<T> = Result<T, Interrupt>;

/// The person at the terminal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialogue {
    /// What is said to them.
    pub(super) texts: &'static Texts,
}

impl Dialogue {
    /// Says a text.
    pub(super) fn say(&self, name: &str, places: &[(&str, &str)]) {
        self.print(self.texts.text(name, places));
    }

    /// Prints a line. A terminal that is gone is seen at the next question.
    pub(super) fn print(&self, line: impl Display) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }

    /// Says what does not work, and what helps.
    pub(super) fn trouble(&self, fault: &Fault) {
        self.say("trouble", &[("message", &fault.message)]);
        if !fault.fix.is_empty() {
            self.say("trouble_fix", &[("fix", &fault.fix)]);
        }
    }

    /// A line of text; Enter alone takes `usual`, where there is one. What `check` refuses is told and asked for again.
    pub(super) fn line<T>(
        &self,
        question: &str,
        usual: Option<&str>,
        check: impl Fn(&str) -> Result<T, String>,
    ) -> Answer<T> {
        loop {
            let typed = self.ask(&match usual {
                Some(usual) => format!("{question} [{usual}]"),
                None => question.to_owned(),
            })?;
            let meant = if typed.is_empty() { usual.unwrap_or_default() } else { &typed };
            match check(meant) {
                Ok(value) => return Ok(value),
                Err(why) => self.print(why),
            }
        }
    }

    /// One of several, by its number; its place from 0. Enter alone takes `usual`.
    pub(super) fn choose(&self, question: &str, options: &[String], usual: usize) -> Answer<usize> {
        for (place, option) in options.iter().enumerate() {
            self.print(format_args!("  {}) {option}", place + 1));
        }
        let most = options.len().to_string();
        self.line(question, Some(&(usual + 1).to_string()), |typed| {
            let number = typed.parse::<usize>().ok().filter(|number| (1..=options.len()).contains(number));
            number.map(|number| number - 1).ok_or_else(|| self.texts.text("not_a_number", &[("most", &most)]))
        })
    }

    /// Yes or no; Enter alone is yes.
    pub(super) fn confirm(&self, question: &str) -> Answer<bool> {
        let word = |words: &[String]| words.first().cloned().unwrap_or_default();
        let (yes, no) = (word(&self.texts.yes), word(&self.texts.no));
        let question = format!("{question} ({yes}/{no})");
        self.line(&question, Some(&yes), |typed| {
            let typed = typed.to_lowercase();
            match (self.texts.yes.contains(&typed), self.texts.no.contains(&typed)) {
                (true, _) => Ok(true),
                (_, true) => Ok(false),
                _ => Err(self.texts.text("not_yes_or_no", &[("yes", &yes), ("no", &no)])),
            }
        })
    }

    /// Waits for Enter; other words are no objection.
    pub(super) fn wait(&self, question: &str) -> Answer<()> {
        self.ask(question).map(drop)
    }

    /// A secret: every letter is shown as a star. Empty where Enter alone is typed.
    pub(super) fn secret(&self, question: &str) -> Answer<String> {
        self.prompt(question)?;
        let hidden = Hidden::begin()?;
        let mut secret = Vec::new();
        let ended = loop {
            let mut byte = [0];
            if io::stdin().lock().read(&mut byte)? == 0 {
                break Err(Interrupt::Left);
            }
            match byte[0] {
                b'\r' | b'\n' => break Ok(()),
                // Ctrl-C and Ctrl-D, which are no signals now.
                3 | 4 => break Err(Interrupt::Left),
                8 | 127 if secret.pop().is_some() => put("\x08 \x08"),
                letter if letter.is_ascii_graphic() && secret.len() < MAX_SECRET => {
                    secret.push(letter);
                    put("*");
                }
                _ => {}
            }
        };
        drop(hidden);
        self.print("");
        ended?;
        let secret = String::from_utf8_lossy(&secret).into_owned();
        self.interruption(&secret).map_or(Ok(secret), Err)
    }

    fn ask(&self, question: &str) -> Answer<String> {
        self.prompt(question)?;
        let mut line = String::new();
        // What is no UTF-8 is no answer, and asked for again.
        match io::stdin().read_line(&mut line) {
            Ok(0) => return Err(Interrupt::Left),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok("\u{fffd}".to_owned()),
            read => read?,
        };
        let line: String = line.trim().chars().filter(|letter| !letter.is_control()).collect();
        self.interruption(&line).map_or(Ok(line), Err)
    }

    fn prompt(&self, question: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write!(out, "{question} > ")?;
        out.flush()
    }

    fn interruption(&self, typed: &str) -> Option<Interrupt> {
        let typed = typed.to_lowercase();
        match (self.texts.skip.contains(&typed), self.texts.quit.contains(&typed)) {
            (true, _) => Some(Interrupt::Skipped),
            (_, true) => Some(Interrupt::Left),
            _ => None,
        }
    }
}

/// Writes to the terminal at once; one that is gone is seen at the next question.
pub(super) fn put(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The terminal hands over every letter at once and shows none, until this is dropped.
struct Hidden(Termios);

impl Hidden {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        tcsetattr(io::stdin(), OptionalActions::Now, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that is gone needs no mending.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
