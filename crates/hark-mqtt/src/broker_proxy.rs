//! TCP proxy in front of the embedded broker: forwards packet by packet, and closes connections whose packets would bring
//! the broker down. rumqttd 0.20 cuts a topic behind its first byte (`protocol::matches`), so a topic that begins with a
//! multi-byte character ends its router. A client that sends nothing does not reach the broker, see
//! [`Seats`](hark_net::seats::Seats). Runs on the thread `hark-mqtt-proxy`.

use hark_net::seats::{Seat, Seats};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Programs at one time.
pub const MAX_CLIENTS: usize = 64;

/// How long a program may take to say who it is.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest packet; the broker behind takes shorter ones only.
const PACKET_MAX_BYTES: usize = 4 * 1024 * 1024;

/// Kinds of packets that hold topics (MQTT 3.1.1, 2.2.1).
const CONNECT: u8 = 1;
const PUBLISH: u8 = 3;
const SUBSCRIBE: u8 = 8;
const UNSUBSCRIBE: u8 = 10;

/// Stands before the broker that listens on 127.0.0.1:`inner` for as long as the process runs.
pub async fn run_proxy(listener: TcpListener, inner: u16) {
    let inner = SocketAddr::from((Ipv4Addr::LOCALHOST, inner));
    let (seats, mut programs) = (Seats::new(MAX_CLIENTS), JoinSet::new());
    loop {
        let taken = tokio::select! {
            Some(_) = programs.join_next(), if !programs.is_empty() => continue,
            taken = listener.accept() => taken,
        };
        let (program, from) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                tracing::warn!(%error, "the embedded MQTT broker could not take a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Some(seat) = seats.take() else {
            tracing::warn!(%from, "the embedded MQTT broker has {MAX_CLIENTS} programs and takes no more");
            continue;
        };
        seat.serve(&mut programs, |seat| async move {
            match pass(program, inner, &seat).await {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    tracing::warn!(%from, "a program was put out of the embedded MQTT broker: {error}");
                }
                _ => {}
            }
        });
    }
}

/// Until either side closes.
async fn pass(program: TcpStream, inner: SocketAddr, seat: &Seat) -> io::Result<()> {
    program.set_nodelay(true)?;
    let (mut from, mut to) = program.into_split();
    let waiting = seat.waits();
    let mut greeting = Vec::new();
    tokio::time::timeout(CONNECT_TIMEOUT, forward_packet(&mut from, &mut greeting)).await??;
    seat.works(waiting);
    let broker = TcpStream::connect(inner).await?;
    broker.set_nodelay(true)?;
    let (mut back, mut forth) = broker.into_split();
    forth.write_all(&greeting).await?;
    let there = async {
        loop {
            if let Err(error) = forward_packet(&mut from, &mut forth).await {
                return error;
            }
        }
    };
    tokio::select! {
        error = there => Err(error),
        done = tokio::io::copy(&mut back, &mut to) => done.map(drop),
    }
}

