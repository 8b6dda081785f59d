//! `hark eval fleet`: hundreds of lights that announce themselves by MQTT discovery at the broker inside the real daemon. How
//! soon their names are understood, what they take of memory, and how long it takes from the words of a typed request to
//! the message at the light.

use super::daemon::Daemon;
use super::figures::Row;
use super::needs::Need;
use super::sentences::{self, Sentences, fill};
use super::{Found, Run, failed};
use crate::cli::benchmarks::samples::{Samples, ms};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_config::mqtt::BrokerMode;
use hark_core::Fault;
use rumqttc::{Broker, Client, Connection, Event, MqttOptions, Packet, PublishOptions, QoS};
use serde_json::json;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Where the daemon takes requests.
const ASK: &str = "hark/hark/ask";
/// Messages that wait to be sent, at most.
const CAPACITY: usize = 2000;
/// How long names may take to be understood, and a command to arrive.
const UNDERSTOOD_WITHIN: Duration = Duration::from_secs(180);
const ARRIVES_WITHIN: Duration = Duration::from_secs(20);
/// How often is tried whether the last light is understood.
const TRIES_EACH: Duration = Duration::from_millis(500);
/// Answers and receipts of the request before.
const PAUSE: Duration = Duration::from_millis(60);

/// What it needs.
pub(crate) fn needs(config: &Config) -> Vec<Need> {
    vec![Need::models(config), Need::feature("embedded-broker", cfg!(feature = "embedded-broker"))]
}

/// Something at the broker that announces lights and hears what they are told.
struct Lights {
    client: Client,
    /// Topics of commands as they come.
    commands: Receiver<String>,
    sentences: Sentences,
}

/// Runs it with so many lights and requests.
///
/// # Errors
/// When the daemon cannot be started, or a light is never told anything.
pub(crate) fn run(run: &Run<'_>, devices: usize, count: usize) -> Result<Found, Fault> {
    let sentences = sentences::load()?;
    let most = sentences.storeys.len() * sentences.rooms.len() * sentences.lights.len();
    let devices = devices.clamp(1, most);
    let folder = TemporaryFolder::make()?;
    let mut config = run.apart(&folder);
    let home = folder.path().join("home.toml");
    let place = &sentences.other_area;
    std::fs::write(&home, format!("[[area]]\nid = \"{place}\"\nname = \"{place}\"\n")).map_err(failed)?;
    config.home.file = home.display().to_string();
    config.mqtt.broker = BrokerMode::Embedded;
    config.mqtt.embedded_port = free_port()?;
    let daemon = Daemon::start(&config, &folder)?;
    let lights = Lights::connect(config.mqtt.embedded_port, sentences)?;
    let before = daemon.vitals()?;
    (run.progress)(&format!("{devices} lights announce themselves"));
    lights.announce(devices)?;
    let understood_after = lights.wait_until_understood(devices - 1)?;
    (run.progress)(&format!("{count} requests"));
    let mut times = Samples::default();
    for number in 0..count {
        // Each another light, in no order.
        times.push(lights.ask(number * 7 % devices)?);
    }
    let after = daemon.vitals()?;
    // Its connection ends before the broker does.
    drop(lights);
    let ended_well = daemon.terminate()?.success();
    let mut learned = Samples::default();
    learned.push(ms(understood_after));
    let rows = vec![
        Row::values("from the last announcement to an understood name", "ms", &learned),
        Row::values("from typed words to the command message", "ms", &times),
        Row::share("clean exits on SIGTERM", usize::from(ended_well), 1),
        Row::change(
            "resident memory, before and after the announcements",
            "MiB",
            before.resident_mib,
            after.resident_mib,
        ),
        Row::change("threads", "", before.threads, after.threads),
    ];
    let note = format!("{devices} lights; words and message go over the broker inside the daemon.");
    Ok(Found { rows, notes: vec![note], cases: Vec::new() })
}

/// A port of 127.0.0.1 that was free a moment ago.
fn free_port() -> Result<u16, Fault> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    Ok(listener.local_addr().map_err(failed)?.port())
}

