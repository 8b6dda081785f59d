//! Notifications. macOS does not tell whether its person has switched them off for the program that shows them.

use super::{CommandLine, Mac, MacError, scripts};

fn command(title: &str, text: &str) -> CommandLine {
    CommandLine::apple_script(scripts::NOTIFY, "notify", &[title, text])
}

impl Mac {
    pub(crate) async fn notify(&self, title: &str, text: &str) -> Result<(), MacError> {
        self.runner.answer(&command(title, text)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[tokio::test]
    async fn words_are_arguments() {
        assert_eq!(
            shown(&command("Hark", "the \"washing\" & drying")),
            "osascript -e <notify.applescript> notify Hark \"the \\\"washing\\\" & drying\""
        );
        let played = Played::new();
        played.answers("osascript", "");
        assert_eq!(played.mac().notify("-e", "beep").await, Ok(()));
        assert_eq!(played.calls(), ["osascript|-e|<notify.applescript>|notify|-e|beep"]);
    }
}
