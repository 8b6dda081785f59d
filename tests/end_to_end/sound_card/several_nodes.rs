//! Several nodes in one house, on one broker: one answers, and each knows of the others.

use crate::support::mosquitto::publish_bytes;
use crate::support::sound_card::SoundCard;
use crate::support::{Broker, Hark, flite, text, wait_for};
use hark::app::audio::arbitration::{self, Claims};
use hark::app::event_queue::EventQueue;
use hark_config::mqtt::Mqtt as MqttConfig;
use hark_config::satellite::Satellite;
use hark_core::house::{Claim, Standing};
use hark_core::{DaemonCommand, Event};
use hark_mqtt::{InboundHandlers, Mqtt, NodeInfo};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A node without a microphone: its connection, its arbiter, and the events for its turn machine.
struct Node {
    claims: Claims,
    event_queue: Arc<EventQueue>,
    mqtt: Arc<Mqtt>,
}

impl Node {
    fn start(name: &str, broker: &Broker, runtime: &tokio::runtime::Runtime) -> Self {
        let (claims, claimed) = Claims::new(&Satellite::default());
        let config = MqttConfig {
            url: format!("mqtt://127.0.0.1:{}", broker.port),
            node: name.into(),
            devices: false,
            ..MqttConfig::default()
        };
        let inbound = claims.clone();
        let commands = Arc::new(move |command| {
            if let DaemonCommand::Claimed { claim } = command {
                inbound.claimed(claim);
            }
        });
        let receiving = InboundHandlers { sink: Arc::new(|_| {}), commands, request_log: None };
        let mqtt =
            Mqtt::start(&config, NodeInfo::default(), receiving, None, runtime.handle().clone()).unwrap();
        let (mqtt, event_queue) = (Arc::new(mqtt), Arc::new(EventQueue::default()));
        let (teller, satellite) = (mqtt.clone(), Satellite::default());
        let send = move |claim: &Claim| teller.claim(claim);
        runtime.spawn(arbitration::settle(
            claimed.unwrap(),
            name.into(),
            satellite,
            send,
            event_queue.clone(),
        ));
        Self { claims, event_queue, mqtt }
    }

    /// What it was told last, and how long that took.
    fn standing(&self, since: Instant) -> (Option<Standing>, Duration) {
        let (mut last, mut silent_after) = (None, Duration::ZERO);
        while let Some(event) = self.event_queue.pop(since + Duration::from_millis(1200)) {
            let Event::Standing { standing } = event else { continue };
            // The first word that it may not answer is what keeps it silent.
            if last.is_none() {
                silent_after = since.elapsed();
            }
            last = Some(standing);
        }
        (last, silent_after)
    }
}

#[test]
fn of_ten_nodes_on_a_real_broker_exactly_one_answers() {
    let broker = Broker::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let nodes: Vec<Node> = (0..10).map(|n| Node::start(&format!("node{n}"), &broker, &runtime)).collect();
    for node in &nodes {
        wait_for("the connection", Duration::from_secs(20), || node.mqtt.status().connected.then_some(()));
    }
    for round in 0..5_u64 {
        // Whatever else lies on the topic changes nothing.
        for garbage in [b"\xff\xfe".as_slice(), b"[[[[", b"{\"kind\":\"won\",\"node\":\"\"}", &[b'x'; 9000]] {
            publish_bytes(broker.port, "hark/claim", garbage);
        }
        let since = Instant::now();
        for (n, node) in nodes.iter().enumerate() {
            let n = n as u64;
            node.claims.heard(0.8, -30.0 + ((n * 7 + round) % 5) as f32);
            std::thread::sleep(Duration::from_millis((n * 13 + round * 5) % 9));
        }
        let standings: Vec<_> = std::thread::scope(|scope| {
            let looks: Vec<_> = nodes.iter().map(|node| scope.spawn(move || node.standing(since))).collect();
            looks.into_iter().map(|look| look.join().unwrap()).collect()
        });
        let won = standings.iter().filter(|(standing, _)| *standing == Some(Standing::Won)).count();
        let lost = standings.iter().filter(|(standing, _)| *standing == Some(Standing::Lost)).count();
        assert_eq!((won, lost), (1, 9), "{standings:?}");
        // The window, the time until the last one heard it, and a busy machine.
        for (_, after) in &standings {
            assert!(*after < Duration::from_secs(5), "{standings:?}");
        }
        std::thread::sleep(Duration::from_millis(700));
    }
}

