//! What a server lets us ask: a bucket of requests and one of tokens, kept as its `x-ratelimit-*` headers tell
//! (OpenAI, "Rate limits in headers"), and closed for as long as `retry-after` says (RFC 9110, 10.2.3).

use hark_net::token_bucket::TokenBucket;
use std::time::{Duration, Instant, SystemTime};

/// Longest wait that is taken from a header: a server that says more is as good as shut.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// What is left of both, as far as the server tells.
#[derive(Debug, Default)]
pub(super) struct Budget {
    requests: Option<TokenBucket>,
    tokens: Option<TokenBucket>,
    closed_until: Option<Instant>,
}

impl Budget {
    /// Takes a request of this many tokens out of the buckets, or says how long to wait before asking again.
    pub(super) fn take(&mut self, tokens: u32, now: Instant) -> Result<(), Duration> {
        let mut wait = self.closed_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        for (bucket, cost) in self.buckets(tokens) {
            wait = wait.max(bucket.wait(cost, now).min(LONGEST));
        }
        if !wait.is_zero() {
            return Err(wait);
        }
        self.closed_until = None;
        for (bucket, cost) in self.buckets(tokens) {
            bucket.take(cost, now)?;
        }
        Ok(())
    }

    /// Learns from the headers of any answer.
    pub(super) fn learn<'a>(&mut self, header: impl Fn(&str) -> Option<&'a str>, now: Instant) {
        for (bucket, what) in [(&mut self.requests, "requests"), (&mut self.tokens, "tokens")] {
            let number = |part: &str| {
                let text = header(&format!("x-ratelimit-{part}-{what}"))?;
                text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
            };
            let full_in = header(&format!("x-ratelimit-reset-{what}")).and_then(duration);
            if let (Some(limit), Some(left), Some(full_in)) = (number("limit"), number("remaining"), full_in)
                && limit > 0.0
            {
                *bucket = Some(TokenBucket::partly_full(limit, left, full_in, now));
            }
        }
    }

    /// Nothing is asked until then.
    pub(super) fn close(&mut self, wait: Duration, now: Instant) {
        let until = now + wait.min(LONGEST);
        self.closed_until = Some(self.closed_until.map_or(until, |earlier| earlier.max(until)));
    }

    /// Each bucket and what the request costs of it. A full one is enough for anything.
    fn buckets(&mut self, tokens: u32) -> impl Iterator<Item = (&mut TokenBucket, f64)> {
        let requests = self.requests.as_mut().map(|bucket| (bucket, 1.0));
        let tokens = self.tokens.as_mut().map(|bucket| (bucket, f64::from(tokens)));
        requests.into_iter().chain(tokens).map(|(bucket, cost)| {
            let cost = cost.min(bucket.capacity());
            (bucket, cost)
        })
    }
}

/// A length of time as in these headers: `1s`, `6m0s`, `250ms`, `1h2m3.5s`, or seconds alone.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() || !rest.is_ascii() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end =
            rest[end..].find(|c: char| c.is_ascii_digit() || c == '.').map_or(rest.len(), |at| end + at);
        seconds += number
            * match rest[end..unit_end].trim() {
                "d" => 86_400.0,
                "h" => 3600.0,
                "m" => 60.0,
                "s" | "" => 1.0,
                "ms" => 0.001,
                "us" | "µs" => 0.000_001,
                "ns" => 0.000_000_001,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST))
}

