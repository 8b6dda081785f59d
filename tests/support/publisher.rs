//! A publisher that can do what `mosquitto_pub` cannot: ten thousand messages a second on many topics, and any bytes.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

/// A connection that publishes with QoS 0.
pub struct Publisher {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Publisher {
    pub fn connect(port: u16) -> Self {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let id = format!("publisher-{}", stream.local_addr().unwrap().port());
        let mut body = b"\x00\x04MQTT\x04\x02\x00\x00".to_vec();
        put_text(&mut body, id.as_bytes());
        stream.write_all(&packet(0x10, &body)).unwrap();
        let mut answer = [0; 4];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(answer, [0x20, 2, 0, 0], "the broker lets it in");
        Self { stream, buffer: Vec::new() }
    }

    /// Adds a message to what is sent next.
    pub fn add(&mut self, topic: &str, payload: &[u8], retain: bool) {
        let mut body = Vec::with_capacity(topic.len() + payload.len() + 2);
        put_text(&mut body, topic.as_bytes());
        body.extend(payload);
        self.buffer.extend(packet(0x30 | u8::from(retain), &body));
    }

    /// Sends what was added; whether the broker still takes it.
    pub fn send(&mut self) -> bool {
        let sent = self.stream.write_all(&self.buffer).is_ok();
        self.buffer.clear();
        sent
    }
}

fn put_text(body: &mut Vec<u8>, text: &[u8]) {
    body.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    body.extend(text);
}

fn packet(head: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![head];
    let mut length = body.len();
    loop {
        let more = u8::from(length > 0x7f) << 7;
        packet.push(u8::try_from(length & 0x7f).unwrap() | more);
        length >>= 7;
        if more == 0 {
            break;
        }
    }
    packet.extend(body);
    packet
}
