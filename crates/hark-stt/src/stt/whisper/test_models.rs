//! Model files for tests. The program's own tests include this file as well.

use std::io::Write;

/// Magic and numbers of tiny.en's header: vocabulary, audio context, width, heads, layers, text context,
/// width, heads, layers, mel bands, type.
pub const STUB_HEADER: [u32; 12] = [0x6767_6d6c, 51_864, 1500, 384, 6, 4, 448, 384, 6, 4, 80, 1];

/// A model of these dimensions with made-up words and without weights.
pub fn stub(header: &[u32; 12]) -> Vec<u8> {
    let mut bytes: Vec<u8> = header.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend(80u32.to_le_bytes());
    bytes.extend(201u32.to_le_bytes());
    bytes.extend(vec![0; 80 * 201 * 4]);
    let words: Vec<String> = [" ", " -", " '"]
        .map(str::to_owned)
        .into_iter()
        .chain((3..50_257).map(|id| format!(" {id:x}")))
        .collect();
    bytes.extend((words.len() as u32).to_le_bytes());
    for word in words {
        bytes.extend((word.len() as u32).to_le_bytes());
        bytes.extend(word.as_bytes());
    }
    bytes
}

pub fn model_file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}