/// What `retry-after-ms` or `retry-after` asks for: milliseconds; seconds or a date.
pub(super) fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime) -> Option<Duration> {
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok()) {
        return Some(wait.min(LONGEST));
    }
    let text = header("retry-after")?;
    duration(text).or_else(|| {
        let then = SystemTime::from(chrono::DateTime::parse_from_rfc2822(text.trim()).ok()?);
        Some(then.duration_since(now).unwrap_or(Duration::ZERO).min(LONGEST))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn learned(budget: &mut Budget, headers: &[(&str, &str)], now: Instant) {
        let header = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        budget.learn(header, now);
    }

    #[test]
    fn lengths_of_time_are_read_in_every_form() {
        let cases = [
            ("1s", Some(1000)),
            ("6m0s", Some(360_000)),
            ("250ms", Some(250)),
            ("1h2m3.5s", Some(3_723_500)),
            ("12", Some(12_000)),
            ("0.5", Some(500)),
            (" 2s ", Some(2000)),
            ("0s", Some(0)),
            ("1d", Some(86_400_000)),
            ("999999999h", Some(86_400_000)),
            ("", None),
            ("soon", None),
            ("-1s", None),
            ("1.2.3s", None),
            ("1x", None),
            ("ä", None),
        ];
        for (text, millis) in cases {
            assert_eq!(duration(text), millis.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::from(chrono::DateTime::parse_from_rfc3339("2026-11-22T12:00:00Z").unwrap());
        let cases = [
            (("retry-after", "3"), Some(3000)),
            (("retry-after-ms", "150"), Some(150)),
            (("retry-after", "Sun, 22 Nov 2026 12:00:30 GMT"), Some(30_000)),
            (("retry-after", "Sun, 22 Nov 2026 11:00:00 GMT"), Some(0)),
            (("retry-after", "later"), None),
            (("server", "x"), None),
        ];
        for ((name, value), millis) in cases {
            let header = |asked: &str| (asked == name).then_some(value);
            assert_eq!(retry_after(header, now), millis.map(Duration::from_millis), "{value}");
        }
    }

    #[test]
    fn an_empty_bucket_tells_when_to_come_back() {
        let (mut budget, now) = (Budget::default(), Instant::now());
        assert_eq!(budget.take(1_000_000, now), Ok(()), "nothing is known: nothing is refused");
        let requests = [
            ("x-ratelimit-limit-requests", "60"),
            ("x-ratelimit-remaining-requests", "1"),
            ("x-ratelimit-reset-requests", "59s"),
        ];
        learned(&mut budget, &requests, now);
        assert_eq!(budget.take(1, now), Ok(()));
        let wait = budget.take(1, now).unwrap_err();
        assert_eq!(wait.as_millis(), 1000);
        assert_eq!(budget.take(1, now + wait), Ok(()));

        let tokens = [
            ("x-ratelimit-limit-tokens", "1000"),
            ("x-ratelimit-remaining-tokens", "100"),
            ("x-ratelimit-reset-tokens", "9s"),
        ];
        let mut budget = Budget::default();
        learned(&mut budget, &tokens, now);
        assert_eq!(budget.take(300, now).unwrap_err().as_secs(), 2);
        // More than the bucket ever holds waits until it is full, not for ever.
        assert_eq!(budget.take(5000, now).unwrap_err().as_secs(), 9);
        assert_eq!(budget.take(5000, now + Duration::from_secs(9)), Ok(()));
    }

    #[test]
    fn a_closed_door_opens_again() {
        let (mut budget, now) = (Budget::default(), Instant::now());
        budget.close(Duration::from_secs(5), now);
        budget.close(Duration::from_secs(2), now);
        assert_eq!(budget.take(1, now), Err(Duration::from_secs(5)));
        assert_eq!(budget.take(1, now + Duration::from_secs(5)), Ok(()));
    }

    #[test]
    fn headers_that_make_no_sense_change_nothing() {
        let (mut budget, now) = (Budget::default(), Instant::now());
        for (limit, left, reset) in
            [("0", "0", "1s"), ("x", "0", "1s"), ("60", "NaN", "1s"), ("60", "0", "?")]
        {
            let headers = [
                ("x-ratelimit-limit-requests", limit),
                ("x-ratelimit-remaining-requests", left),
                ("x-ratelimit-reset-requests", reset),
            ];
            learned(&mut budget, &headers, now);
            assert_eq!(budget.take(1, now), Ok(()));
        }
    }

    proptest! {
        #[test]
        fn no_text_upsets_the_reading_of_times(text in ".{0,30}") {
            let _ = duration(&text);
        }
    }
}
