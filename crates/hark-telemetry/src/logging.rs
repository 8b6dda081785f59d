//! Tracing set-up: to stderr, at the level of `$HARK_LOG`; under systemd without time and colours, with
//! the priority prefixes that journald understands.

use std::fmt;
use std::io::IsTerminal;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Parts of others that say too much, with what is left of them; only `$HARK_LOG` with their name brings
/// it back. The embedded broker tells every connection, and ordinary goodbyes as errors; ONNX Runtime
/// tells of each step of loading a model, hundreds of lines; rmcp tells every connection, and as errors what
/// is told of the server anyway; llama.cpp tells everything of a model it loads.
const TALKATIVE: [(&str, &str); 4] =
    [("rumqttd", "off"), ("ort", "warn"), ("rmcp", "off"), ("llama-cpp-2", "warn")];

/// Starts tracing for this process. `default_level` holds when `$HARK_LOG` is not set: `warn` for
/// commands, `info` for the daemon. `$HARK_LOG` takes a level or `target=level` pairs by comma; a
/// wrong one is reported and the default used. A second call changes nothing.
pub fn init(default_level: &str) {
    let wanted = std::env::var("HARK_LOG").ok().filter(|text| !text.trim().is_empty());
    let (filter, complaint) = filter(wanted.as_deref(), default_level);
    let filter = quieter(filter, wanted.as_deref().unwrap_or_default());
    super::alsa::quieten();
    // Where standard error is gone, as with a closed terminal, that cannot be told there either: it would panic.
    let base = tracing_subscriber::fmt().log_internal_errors(false);
    let base = base.with_env_filter(filter).with_writer(std::io::stderr);
    let started = if under_journald() {
        base.with_ansi(false).event_format(Journal).try_init()
    } else {
        base.with_target(false).with_ansi(std::io::stderr().is_terminal()).try_init()
    };
    if let (Ok(()), Some(complaint)) = (started, complaint) {
        tracing::warn!("{complaint}");
    }
}

/// Lowers those who say too much, unless the wish names them.
fn quieter(filter: EnvFilter, wanted: &str) -> EnvFilter {
    let named = |part: &str| {
        wanted.split(',').filter_map(|pair| pair.split_once('=')).any(|(target, _)| {
            target.trim().strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        })
    };
    TALKATIVE.iter().filter(|(part, _)| !named(part)).fold(filter, |filter, (part, level)| {
        match format!("{part}={level}").parse() {
            Ok(directive) => filter.add_directive(directive),
            Err(_) => filter,
        }
    })
}

/// The filter, and what was wrong with the wish.
fn filter(wanted: Option<&str>, default_level: &str) -> (EnvFilter, Option<String>) {
    let default = || EnvFilter::new(default_level);
    match wanted.map(|text| (text, EnvFilter::try_new(text))) {
        None => (default(), None),
        Some((_, Ok(filter))) => (filter, None),
        Some((text, Err(error))) => {
            let fix = "use error, warn, info, debug or trace, or target=level pairs by comma";
            (default(), Some(format!("HARK_LOG={text} is not understood ({error}); {fix}")))
        }
    }
}

/// systemd sets `$JOURNAL_STREAM` when it takes stderr into the journal.
pub fn under_journald() -> bool {
    std::env::var_os("JOURNAL_STREAM").is_some_and(|value| !value.is_empty())
        && !std::io::stderr().is_terminal()
}

/// One line an event: `<priority>target: message key=value`; journald adds the time itself.
struct Journal;

impl<S, N> FormatEvent<S, N> for Journal
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        write!(writer, "<{}>{}: ", priority(*metadata.level()), metadata.target())?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// Syslog priorities as in sd-daemon(3).
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG | Level::TRACE => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn journal_lines_carry_priority_and_no_time() {
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new("info"))
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .event_format(Journal)
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::error!(target: "hark::wake", part = "wake", "no model");
            tracing::debug!("not told");
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text, "<3>hark::wake: no model part=\"wake\"\n");
    }

    #[test]
    fn talkative_parts_are_quiet_unless_they_are_named() {
        let used = |wish: &str| quieter(EnvFilter::new(wish), wish).to_string();
        assert!(used("info").contains("ort=warn") && used("info").contains("rumqttd=off"));
        assert!(used("hark=debug,port=info").contains("ort=warn"), "a name that only looks like it");
        let named = used("info,ort=info");
        assert!(named.contains("ort=info") && !named.contains("ort=warn"), "{named}");
        assert!(!used("rumqttd::server=debug").contains("rumqttd=off"));
    }

    #[test]
    fn a_wrong_level_is_told_and_the_default_used() {
        assert!(filter(None, "warn").1.is_none());
        let (used, complaint) = filter(Some("hark=debug"), "warn");
        assert_eq!((used.to_string().as_str(), complaint), ("hark=debug", None));
        let (used, complaint) = filter(Some("hark=loud"), "warn");
        assert_eq!(used.to_string(), "warn");
        assert!(complaint.unwrap().contains("HARK_LOG=hark=loud"));
    }
}