impl Lights {
    fn connect(port: u16, sentences: Sentences) -> Result<Self, Fault> {
        let mut options = MqttOptions::new("hark-eval", Broker::tcp("127.0.0.1", port));
        options.set_keep_alive(30);
        let (client, connection) = Client::builder(options).capacity(CAPACITY).build();
        let (tell, commands) = channel();
        std::thread::Builder::new()
            .name("hark-eval-mqtt".into())
            .spawn(move || follow(connection, &tell))
            .map_err(failed)?;
        client.subscribe("l/+/set", QoS::AtLeastOnce).map_err(failed)?;
        Ok(Self { client, commands, sentences })
    }

    fn publish(&self, topic: &str, payload: String, retained: bool) -> Result<(), Fault> {
        let options = PublishOptions::new(QoS::AtLeastOnce);
        let options = if retained { options.retained() } else { options };
        self.client.publish(topic, payload, options).map_err(failed)
    }

    /// Name and area of a light.
    fn names(&self, light: usize) -> (String, String) {
        let all = &self.sentences;
        let at = |list: &[String], number: usize| {
            list.get(number % list.len().max(1)).cloned().unwrap_or_default()
        };
        let area = light / all.lights.len().max(1);
        let (kind, room) = (at(&all.lights, light), at(&all.rooms, area));
        let storey = at(&all.storeys, area / all.rooms.len().max(1));
        let blanks = [("storey", storey.as_str()), ("room", room.as_str()), ("light", kind.as_str())];
        (fill(&all.light_name, &blanks), fill(&all.area_name, &blanks))
    }

    fn announce(&self, devices: usize) -> Result<(), Fault> {
        for light in 0..devices {
            let (name, area) = self.names(light);
            let announced = json!({
                "name": name, "uniq_id": format!("l{light}"), "cmd_t": format!("l/{light}/set"),
                "stat_t": format!("l/{light}"),
                "dev": {"ids": [format!("d{light}")], "name": name, "sa": area},
            });
            self.publish(&format!("homeassistant/light/l{light}/config"), announced.to_string(), true)?;
            self.publish(&format!("l/{light}"), "OFF".into(), true)?;
        }
        Ok(())
    }

    /// Asks for a light again and again until it is told something.
    fn wait_until_understood(&self, light: usize) -> Result<Duration, Fault> {
        let begun = Instant::now();
        while begun.elapsed() < UNDERSTOOD_WITHIN {
            self.publish(ASK, self.request(light), false)?;
            if self.is_told(light, TRIES_EACH) {
                return Ok(begun.elapsed());
            }
        }
        Err(failed(format!("the names are not understood after {} s", UNDERSTOOD_WITHIN.as_secs())))
    }

    /// Milliseconds from the words to the message at a light.
    fn ask(&self, light: usize) -> Result<f64, Fault> {
        std::thread::sleep(PAUSE);
        while self.commands.try_recv().is_ok() {}
        let (request, begun) = (self.request(light), Instant::now());
        self.publish(ASK, request.clone(), false)?;
        if !self.is_told(light, ARRIVES_WITHIN) {
            return Err(failed(format!("nothing came of “{request}”")));
        }
        let took_ms = ms(begun.elapsed());
        self.publish(&format!("l/{light}"), "ON".into(), true)?;
        Ok(took_ms)
    }

    fn request(&self, light: usize) -> String {
        fill(&self.sentences.light_request, &[("name", &self.names(light).0)])
    }

    fn is_told(&self, light: usize, within: Duration) -> bool {
        let (topic, end) = (format!("l/{light}/set"), Instant::now() + within);
        while let Ok(told) = self.commands.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if told == topic {
                return true;
            }
        }
        false
    }
}

/// Tells the topics of messages until the client is gone.
fn follow(mut connection: Connection, tell: &std::sync::mpsc::Sender<String>) {
    for event in connection.iter() {
        let told = match event {
            Ok(Event::Incoming(Packet::Publish(message))) => {
                tell.send(String::from_utf8_lossy(&message.topic).into_owned()).is_ok()
            }
            Ok(_) => true,
            Err(error) => {
                tracing::warn!("the broker of the evaluation: {error}");
                std::thread::sleep(Duration::from_millis(200));
                true
            }
        };
        if !told {
            return;
        }
    }
}
