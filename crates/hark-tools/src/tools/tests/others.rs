//! Timers, time, weather and the node's volume.

use super::*;
use hark_core::timer::TimerKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_timer_from_start_to_end() {
    let house = house();
    let receipt = house.ok("timer.start", json!({"minutes": 90, "seconds": 30, "name": "pizza"})).await;
    let timer = &receipt.detail["timer"];
    for (key, value) in [("hours", 1), ("minutes", 30), ("seconds", 30), ("total_seconds", 5430)] {
        assert_eq!(timer[key], value, "{key}");
    }
    assert_eq!(timer["name"], "pizza");
    house.clock_ms.fetch_add(30_400, Ordering::SeqCst);
    let receipt = house.ok("timer.status", json!({"name": "the pizza"})).await;
    let timer = &receipt.detail["timers"][0];
    for (key, value) in
        [("left_hours", 1), ("left_minutes", 30), ("left_seconds", 0), ("total_left_seconds", 5400)]
    {
        assert_eq!(timer[key], value, "{key}");
    }
    let receipt = house.ok("timer.pause", json!({})).await;
    assert_eq!(receipt.detail["timer"]["paused"], true);
    house.clock_ms.fetch_add(1_000_000, Ordering::SeqCst);
    house.ok("timer.resume", json!({})).await;
    let receipt = house.ok("timer.increase", json!({"minutes": 5})).await;
    assert_eq!(receipt.detail["timer"]["total_left_seconds"], 5700);
    let receipt = house.ok("timer.decrease", json!({"hours": 1})).await;
    assert_eq!(receipt.detail["timer"]["total_left_seconds"], 2100);
    let receipt = house.ok("timer.cancel", json!({"start_minutes": 90, "start_seconds": 30})).await;
    assert!(receipt.changed);
    let receipt = house.ok("timer.status", json!({})).await;
    assert_eq!(receipt.detail, json!({"timers": [], "count": 0}));
}

#[tokio::test]
async fn an_ok_means_that_the_timer_is_kept() {
    let house = house();
    house.ok("timer.start", json!({"minutes": 10, "name": "tea"})).await;
    let after_a_power_cut = Timers::load(Arc::<InMemoryTimers>::clone(&house.timer_store), NOW_MS).unwrap();
    assert_eq!(after_a_power_cut.all(), house.tools.services().timers.all());
    assert_eq!(after_a_power_cut.next_due_unix_ms(), Some(NOW_MS + 600_000));
}

#[tokio::test]
async fn a_timer_knows_the_area_it_was_set_in() {
    let house = Built { area: "office", ..Built::default() }.house();
    house.ok("timer.start", json!({"minutes": 1})).await;
    house.ok("timer.start", json!({"minutes": 1, "area": "Kitchen"})).await;
    let areas: Vec<_> = house.tools.services().timers.all().into_iter().map(|timer| timer.area).collect();
    assert_eq!(areas, [Some("Office".to_owned()), Some("Kitchen".to_owned())]);
    let receipt = house.ok("timer.cancel_all", json!({"area": "the kitchen"})).await;
    assert_eq!(receipt.detail["count"], 1);
}