#[test]
fn of_two_nodes_in_one_room_one_answers_and_both_are_listed() {
    let (card, broker) = (SoundCard::start(), Broker::start());
    let all = broker.subscribe("hark/#");
    let (kitchen, office) = (Hark::new(), Hark::new());
    let settings = |node: &str, area: &str| [format!("mqtt.node={node}"), format!("home.area={area}")];
    let live = |hark: &Hark, node: &str, area: &str| {
        let settings = settings(node, area);
        hark.live_in(&card, &broker, &["echo.enabled=false", &settings[0], &settings[1]])
    };
    let first = live(&kitchen, "kitchen", "kitchen");
    all.wait("the kitchen", |line| line == "hark/kitchen/state idle");
    let second = live(&office, "office", "hallway");
    all.wait("the office", |line| line == "hark/office/state idle");
    let request = kitchen.path("request.wav");
    flite("rms", "hey jarvis, what time is it", &request);
    card.play_into_room(&request);
    let answer = |line: &str| line.contains("/event ") && line.contains("\"event\":\"reply\"");
    all.wait("an answer", answer);
    all.wait("the one that is silent", |line| line.contains("\"outcome\":\"elsewhere\""));
    std::thread::sleep(Duration::from_secs(3));
    let replies: Vec<String> = all.lines().into_iter().filter(|line| answer(line)).collect();
    assert_eq!(replies.len(), 1, "{replies:#?}");

    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let list = || text(&kitchen.run(&["home", "list", "--nodes", "--set", &url]).stdout);
    let line = |list: &str, node: &str| list.lines().find(|line| line.starts_with(node)).unwrap().to_owned();
    let both = list();
    assert!(
        line(&both, "kitchen").contains("online") && line(&both, "kitchen").contains("Kitchen"),
        "{both}"
    );
    assert!(line(&both, "office").contains("online") && line(&both, "office").contains("Hallway"), "{both}");
    drop(first);
    wait_for("that one is away", Duration::from_secs(20), || {
        line(&list(), "kitchen").contains("offline").then_some(())
    });
    drop(second);
}

#[test]
fn an_announcement_is_said_everywhere_and_shown_where_it_is_quiet() {
    let (card, broker) = (SoundCard::start(), Broker::start());
    let all = broker.subscribe("hark/#");
    let (kitchen, office) = (Hark::new(), Hark::new());
    let live = |hark: &Hark, node: &str, area: &str| {
        let (node, area) = (format!("mqtt.node={node}"), format!("home.area={area}"));
        hark.live_in(&card, &broker, &["audio.input_device=none", &node, &area])
    };
    let _daemons = (live(&kitchen, "kitchen", "kitchen"), live(&office, "office", "hallway"));
    for node in ["kitchen", "office"] {
        all.wait(node, |line| line == format!("hark/{node}/do_not_disturb/state OFF"));
    }
    let ask = |words: &str| {
        let answers = || {
            let lines = all.lines().into_iter();
            lines.filter(|line| line.starts_with("hark/kitchen/answer ")).collect::<Vec<_>>()
        };
        let before = answers().len();
        broker.publish("hark/kitchen/ask", words);
        wait_for(words, Duration::from_secs(20), || answers().get(before).cloned())
    };
    let shown = |text: &str| {
        let lines = all.lines();
        let nodes = ["kitchen", "office"].into_iter();
        let state = |node: &str| format!("hark/{node}/last_response/state {text}");
        nodes.filter(|node| lines.contains(&state(node))).collect::<Vec<_>>()
    };
    assert_eq!(ask("announce that dinner is ready"), "hark/kitchen/answer Announced on kitchen, office.");
    assert_eq!(shown("dinner is ready"), ["kitchen", "office"]);
    all.wait("the voice of the office", |line| {
        line.starts_with("hark/office/event") && line.contains("\"speaking_started\"")
    });
    assert_eq!(
        ask("announce in the hallway that tea is ready"),
        "hark/kitchen/answer Announced in the hallway."
    );
    assert_eq!(shown("tea is ready"), ["office"]);
    let spoken = |node: &str| {
        let own = format!("hark/{node}/event");
        all.lines().iter().filter(|l| l.starts_with(&own) && l.contains("\"speaking_started\"")).count()
    };
    wait_for("the second announcement", Duration::from_secs(20), || (spoken("office") >= 2).then_some(()));
    broker.publish("hark/office/do_not_disturb/set", "ON");
    all.wait("quiet", |line| line == "hark/office/do_not_disturb/state ON");
    let before = spoken("office");
    let answer = ask("announce that the cake is ready");
    assert_eq!(answer, "hark/kitchen/answer Announced on kitchen, office; office only shows it.");
    assert_eq!(shown("the cake is ready"), ["kitchen", "office"]);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(spoken("office"), before, "it is shown and not said");
    // A timer rings all the same.
    broker.publish("hark/office/ask", "set a timer for one second");
    wait_for("the timer to be heard", Duration::from_secs(20), || (spoken("office") > before).then_some(()));
}
