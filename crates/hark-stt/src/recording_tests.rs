//! Recordings of every common format, and of every kind of damage.

use super::*;
use hound::{SampleFormat, WavSpec, WavWriter};

fn spec(channels: u16, sample_rate: u32, bits_per_sample: u16, sample_format: SampleFormat) -> WavSpec {
    WavSpec { channels, sample_rate, bits_per_sample, sample_format }
}

/// A temporary folder with one file of this content.
fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("file");
    (folder, path)
}

/// Half a second of a 440 Hz tone at −6 dB in every channel, as the bytes of a WAV file.
fn tone(spec: WavSpec) -> Vec<u8> {
    let mut bytes = io::Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, spec).expect("writer");
    let step = std::f32::consts::TAU * 440.0 / spec.sample_rate as f32;
    for frame in 0..spec.sample_rate / 2 {
        let value = (frame as f32 * step).sin() * 0.5;
        for _ in 0..spec.channels {
            match spec.sample_format {
                SampleFormat::Float => writer.write_sample(value).expect("sample"),
                SampleFormat::Int => {
                    let scale = (1_i64 << (spec.bits_per_sample - 1)) as f64;
                    writer.write_sample((f64::from(value) * scale) as i32).expect("sample");
                }
            }
        }
    }
    writer.finalize().expect("finalize");
    bytes.into_inner()
}

fn read_all(path: &Path) -> (Vec<f32>, Option<Fault>) {
    let mut recording = Recording::open(path).expect("recording");
    let mut out = Vec::new();
    while recording.read(&mut out).expect("read") {}
    (out, recording.warning().cloned())
}

fn expect_tone(name: &str, content: &[u8]) {
    let (_folder, path) = file("tone.wav", content);
    let (samples, warning) = read_all(&path);
    assert_eq!(warning, None, "{name}");
    assert!(samples.len().abs_diff(8000) <= 1, "{name}: {} samples", samples.len());
    let middle = &samples[1000..7000];
    let rms = (middle.iter().map(|s| s * s).sum::<f32>() / middle.len() as f32).sqrt();
    assert!((rms - 0.3535).abs() < 0.01, "{name}: level {rms}");
    let rising = middle.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count();
    assert!((164..=166).contains(&rising), "{name}: {rising} periods");
}

fn refused(content: &[u8]) -> Fault {
    let (_folder, path) = file("refused.wav", content);
    let fault = Fault::from(Recording::open(&path).err().expect("refused"));
    assert_eq!(fault.kind, FaultKind::BadInput);
    assert!(fault.message.contains("refused.wav") && !fault.fix.is_empty(), "{fault}");
    fault
}

/// The bytes of a plain header; the tag, channels, rate, frame length, bits and data length are as given.
fn header(tag: u16, channels: u16, rate: u32, frame_bytes: u16, bits: u16, data: u32) -> Vec<u8> {
    let mut bytes = b"RIFF\xFF\xFF\xFF\xFFWAVEfmt \x10\0\0\0".to_vec();
    bytes.extend([tag.to_le_bytes(), channels.to_le_bytes()].concat());
    bytes.extend([rate.to_le_bytes(), (rate.wrapping_mul(u32::from(frame_bytes))).to_le_bytes()].concat());
    bytes.extend([frame_bytes.to_le_bytes(), bits.to_le_bytes()].concat());
    bytes.extend(b"data");
    bytes.extend(data.to_le_bytes());
    bytes
}

#[test]
fn every_common_format_is_read_at_the_same_level() {
    for rate_hz in [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 192_000] {
        expect_tone(&format!("{rate_hz} Hz"), &tone(spec(2, rate_hz, 16, SampleFormat::Int)));
    }
    for bits in [8, 16, 24, 32] {
        expect_tone(&format!("{bits} bits"), &tone(spec(1, 16_000, bits, SampleFormat::Int)));
    }
    expect_tone("float", &tone(spec(1, 44_100, 32, SampleFormat::Float)));
    // hound writes more than two channels as WAVE_FORMAT_EXTENSIBLE.
    let surround = tone(spec(6, 48_000, 24, SampleFormat::Int));
    assert_eq!(surround[20..22], [0xFE, 0xFF]);
    expect_tone("six channels", &surround);
}

#[test]
fn twenty_four_bits_in_four_bytes_are_read() {
    let mut content = header(1, 1, 16_000, 4, 24, 12);
    content.extend([0, 0, 0x40, 0, 0, 0, 0xC0, 0xFF, 0, 0, 0, 0]);
    let (_folder, path) = file("padded.wav", &content);
    assert_eq!(read_all(&path).0, [0.5, -0.5, 0.0]);
}

#[test]
fn floating_point_samples_stay_finite_and_on_the_scale() {
    let written = [0.5, f32::NAN, f32::INFINITY, -3e38];
    let mut content = header(3, 1, 16_000, 4, 32, 16);
    content.extend(written.iter().flat_map(|sample| sample.to_le_bytes()));
    let (_folder, path) = file("broken.wav", &content);
    assert_eq!(read_all(&path).0, [0.5, 0.0, 1.0, -1.0]);
}

#[test]
fn other_chunks_of_odd_length_are_passed_over() {
    let plain = tone(spec(1, 16_000, 16, SampleFormat::Int));
    let mut content = plain[..12].to_vec();
    content.extend(b"note\x03\0\0\0abc\0");
    content.extend(&plain[12..]);
    content.extend(b"LIST\x04\0\0\0tail");
    expect_tone("odd chunk", &content);
}

