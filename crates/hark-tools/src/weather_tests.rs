//! The weather against a scripted server on loopback.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const SUNNY: &str = r#"{"latitude":52.5,"current_units":{"temperature_2m":"°C","wind_speed_10m":"km/h"},
    "current":{"time":"2026-11-21T14:00","temperature_2m":7.4,"weather_code":61,"wind_speed_10m":12.0}}"#;

/// What the server does with the one request it takes.
enum Script {
    Answer(&'static str, String),
    Endless,
    Silent,
    HangUp,
}

/// Starts a server; answers its address and, later, the first line of the request.
async fn server(script: Script) -> (String, oneshot::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1/forecast", listener.local_addr().unwrap());
    let (line, asked) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let read = stream.read(&mut request).await.unwrap();
        let text = String::from_utf8_lossy(&request[..read]).into_owned();
        let _ = line.send(text.lines().next().unwrap_or_default().to_owned());
        match script {
            Script::Answer(status, body) => {
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                let _ = stream.write_all(head.as_bytes()).await;
            }
            Script::Endless => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                while stream.write_all(&[b' '; 8192]).await.is_ok() {}
            }
            Script::Silent => tokio::time::sleep(Duration::from_secs(30)).await,
            Script::HangUp => {}
        }
    });
    (address, asked)
}

fn weather(url: &str) -> Weather {
    let config = ToolsConfig {
        weather_url: url.into(),
        weather_latitude: 52.52,
        weather_longitude: -13.4,
        ..ToolsConfig::default()
    };
    Weather::new(&config, "en")
}

async fn ask(script: Script) -> Result<WeatherNow, WeatherError> {
    let (url, _asked) = server(script).await;
    weather(&url).now().await
}

fn ok(body: &str) -> Script {
    Script::Answer("200 OK", body.to_owned())
}

#[tokio::test]
async fn the_weather_is_asked_for_the_place_and_read() {
    let (url, asked) = server(ok(SUNNY)).await;
    let now = weather(&format!("{url}?models=best")).now().await.unwrap();
    let expected = WeatherNow {
        temperature: 7.4,
        unit: "°C".into(),
        condition: "light rain",
        wind_speed: Some(12.0),
        wind_unit: Some("km/h".into()),
    };
    assert_eq!(now, expected);
    let line = asked.await.unwrap();
    for part in ["GET /v1/forecast?models=best&", "latitude=52.52", "longitude=-13.4", "weather_code"] {
        assert!(line.contains(part), "{line}");
    }
}

#[tokio::test]
async fn without_units_and_wind_it_is_still_weather() {
    let now = ask(ok(r#"{"current":{"temperature_2m":-3,"weather_code":75}}"#)).await.unwrap();
    assert_eq!((now.unit.as_str(), now.condition, now.wind_speed), ("°C", "heavy snow", None));
}

#[tokio::test]
async fn the_words_are_those_of_the_language_of_the_house() {
    for (language, condition) in [("en", Some("light rain")), ("de", Some("leichter Regen")), ("xx", None)] {
        let (url, _asked) = server(ok(SUNNY)).await;
        let config = ToolsConfig { weather_url: url, ..ToolsConfig::default() };
        let now = Weather::new(&config, language).now().await;
        assert_eq!(now.ok().map(|now| now.condition), condition, "{language}");
    }
    let codes = |language: &str| -> Vec<&str> {
        hark_language::of(language).weather.codes.iter().map(|(code, _)| *code).collect()
    };
    assert_eq!(codes("en"), codes("de"));
}

#[tokio::test]
async fn what_is_not_the_weather_is_refused() {
    let cases = [
        ok("not json"),
        ok("{}"),
        ok(r#"{"current":{"temperature_2m":"hot","weather_code":0}}"#),
        ok(r#"{"current":{"temperature_2m":900,"weather_code":0}}"#),
        ok(r#"{"current":{"temperature_2m":9,"weather_code":12}}"#),
        Script::Answer("500 Internal Server Error", SUNNY.into()),
        Script::Endless,
    ];
    for script in cases {
        let error = ask(script).await.unwrap_err();
        assert!(matches!(error, WeatherError::BadAnswer(_)), "{error:?}");
    }
}

const WEEK: &str = r#"{"daily_units":{"temperature_2m_max":"°F"},"daily":{
    "time":["2026-11-22","2026-11-23","2026-11-24"],"weather_code":[3,61,null],
    "temperature_2m_max":[48.0,51.5,50.0],"temperature_2m_min":[40.1,44.0,900.0],
    "precipitation_probability_max":[5,80,null]}}"#;

#[tokio::test]
async fn the_weather_of_a_day_to_come_is_read_from_its_column() {
    let day = |text: &str| text.parse::<NaiveDate>().unwrap();
    let (url, asked) = server(ok(WEEK)).await;
    let tomorrow = weather(&url).on(day("2026-11-23")).await.unwrap();
    let expected = WeatherDay {
        low: 44.0,
        high: 51.5,
        unit: "°F".into(),
        condition: "light rain",
        rain_chance: Some(80.0),
    };
    assert_eq!(tomorrow, expected);
    let line = asked.await.unwrap();
    assert!(line.contains("temperature_2m_max") && line.contains("timezone=auto"), "{line}");

    let (url, _asked) = server(ok(WEEK)).await;
    let later = weather(&url).on(day("2027-03-01")).await;
    assert_eq!(later, Err(WeatherError::NoForecast(day("2027-03-01"))));
    let (url, _asked) = server(ok(WEEK)).await;
    let absurd = weather(&url).on(day("2026-11-24")).await;
    assert!(matches!(absurd, Err(WeatherError::BadAnswer(_))), "{absurd:?}");
}

#[tokio::test]
async fn a_server_that_hangs_or_hangs_up_is_told_apart() {
    let (url, _asked) = server(Script::Silent).await;
    let impatient = ToolsConfig { weather_url: url, timeout_ms: 100, ..ToolsConfig::default() };
    let answer = Weather::new(&impatient, "en").now().await;
    assert_eq!(answer, Err(WeatherError::Timeout));
    assert!(matches!(ask(Script::HangUp).await, Err(WeatherError::Unreachable(_))));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let answer = weather(&url).now().await;
    assert!(matches!(answer, Err(WeatherError::Unreachable(_))), "{answer:?}");
}

#[tokio::test]
async fn configuration_is_told_when_asked() {
    assert_eq!(weather(" ").now().await, Err(WeatherError::NotConfigured));
    for url in ["file:///etc/passwd", "no address"] {
        let answer = weather(url).now().await;
        assert!(matches!(answer, Err(WeatherError::BadUrl(_))), "{url}: {answer:?}");
    }
}

#[test]
fn an_https_endpoint_can_be_prepared() {
    assert!(weather("https://api.open-meteo.com/v1/forecast").source.is_ok());
}