#[tokio::test]
async fn which_timer_is_asked_back() {
    let house = house();
    let (code, _) = house.fails("timer.cancel", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    house.ok("timer.start", json!({"minutes": 5})).await;
    house.ok("timer.start", json!({"minutes": 10, "name": "tea"})).await;
    for tool in ["timer.cancel", "timer.pause", "timer.resume"] {
        let (code, receipt) = house.fails(tool, json!({})).await;
        assert_eq!(code, error_code::AMBIGUOUS, "{tool}");
        let offered = receipt.detail["candidates"].as_array().unwrap().iter();
        let offered: Vec<_> = offered.map(|one| (one["name"].as_str(), one["minutes"].as_u64())).collect();
        assert_eq!(offered, [(None, Some(5)), (Some("tea"), Some(10))]);
        let id = receipt.detail["candidates"][1]["id"].as_str().unwrap();
        let status = house.ok("timer.status", json!({"id": id})).await;
        assert_eq!(status.detail["timers"][0]["name"], "tea");
    }
    let receipt = house.ok("timer.status", json!({})).await;
    assert_eq!(receipt.detail["count"], 2);
    let (code, _) = house.fails("timer.status", json!({"name": "eggs"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    let (code, _) = house.fails("timer.resume", json!({"name": "tea"})).await;
    assert_eq!(code, error_code::UNSUPPORTED);
    let receipt = house.ok("timer.cancel_all", json!({})).await;
    assert_eq!((receipt.detail["count"].as_u64(), receipt.changed), (Some(2), true));
    assert!(!house.ok("timer.cancel_all", json!({})).await.changed);
}

#[tokio::test]
async fn a_timer_without_a_length_is_refused() {
    let house = house();
    for args in [
        json!({}),
        json!({"name": "tea"}),
        json!({"minutes": 0}),
        json!({"minutes": -5}),
        json!({"hours": 9999}),
    ] {
        let (code, _) = house.fails("timer.start", args.clone()).await;
        assert_eq!(code, error_code::BAD_ARGUMENT, "{args}");
    }
    let (code, _) = house.fails("timer.start", json!({"hours": 2376, "seconds": 1})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    house.ok("timer.start", json!({"hours": 0.5})).await;
    assert_eq!(house.tools.services().timers.all()[0].duration_ms, 1_800_000);
}

#[tokio::test]
async fn a_store_that_refuses_makes_a_failed_receipt() {
    let house = house();
    house.timer_store.refuses.store(true, Ordering::SeqCst);
    let (code, receipt) = house.fails("timer.start", json!({"minutes": 1})).await;
    assert_eq!((code.as_str(), receipt.changed), (error_code::NOT_KEPT, false));
    assert!(house.tools.services().timers.all().is_empty(), "what is not kept is not set");
}

#[tokio::test]
async fn time_and_date_are_local() {
    let house = house();
    let receipt = house.ok("datetime.time", json!({})).await;
    assert_eq!(receipt.detail, json!({"hour": 14, "minute": 5, "time": "14:05"}));
    let receipt = house.ok("datetime.date", json!({})).await;
    let expected = json!({
        "date": "2026-11-21", "weekday": "Saturday", "day": 21, "month": "November", "year": 2026,
    });
    assert_eq!(receipt.detail, expected);
    let receipt = house.ok("datetime.date", json!({"when": "2027-03-10"})).await;
    let expected = json!({
        "date": "2027-03-10", "weekday": "Wednesday", "day": 10, "month": "March", "year": 2027,
        "days_away": 109,
    });
    assert_eq!(receipt.detail, expected);
}

#[tokio::test]
async fn volume_of_the_node() {
    let house = house();
    let receipt = house.ok("volume.set", json!({"volume_level": 30})).await;
    assert_eq!((receipt.detail["volume_level"].as_u64(), receipt.changed), (Some(30), true));
    let steps =
        [(json!("up"), 40), (json!("down"), 30), (json!(15), 45), (json!("-60"), 0), (json!(100), 100)];
    for (step, expected) in steps {
        let receipt = house.ok("volume.change", json!({"volume_step": step})).await;
        assert_eq!(receipt.detail["volume_level"], expected);
    }
    let full = house.ok("volume.change", json!({"volume_step": "up"})).await;
    assert!(!full.changed);
}

#[tokio::test]
async fn the_weather_is_told_or_why_not() {
    let (code, receipt) = house().fails("weather.get", json!({})).await;
    assert_eq!(code, error_code::NOT_CONFIGURED);
    assert!(receipt.detail["fix"].as_str().unwrap().contains("weather_url"));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let weather = format!("http://{}/", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 2048]).await.unwrap();
        let body = r#"{"current":{"temperature_2m":7.4,"weather_code":3,"wind_speed_10m":9}}"#;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        // The next caller gets through and then hears nothing.
        let held = listener.accept().await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        drop(held);
    });
    let house = Built { weather, ..Built::default() }.house();
    let receipt = house.ok("weather.get", json!({})).await;
    assert_eq!((receipt.detail["condition"].as_str(), receipt.changed), (Some("overcast"), false));
    assert_eq!(receipt.detail["temperature"], 7.4);
    let (code, _) = house.fails("weather.get", json!({})).await;
    assert_eq!(code, error_code::TIMEOUT);
    server.abort();
}

#[tokio::test]
async fn a_request_for_later_is_kept_as_a_timer_without_a_name() {
    let house = house();
    let later = json!({"minutes": 10, "conversation_command": "turn off the lamp"});
    assert_eq!(house.ok("timer.start", later).await.detail["timer"]["name"], Value::Null);
    let kept = house.timer_store.kept.lock().unwrap()[0].clone();
    assert_eq!((kept.kind, kept.name.as_deref()), (TimerKind::Command, Some("turn off the lamp")));
    house.ok("timer.cancel", json!({})).await;
    assert!(house.tools.services().timers.all().is_empty());
}

#[tokio::test]
async fn the_weather_of_the_home_is_told_where_no_service_is() {
    let home = "[[entity]]\nid = \"weather.town\"\nname = \"Town\"\nstate = \"partlycloudy\"\n\
                attributes = { temperature = 12, temperature_unit = \"°C\", wind_speed = 9 }\n";
    let house = Built { home, ..Built::default() }.house();
    for args in [json!({}), json!({"name": "town"})] {
        let receipt = house.ok("weather.get", args).await;
        assert_eq!(receipt.detail["condition"], "partly cloudy");
        assert_eq!(receipt.detail["temperature"], json!(12.0));
    }
    let (code, _) = house.fails("weather.get", json!({"name": "moon"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
}
