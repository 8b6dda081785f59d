//! A language model of our own on loopback: speaks Ollama's and OpenAI's wire formats byte for byte, says what a
//! script tells it to, misbehaves when it is told to, and remembers what it was asked and when the client hung up.

use super::wire_format::{self, Dialect};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// One thing that happens while an answer is sent.
#[derive(Clone)]
pub enum Step {
    /// Words of the model.
    Words(String),
    /// A tool the model wants, by its name in the tool table.
    Call(String, Value),
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// Time passes.
    Wait(Duration),
    /// Nothing happens until the gate is opened.
    Gate(Gate),
    /// Nothing happens any more; only the client can end it.
    Hang,
    /// These bytes again and again, until the client has enough.
    Endless(Vec<u8>),
    /// The connection breaks in the midst of it.
    Break,
}

/// Holds a server back until a test lets it go on.
#[derive(Clone, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    pub fn open(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn is_open(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How one request is answered.
#[derive(Clone)]
pub struct Script {
    status: u16,
    headers: Vec<(String, String)>,
    steps: Vec<Step>,
    /// Whether what the wire format has around the words is sent too.
    framed: bool,
    reason: Option<&'static str>,
    /// Bytes sent at once.
    at_once: usize,
    ignores_stream: bool,
}

impl Script {
    /// An answer made of these steps, with everything the wire format has around it.
    pub fn steps(steps: Vec<Step>) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            steps,
            framed: true,
            reason: None,
            at_once: usize::MAX,
            ignores_stream: false,
        }
    }

    /// Words, one frame each word.
    pub fn say(words: &str) -> Self {
        Self::steps(words.split_inclusive(' ').map(|word| Step::Words(word.to_owned())).collect())
    }

    /// A tool it wants.
    pub fn call(tool: &str, args: Value) -> Self {
        Self::steps(vec![Step::Call(tool.to_owned(), args)])
    }

    /// Several tools it wants at once.
    pub fn calls(calls: &[(&str, Value)]) -> Self {
        Self::steps(calls.iter().map(|(tool, args)| Step::Call((*tool).to_owned(), args.clone())).collect())
    }

    /// A body as it is, under this status.
    pub fn raw(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, framed: false, ..Self::steps(vec![Step::Bytes(body.into())]) }
    }

    /// Steps without anything around them.
    pub fn bare(steps: Vec<Step>) -> Self {
        Self { framed: false, ..Self::steps(steps) }
    }

    /// Takes the request and says nothing.
    pub fn hang() -> Self {
        Self { status: 0, framed: false, ..Self::steps(vec![Step::Hang]) }
    }

    /// Closes without a word.
    pub fn closes() -> Self {
        Self { status: 0, framed: false, ..Self::steps(vec![Step::Break]) }
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The answer was cut off at the most tokens.
    pub fn cut_short(mut self) -> Self {
        self.reason = Some("length");
        self
    }

    /// Sends at most so many bytes at a time.
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.at_once = bytes;
        self
    }

    /// Answers all at once, whatever the request says.
    pub fn ignoring_stream(mut self) -> Self {
        self.ignores_stream = true;
        self
    }

    /// One more step.
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// A request as it was seen.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which of all requests, from 0.
    pub number: usize,
    /// Which connection it came by, from 0.
    pub connection: usize,
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` where there is none.
    pub body: Value,
    /// The answer was sent to its end.
    pub answered: bool,
    /// The client hung up before that.
    pub hung_up: bool,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The last words of the person in it, without what Hark tells beside them.
    pub fn asked(&self) -> String {
        let told = self.told();
        told.rsplit("\n\n").next().unwrap_or_default().to_owned()
    }

    /// The last message of the person's side as a whole.
    pub fn told(&self) -> String {
        let messages = self.body["messages"].as_array();
        let of_user = |message: &&Value| message["role"] == "user";
        let last = messages.and_then(|messages| messages.iter().rfind(of_user));
        let words = last.map_or(&self.body["prompt"], |message| &message["content"]);
        words.as_str().map_or_else(|| words.to_string(), str::to_owned)
    }

    fn is_chat(&self) -> bool {
        self.method == "POST" && !self.path.ends_with("/api/show")
    }
}

type Brain = Box<dyn FnMut(&Request) -> Script + Send>;

#[derive(Default)]
struct State {
    queue: VecDeque<Script>,
    lists: VecDeque<Script>,
    brain: Option<Brain>,
    models: Vec<String>,
    shown: Value,
    seen: Vec<Request>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    connections: AtomicUsize,
    over: AtomicBool,
}

/// The server. It ends with its value.
pub struct ModelServer {
    pub port: u16,
    shared: Arc<Shared>,
}

impl ModelServer {
    /// Listens on a free port; has a model `toy`, and nothing to say yet.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = State { models: vec!["toy".into()], ..State::default() };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            connections: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        });
        let inside = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if inside.over.load(Ordering::SeqCst) {
                    return;
                }
                let (shared, connection) =
                    (inside.clone(), inside.connections.fetch_add(1, Ordering::SeqCst));
                std::thread::spawn(move || shared.serve(stream, connection));
            }
        });
        Self { port, shared }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The settings that make Hark use it: `provider` is `ollama` or `openai`.
    pub fn settings(&self, provider: &str) -> Vec<String> {
        vec![
            format!("llm.url={}", self.url()),
            format!("llm.provider={provider}"),
            "llm.model=toy".to_owned(),
        ]
    }

    /// Answers the next request that has no answer yet with this.
    pub fn queue(&self, script: Script) {
        self.shared.state().queue.push_back(script);
    }

    /// Answers every request for which nothing is queued as this decides.
    pub fn answer(&self, brain: impl FnMut(&Request) -> Script + Send + 'static) {
        self.shared.state().brain = Some(Box::new(brain));
    }

    /// Answers the next question for its models, or for llama.cpp's `/props`, with this.
    pub fn queue_list(&self, script: Script) {
        self.shared.state().lists.push_back(script);
    }

    /// Tells this of each model (`/api/show` of Ollama).
    pub fn shows(&self, shown: Value) {
        self.shared.state().shown = shown;
    }

    /// Has these models.
    pub fn has(&self, models: &[&str]) {
        self.shared.state().models = models.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Everything it was asked, questions for its models too.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().seen.clone()
    }

    /// What it was asked to answer.
    pub fn chats(&self) -> Vec<Request> {
        self.requests().into_iter().filter(Request::is_chat).collect()
    }

    /// Connections that were made.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits until the requests are as wanted.
    pub fn wait(&self, what: &str, check: impl Fn(&[Request]) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        let mut state = self.shared.state();
        while !check(&state.seen) {
            assert!(Instant::now() < end, "waited for {what}: {:#?}", state.seen);
            state = self.shared.changed.wait_timeout(state, Duration::from_millis(100)).unwrap().0;
        }
    }

    /// Waits until the client has hung up on that request.
    pub fn wait_hung_up(&self, number: usize) {
        self.wait("the client to hang up", |seen| seen.get(number).is_some_and(|request| request.hung_up));
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// The client is gone, or the test is over.
struct Gone;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream, connection: usize) {
        stream.set_nodelay(true).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while let Some(mut request) = read_request(&mut reader, connection) {
            let script = {
                let mut state = self.state();
                request.number = state.seen.len();
                state.seen.push(request.clone());
                state.script_for(&request)
            };
            self.changed.notify_all();
            let keeps_on = self.play(&stream, &request, &script);
            {
                let mut state = self.state();
                let seen = &mut state.seen[request.number];
                match keeps_on {
                    Ok(_) => seen.answered = true,
                    Err(Gone) => seen.hung_up = true,
                }
            }
            self.changed.notify_all();
            if !matches!(keeps_on, Ok(true)) {
                let _ = stream.shutdown(Shutdown::Both);
                return;
            }
        }
    }

    /// Sends an answer. `false`: the connection ends with it, as the script wants.
    fn play(&self, stream: &TcpStream, request: &Request, script: &Script) -> Result<bool, Gone> {
        let dialect = Dialect::of(&request.path, &request.body, script.ignores_stream);
        if script.status > 0 {
            let mut head = format!("HTTP/1.1 {} Scripted\r\n", script.status);
            let typed = script.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            if !typed {
                head += &format!("content-type: {}\r\n", dialect.content_type());
            }
            for (name, value) in &script.headers {
                head += &format!("{name}: {value}\r\n");
            }
            head += "transfer-encoding: chunked\r\n\r\n";
            write(stream, head.as_bytes())?;
        }
        let chunked = script.status > 0;
        let pieces = if script.framed {
            wire_format::render(&script.steps, dialect, request.number, script.reason)
        } else {
            script.steps.clone()
        };
        for step in &pieces {
            match step {
                Step::Bytes(bytes) => {
                    for piece in bytes.chunks(script.at_once.clamp(1, bytes.len().max(1))) {
                        write(stream, &if chunked { chunk(piece) } else { piece.to_vec() })?;
                    }
                }
                Step::Wait(time) => self.pass(stream, &|since| since >= *time)?,
                Step::Gate(gate) => self.pass(stream, &|_| gate.is_open())?,
                Step::Hang => self.pass(stream, &|_| false)?,
                Step::Endless(bytes) => loop {
                    write(stream, &chunk(bytes))?;
                    self.pass(stream, &|_| true)?;
                },
                Step::Break => return Ok(false),
                Step::Words(_) | Step::Call(..) => panic!("words and calls need the wire format around them"),
            }
        }
        if chunked {
            write(stream, b"0\r\n\r\n")?;
        }
        Ok(chunked)
    }

    /// Waits, and looks whether the client is still there.
    fn pass(&self, stream: &TcpStream, is_over: &dyn Fn(Duration) -> bool) -> Result<(), Gone> {
        let start = Instant::now();
        loop {
            if has_hung_up(stream) || self.over.load(Ordering::SeqCst) {
                return Err(Gone);
            }
            if is_over(start.elapsed()) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl State {
    fn script_for(&mut self, request: &Request) -> Script {
        // Other pages than those of providers are like any other request.
        let of_provider = ["/v1/", "/api/"].iter().any(|folder| request.path.starts_with(folder));
        if request.path.ends_with("/api/show") {
            return Script::raw(200, self.shown.to_string());
        }
        let told = ["/models", "/props"].iter().any(|page| request.path.ends_with(page));
        if request.method == "GET" && (of_provider || told) {
            let body = wire_format::list(&request.path, &self.models);
            let scripted = self.lists.pop_front();
            return scripted.or_else(|| body.map(|body| Script::raw(200, body))).unwrap_or_else(not_found);
        }
        if let Some(script) = self.queue.pop_front() {
            return script;
        }
        match &mut self.brain {
            Some(brain) => brain(request),
            None => Script::raw(418, "nothing is scripted for this request"),
        }
    }
}

fn not_found() -> Script {
    Script::raw(404, "404 page not found").header("content-type", "text/plain")
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

fn write(mut stream: &TcpStream, bytes: &[u8]) -> Result<(), Gone> {
    stream.write_all(bytes).map_err(|_| Gone)
}

fn has_hung_up(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    match peeked {
        Ok(bytes) => bytes == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

fn read_request(reader: &mut BufReader<TcpStream>, connection: usize) -> Option<Request> {
    let mut line = String::new();
    let mut next = || {
        line.clear();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_owned())
    };
    let first = next()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let line = next()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.trim().to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, length)| length.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Request { number: 0, connection, method, path, headers, body, answered: false, hung_up: false })
}