#[test]
fn a_header_of_unknown_length_is_read_to_the_end() {
    for unknown in [0xFFFF_FFFF_u32, 0x7FFF_FFFF, 0x7FFF_F024] {
        let plain = tone(spec(1, 16_000, 16, SampleFormat::Int));
        let mut content = header(1, 1, 16_000, 2, 16, unknown);
        content.extend(&plain[44..]);
        expect_tone("streamed", &content);
    }
}

#[test]
fn an_unfinished_header_is_used_with_a_warning() {
    let mut content = header(1, 1, 16_000, 2, 16, 0);
    content.extend([0; 3200]);
    let (_folder, path) = file("crashed.wav", &content);
    let (samples, warning) = read_all(&path);
    assert_eq!(samples.len(), 1600);
    assert!(warning.expect("a warning").message.contains("never finished"));
}

#[test]
fn a_cut_off_recording_is_used_with_a_warning() {
    let whole = tone(spec(1, 16_000, 16, SampleFormat::Int));
    let (_folder, path) = file("cut.wav", &whole[..44 + 8001]);
    let (samples, warning) = read_all(&path);
    assert_eq!(samples.len(), 4000, "a torn sample is left out");
    let warning = warning.expect("a warning");
    assert!(warning.message.contains("cut.wav") && warning.message.contains("50 %"), "{warning}");
    assert!(warning.recoverable);
}

#[test]
fn files_that_are_not_there_or_empty_are_named() {
    let fault = Fault::from(Recording::open(Path::new("/nowhere/at all.wav")).err().expect("missing"));
    assert!(fault.message.contains("/nowhere/at all.wav is not there"), "{fault}");
    assert!(refused(b"").message.contains("empty"));
    assert!(refused(&header(1, 1, 16_000, 2, 16, 0)).message.contains("empty"));
    let folder = tempfile::tempdir().expect("temporary folder");
    let fault = Fault::from(Recording::open(folder.path()).err().expect("a folder"));
    assert!(fault.message.contains("cannot be read"), "{fault}");
}

#[test]
fn other_kinds_of_files_are_called_by_their_name() {
    let kinds: [(&[u8], &str); 9] = [
        (b"ID3\x04rest of it", "MP3"),
        (b"\xFF\xFB\x90\x64rest of it", "MP3"),
        (b"OggS\0\x02rest of it", "OGG"),
        (b"fLaC\0\0\0\x22rest of it", "FLAC"),
        (b"turn on the light\n", "text"),
        (b"\0\0\0\x20ftypM4A rest", "M4A"),
        (b"RIFF\0\0\0\0AVI LIST", "RIFF"),
        (b"RF64\xFF\xFF\xFF\xFFWAVE", "RF64"),
        (b"\x01\x02\x03", "no known kind"),
    ];
    for (content, kind) in kinds {
        let fault = refused(content);
        assert!(fault.message.contains("not a WAV") && fault.message.contains(kind), "{fault}");
        assert!(fault.fix.contains("ffmpeg"), "{fault}");
    }
}

#[test]
fn a_header_that_is_cut_off_anywhere_is_an_error() {
    let whole = tone(spec(1, 16_000, 16, SampleFormat::Int));
    for length in 1..44 {
        let (_folder, path) = file("head.wav", &whole[..length]);
        assert!(Recording::open(&path).is_err(), "{length} bytes");
    }
    assert!(refused(&whole[..30]).message.contains("cut off in its header"));
}

#[test]
fn damaged_headers_say_what_is_wrong() {
    let cases = [
        (header(1, 0, 16_000, 2, 16, 4), "0 channels"),
        (header(1, 1, 0, 2, 16, 4), "0 samples a second"),
        (header(1, 1, 4_000_000, 2, 16, 4), "4000000 samples a second"),
        (header(1, 1, 16_000, 7, 16, 4), "16 bits in 7 bytes"),
    ];
    for (mut content, what) in cases {
        content.extend([0; 4]);
        let fault = refused(&content);
        assert!(fault.message.contains("damaged") && fault.message.contains(what), "{fault}");
    }
}

#[test]
fn codings_that_are_not_read_are_named() {
    for (tag, bits, name) in [
        (7, 8, "µ-law"),
        (6, 8, "A-law"),
        (0x11, 4, "ADPCM"),
        (0x55, 0, "MP3"),
        (1, 12, "12-bit"),
        (0x1234, 16, "0x1234"),
    ] {
        let mut content = header(tag, 1, 8_000, 2, bits, 4);
        content.extend([0; 4]);
        let fault = refused(&content);
        assert!(fault.message.contains(name) && fault.fix.contains("ffmpeg"), "{fault}");
    }
}

#[test]
fn a_long_recording_is_read_in_small_pieces() {
    let mut content = header(1, 1, 16_000, 2, 16, 16_000 * 2 * 60);
    content.resize(44 + 16_000 * 2 * 60, 0);
    let (_folder, path) = file("minute.wav", &content);
    let mut recording = Recording::open(&path).expect("recording");
    assert_eq!(recording.declared_ms(), Some(60_000));
    let (mut total, mut more) = (0, true);
    while more {
        let mut piece = Vec::new();
        more = recording.read(&mut piece).expect("read");
        assert!(piece.len() <= PIECE_FRAMES);
        total += piece.len();
    }
    assert_eq!(total, 16_000 * 60);
}
