//! The other end of the wire, by hand: a broker that does what it is told, and a line that goes dead.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A broker of MQTT 3.1.1 for one client at a time.
pub struct HandBroker {
    pub port: u16,
    listener: TcpListener,
}

impl HandBroker {
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        Self { port: listener.local_addr().unwrap().port(), listener }
    }

    /// Waits for the client, takes its CONNECT and its subscriptions, and acknowledges from then on what it publishes.
    pub fn accept(&self, session_present: bool) -> Hand {
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut reader = stream.try_clone().unwrap();
        let mut answers = stream.try_clone().unwrap();
        assert_eq!(packet(&mut reader).unwrap().0 >> 4, 1, "CONNECT");
        answers.write_all(&[0x20, 2, u8::from(session_present), 0]).unwrap();
        let acknowledged = Arc::<Mutex<BTreeSet<u16>>>::default();
        let (ids, kinds) = (acknowledged.clone(), Arc::<Mutex<Vec<u8>>>::default());
        let seen = kinds.clone();
        std::thread::spawn(move || {
            while let Some((head, body)) = packet(&mut reader) {
                seen.lock().unwrap().push(head >> 4);
                let answer = match head >> 4 {
                    3 if head & 6 == 2 => {
                        let topic = usize::from(u16::from_be_bytes([body[0], body[1]]));
                        vec![0x40, 2, body[2 + topic], body[3 + topic]]
                    }
                    4 => {
                        ids.lock().unwrap().insert(u16::from_be_bytes([body[0], body[1]]));
                        continue;
                    }
                    8 => vec![0x90, 2 + filters(&body[2..]), body[0], body[1]],
                    12 => vec![0xd0, 0],
                    _ => continue,
                };
                let mut answer = answer;
                if answer[0] == 0x90 {
                    answer.resize(usize::from(answer[1]) + 2, 1);
                }
                if answers.write_all(&answer).is_err() {
                    return;
                }
            }
        });
        Hand { stream, acknowledged, kinds }
    }
}

/// How many filters a SUBSCRIBE asks for.
fn filters(mut rest: &[u8]) -> u8 {
    let mut count = 0;
    while rest.len() > 2 {
        let length = usize::from(u16::from_be_bytes([rest[0], rest[1]]));
        rest = &rest[length + 3..];
        count += 1;
    }
    count
}

/// First byte and body of the next packet; `None` at the end.
fn packet(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut byte = [0];
    stream.read_exact(&mut byte).ok()?;
    let head = byte[0];
    let (mut length, mut shift) = (0usize, 0);
    loop {
        stream.read_exact(&mut byte).ok()?;
        length |= usize::from(byte[0] & 0x7f) << shift;
        shift += 7;
        if byte[0] & 0x80 == 0 {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// One connection of a [`HandBroker`].
pub struct Hand {
    stream: TcpStream,
    acknowledged: Arc<Mutex<BTreeSet<u16>>>,
    kinds: Arc<Mutex<Vec<u8>>>,
}

impl Hand {
    /// Delivers with QoS 1, under this packet id; `dup`: as if it might have come before.
    pub fn deliver(&mut self, topic: &str, payload: &str, id: u16, dup: bool) {
        let mut body = u16::try_from(topic.len()).unwrap().to_be_bytes().to_vec();
        body.extend(topic.as_bytes());
        body.extend(id.to_be_bytes());
        body.extend(payload.as_bytes());
        let mut packet = vec![0x32 | u8::from(dup) << 3, u8::try_from(body.len()).unwrap()];
        packet.extend(body);
        self.stream.write_all(&packet).unwrap();
    }

    /// The packet ids that were acknowledged on this connection.
    pub fn acknowledged(&self) -> Vec<u16> {
        self.acknowledged.lock().unwrap().iter().copied().collect()
    }

    /// The kinds of the packets that came behind the CONNECT, such as 3 for PUBLISH and 8 for SUBSCRIBE.
    pub fn kinds(&self) -> Vec<u8> {
        self.kinds.lock().unwrap().clone()
    }

    /// Breaks the connection.
    pub fn hang_up(self) {
        self.stream.shutdown(std::net::Shutdown::Both).unwrap();
    }
}

/// A line to a port that can go dead: what is connected then stays connected, and nothing passes any more. What
/// connects later passes.
pub struct Line {
    pub port: u16,
    dead: Arc<AtomicUsize>,
    joined: Arc<AtomicUsize>,
}

impl Line {
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (dead, joined) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let line =
            Self { port: listener.local_addr().unwrap().port(), dead: dead.clone(), joined: joined.clone() };
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let number = joined.fetch_add(1, Ordering::SeqCst) + 1;
                let far = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
                let gone = Arc::new(AtomicBool::new(false));
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (dead, gone) = (dead.clone(), gone.clone());
                    std::thread::spawn(move || {
                        pass(from, to, &|| dead.load(Ordering::SeqCst) >= number, &gone)
                    });
                }
            }
        });
        line
    }

    /// Everything that is connected now hears nothing any more, in either direction.
    pub fn goes_dead(&self) {
        self.dead.store(self.joined.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// How many connections were made.
    pub fn joined(&self) -> usize {
        self.joined.load(Ordering::SeqCst)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, is_dead: &dyn Fn() -> bool, gone: &AtomicBool) {
    from.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut buffer = [0; 4096];
    loop {
        match from.read(&mut buffer) {
            _ if is_dead() => {
                // Neither closes nor passes anything: the other side learns nothing.
                while !gone.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(200));
                }
                return;
            }
            Err(error)
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Ok(read) if read > 0 && to.write_all(&buffer[..read]).is_ok() => {}
            _ => {
                gone.store(true, Ordering::SeqCst);
                let _ = to.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    }
}
