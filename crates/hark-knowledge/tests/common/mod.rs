//! What the tests share: an encoder, and files of every format, made here byte by byte.

// Each test program uses some of it; clippy knows only functions marked as tests.
#![allow(dead_code, clippy::unwrap_used)]

use hark_core::Fault;
use hark_knowledge::{Encoder, Hit, Knowledge, Progress, Searcher, Settings, WordVectors};
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub const DIMENSION: usize = 64;

/// An encoder that knows words by their first five letters: each beginning has a direction, a sentence is the mean.
/// It reads `limit` words, as a real one does.
pub struct WordEncoder {
    pub name: &'static str,
    pub limit: usize,
    pub delay: Duration,
    pub runs: usize,
}

impl Default for WordEncoder {
    fn default() -> Self {
        Self { name: "words", limit: 30, delay: Duration::ZERO, runs: 0 }
    }
}

/// A direction that depends on the beginning of the word only.
fn direction(word: &str) -> Vec<f32> {
    let stem: String =
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(5).collect();
    let mut state = stem.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / 16_777_216.0 - 0.5
    };
    (0..DIMENSION).map(|_| next()).collect()
}

impl Encoder for WordEncoder {
    fn name(&self) -> &str {
        self.name
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn encode(&mut self, text: &str, sentence: &mut Vec<f32>, words: &mut WordVectors) -> Result<(), Fault> {
        std::thread::sleep(self.delay);
        self.runs += 1;
        words.width = DIMENSION;
        words.numbers = text.split(' ').take(self.limit).flat_map(direction).collect();
        *sentence = vec![0.0; DIMENSION];
        for word in words.numbers.chunks(DIMENSION) {
            sentence.iter_mut().zip(word).for_each(|(sum, number)| *sum += number);
        }
        Ok(())
    }
}

pub fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

pub fn settings() -> Settings {
    let words = ["the", "a", "is", "do", "how", "what", "i", "my", "of", "to", "in", "where", "when", "it"];
    Settings { function_words: words.map(str::to_owned).to_vec(), ..Settings::default() }
}

/// A folder with an index beside a folder of documents.
pub struct House {
    pub folder: tempfile::TempDir,
}

impl House {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        Self { folder }
    }

    pub fn index(&self) -> PathBuf {
        self.folder.path().join("knowledge.db")
    }

    pub fn docs(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("docs")
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.docs().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn open(&self) -> Knowledge {
        Knowledge::open(&self.index(), settings()).unwrap()
    }

    pub fn search(&self, question: &str) -> Vec<Hit> {
        Searcher::open(&self.index(), settings())
            .unwrap()
            .search(&mut WordEncoder::default(), question)
            .unwrap()
    }
}

/// A PDF with a line of text after the other on each page; an empty page has a picture of nothing.
pub fn pdf(pages: &[&[&str]], encrypted: bool) -> Vec<u8> {
    let mut objects: Vec<String> = Vec::new();
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + page * 2)).collect();
    objects.push("<< /Type /Catalog /Pages 2 0 R >>".to_owned());
    objects.push(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()));
    objects
        .push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned());
    for (at, lines) in pages.iter().enumerate() {
        let content = 5 + at * 2;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        let shown: String = lines
            .iter()
            .enumerate()
            .map(|(row, line)| format!("BT /F1 12 Tf 50 {} Td ({line}) Tj ET\n", 780 - row * 14))
            .collect();
        let shown = if shown.is_empty() { "0 0 100 100 re f\n".to_owned() } else { shown };
        objects.push(format!("<< /Length {} >>\nstream\n{shown}endstream", shown.len()));
    }
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        write!(out, "{} 0 obj\n{object}\nendobj\n", at + 1).unwrap();
    }
    let table = out.len();
    write!(out, "xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).unwrap();
    places.iter().for_each(|place| writeln!(out, "{place:010} 00000 n ").unwrap());
    let lock = format!(
        "/Encrypt << /Filter /Standard /V 1 /R 2 /O <{o}> /U <{u}> /P -44 >> /ID [<{id}> <{id}>]",
        o = "5a".repeat(32),
        u = "a5".repeat(32),
        id = "01".repeat(16)
    );
    let lock = if encrypted { lock } else { String::new() };
    write!(out, "trailer\n<< /Size {} /Root 1 0 R {lock} >>\nstartxref\n{table}\n%%EOF\n", places.len() + 1)
        .unwrap();
    out
}

/// An EPUB of chapters, each with its name in the archive.
pub fn epub(title: &str, chapters: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, content: &str| {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    };
    add("mimetype", "application/epub+zip");
    add(
        "META-INF/container.xml",
        "<?xml version=\"1.0\"?><container><rootfiles><rootfile full-path=\"OEBPS/book.opf\" media-type=\"x\"/></rootfiles></container>",
    );
    let items: String = chapters
        .iter()
        .enumerate()
        .map(|(at, (name, _))| {
            format!("<item id=\"c{at}\" href=\"{name}\" media-type=\"application/xhtml+xml\"/>")
        })
        .collect();
    let spine: String = (0..chapters.len()).map(|at| format!("<itemref idref=\"c{at}\"/>")).collect();
    add(
        "OEBPS/book.opf",
        &format!(
            "<?xml version=\"1.0\"?><package><metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
        ),
    );
    for (name, content) in chapters {
        add(&format!("OEBPS/{name}"), content);
    }
    archive.finish().unwrap().into_inner()
}

pub fn ends_with(hit: &Hit, name: &str) -> bool {
    hit.path.ends_with(Path::new(name))
}
