//! The clipboard, by pbcopy(1) and pbpaste(1).

use super::{CommandLine, Mac, MacError};

fn read_command() -> CommandLine {
    CommandLine::new("pbpaste", ["-Prefer", "txt"])
}

fn write_command(text: &str) -> CommandLine {
    CommandLine::new("pbcopy", [""; 0]).with_input(text)
}

impl Mac {
    /// The text in the clipboard; empty where there is none.
    ///
    /// # Errors
    /// When pbpaste fails.
    pub fn clipboard(&self) -> Result<String, MacError> {
        self.runner.waited(read_command())
    }

    /// Puts a text into the clipboard.
    ///
    /// # Errors
    /// When pbcopy fails.
    pub fn set_clipboard(&self, text: &str) -> Result<(), MacError> {
        self.runner.waited(write_command(text)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn a_text_goes_in_and_comes_out_as_it_is() {
        assert_eq!(shown(&read_command()), "pbpaste -Prefer txt");
        assert_eq!(shown(&write_command("x")), "pbcopy");
        let played = Played::new();
        played.program("pbcopy", "cat > \"${0%/*}/board\"");
        played.program("pbpaste", "cat \"${0%/*}/board\"");
        let (mac, text) = (played.mac(), " Zeile ä\n\t€ ");
        assert_eq!(mac.set_clipboard(text), Ok(()));
        assert_eq!(mac.clipboard().as_deref(), Ok(text));
    }
}