/// Hands on one packet.
async fn forward_packet(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
) -> io::Result<()> {
    let mut packet = vec![from.read_u8().await?];
    let mut length = 0;
    for place in 0..4 {
        let byte = from.read_u8().await?;
        packet.push(byte);
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    if length > PACKET_MAX_BYTES || packet.last().is_some_and(|byte| packet.len() > 4 && byte & 0x80 != 0) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its packet is too long"));
    }
    let begins = packet.len();
    // Grows with what has come, not with what is promised.
    let came = from.take(length as u64).read_to_end(&mut packet).await?;
    if came < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let is_bad = |topic: &&[u8]| topic.first().is_some_and(|first| !first.is_ascii());
    if let Some(topic) = topics(packet[0] >> 4, &packet[begins..]).into_iter().find(is_bad) {
        let topic: String = String::from_utf8_lossy(topic).chars().take(60).collect();
        let why = format!(
            "it cannot take topics that begin with a letter beyond ASCII ({topic}); a broker named in mqtt.url can"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    to.write_all(&packet).await
}

/// Topics and filters of a packet, as far as it is whole.
fn topics(kind: u8, body: &[u8]) -> Vec<&[u8]> {
    let mut topics = Vec::new();
    let mut rest = body;
    match kind {
        PUBLISH => topics.extend(field(&mut rest)),
        CONNECT => {
            let _protocol = field(&mut rest);
            // Level, flags, keep alive (two bytes), then the client's id.
            let has_will = rest.get(1).is_some_and(|flags| flags & 0x04 != 0);
            rest = rest.get(4..).unwrap_or_default();
            let _client = field(&mut rest);
            topics.extend(field(&mut rest).filter(|_| has_will));
        }
        SUBSCRIBE | UNSUBSCRIBE => {
            rest = rest.get(2..).unwrap_or_default();
            while let Some(filter) = field(&mut rest) {
                topics.push(filter);
                rest = rest.get(usize::from(kind == SUBSCRIBE)..).unwrap_or_default();
            }
        }
        _ => {}
    }
    topics
}

/// A field that begins with its length; `rest` is what follows it.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk::<2>()?;
    let (field, behind) = behind.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    *rest = behind;
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_found_in_every_packet_that_has_some() {
        let connect = b"\x00\x04MQTT\x04\x06\x00\x3c\x00\x02id\x00\x04will\x00\x01x";
        assert_eq!(topics(CONNECT, connect), [b"will"]);
        assert!(topics(CONNECT, b"\x00\x04MQTT\x04\x02\x00\x3c\x00\x02id").is_empty());
        assert_eq!(topics(PUBLISH, b"\x00\x03a/bpayload"), [b"a/b"]);
        assert_eq!(topics(SUBSCRIBE, b"\x00\x01\x00\x01a\x00\x00\x01b\x01"), [b"a", b"b"]);
        assert_eq!(topics(UNSUBSCRIBE, b"\x00\x01\x00\x01a\x00\x01b"), [b"a", b"b"]);
        for kind in 0..16 {
            for broken in [&b""[..], b"\x00", b"\xff\xff", b"\x00\x05ab", b"\x00\x01\xff\xff"] {
                assert!(topics(kind, broken).iter().all(|topic| topic.len() < 5));
            }
        }
    }

    #[tokio::test]
    async fn programs_that_say_nothing_keep_nobody_out() {
        let here = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let (gate, broker) = (here().await.unwrap(), here().await.unwrap());
        let door = gate.local_addr().unwrap();
        let standing = tokio::spawn(run_proxy(gate, broker.local_addr().unwrap().port()));
        let mut silent = Vec::new();
        for _ in 0..5 * MAX_CLIENTS {
            let mut program = TcpStream::connect(door).await.unwrap();
            // The beginning of a packet, of 112 bytes.
            program.write_all(b"\x10\x70").await.unwrap();
            silent.push(program);
        }
        let connect = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02id";
        let mut program = TcpStream::connect(door).await.unwrap();
        program.write_all(connect).await.unwrap();
        let (mut met, _) = broker.accept().await.unwrap();
        let mut packet = [0; 16];
        tokio::time::timeout(Duration::from_secs(60), met.read_exact(&mut packet)).await.unwrap().unwrap();
        assert_eq!(&packet, connect, "the broker meets nobody else");
        let mut rest = Vec::new();
        let closed = silent[0].read_to_end(&mut rest).await;
        assert!(closed.is_err() || rest.is_empty(), "it has given up its place");
        standing.abort();
    }

    #[tokio::test]
    async fn packets_are_handed_on_whole_and_bad_ones_not_at_all() {
        let passes = async |bytes: &[u8]| {
            let (mut from, mut to) = (bytes, Vec::new());
            let result = forward_packet(&mut from, &mut to).await;
            result.map(|()| to).map_err(|error| error.kind())
        };
        let long = [&[0x30, 0xc8, 0x01, 0x00, 0x01, b'a'][..], &[b'x'; 197]].concat();
        assert_eq!(passes(&long).await, Ok(long.clone()));
        assert_eq!(passes(b"\xc0\x00rest").await, Ok(b"\xc0\x00".to_vec()));
        assert_eq!(passes("\x30\x07\x00\x03ölx".as_bytes()).await, Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(passes("\x30\x06\x00\x03ölx".as_bytes()).await, Err(io::ErrorKind::InvalidData));
        assert_eq!(passes(b"\x30\xff\xff\xff\xff\x01").await, Err(io::ErrorKind::InvalidData));
        assert_eq!(passes(b"\x30\xff\xff\xff\x7f").await, Err(io::ErrorKind::InvalidData));
        assert_eq!(passes(b"\x30\x09\x00").await, Err(io::ErrorKind::UnexpectedEof));
    }
}
