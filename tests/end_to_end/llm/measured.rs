//! Measurements, printed and not judged: `cargo test --test end_to_end llm measured -- --ignored --nocapture`.

use super::{BOTH, ask, config, open, prompt};
use crate::support::model_server::{ModelServer, Script, Step};
use std::time::{Duration, Instant};

fn told(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let (half, most) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("{what}: median {half:?}, p95 {most:?} of {}", times.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn what_asking_costs_besides_the_model() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.answer(|_| Script::say("Yes, it is."));
        let model = open(&config(&server, kind));
        let mut times = Vec::new();
        for _ in 0..200 {
            let start = Instant::now();
            ask(&model, "Is it?").await.unwrap();
            times.push(start.elapsed());
        }
        told(&format!("{kind:?}: a whole answer over loopback"), times);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn how_soon_the_server_sees_that_nobody_listens() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.answer(|_| Script::bare(vec![Step::Bytes(b"\n".to_vec()), Step::Hang]));
        let model = open(&config(&server, kind));
        let mut times = Vec::new();
        for number in 0..50 {
            let asking = tokio::spawn(model.complete(prompt("hello"), None));
            tokio::task::block_in_place(|| server.wait("the request", |seen| seen.len() > number));
            let start = Instant::now();
            asking.abort();
            tokio::task::block_in_place(|| server.wait_hung_up(number));
            times.push(start.elapsed());
        }
        told(&format!("{kind:?}: from letting go to a closed connection"), times);
    }
}
