"""Writes a voice as Piper's voices are, only tiny: an ONNX graph with the inputs and outputs of VITS,
and its settings beside it. Each phoneme is a tone of its own, each mark and pad a silence, so a test
can hear which phonemes were spoken, in what order, and how fast.

    python3 tiny_voice.py FOLDER [speakers]

Needs nothing but Python: the few ONNX messages used are encoded here.
"""

import json
import math
import struct
import sys
from pathlib import Path

RATE_HZ = 22050
# Milliseconds of sound for each phoneme id at length scale 1, pads included.
ID_MS = 10
SILENT = ["_", "^", "$", " ", ".", ",", "?", "!", ";", ":", "-", "ˈ", "ˌ", "ː", "ʲ", "\u0329", "\u0327", "\u0303"]
SOUNDS = list("abcdefhijklmnopqrstuvwxyz") + list("æçðøħŋœɐɑɒɔəɚɛɜɝɡɪɫɹɾʃʊʌʏʒʔθβʁχɲɕʑɨʉɯʋɵᵻ")
FIRST_SOUND = len(SILENT)


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while True:
        byte = value & 0x7F
        value >>= 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


FLOAT, INT64 = 1, 7


def tensor(name, kind, dims, values):
    raw = struct.pack("<%d%s" % (len(values), "f" if kind == FLOAT else "q"), *values)
    return b"".join(number(1, dim) for dim in dims) + number(2, kind) + block(8, name) + block(9, raw)


def value_info(name, kind, dims):
    shape = b"".join(block(1, block(2, dim) if isinstance(dim, str) else number(1, dim)) for dim in dims)
    return block(1, name) + block(2, block(1, number(1, kind) + block(2, shape)))


def node(kind, inputs, output, **attributes):
    out = b"".join(block(1, name) for name in inputs) + block(2, output) + block(4, kind)
    for name, value in attributes.items():
        out += block(5, block(1, name) + number(3, value) + number(20, 2))
    return out


def graph(speakers):
    """tone(id) = 0.4 sin(2 pi f t) with f = 200 + 30 (id - first sound) + 5 speaker, 0 for silent ids."""
    ramp = ID_MS * RATE_HZ / 1000
    constants = [
        tensor("column", INT64, [2], [-1, 1]),
        tensor("flat", INT64, [4], [1, 1, 1, -1]),
        tensor("one", INT64, [], [1]),
        tensor("zero", INT64, [], [0]),
        tensor("first", FLOAT, [], [FIRST_SOUND]),
        tensor("step_hz", FLOAT, [], [30.0]),
        tensor("lowest_hz", FLOAT, [], [200.0]),
        tensor("speaker_hz", FLOAT, [], [5.0]),
        tensor("radians", FLOAT, [], [2 * math.pi / RATE_HZ]),
        tensor("samples", FLOAT, [], [ramp]),
        tensor("loud", FLOAT, [], [0.4]),
        tensor("silence", FLOAT, [], [0.0]),
    ]
    nodes = [
        node("Reshape", ["input", "column"], "ids"),
        node("Cast", ["ids"], "numbers", to=FLOAT),
        node("Sub", ["numbers", "first"], "places"),
        node("Mul", ["places", "step_hz"], "raised"),
        node("Add", ["raised", "lowest_hz"], "tones"),
        node("GreaterOrEqual", ["places", "silence"], "sounding"),
        node("Where", ["sounding", "loud", "silence"], "levels"),
        node("Gather", ["scales", "one"], "length_scale"),
        node("Mul", ["length_scale", "samples"], "long"),
        node("Cast", ["long"], "count", to=INT64),
        node("Range", ["zero", "count", "one"], "steps"),
        node("Cast", ["steps"], "ramp", to=FLOAT),
        node("Mul", ["ramp", "radians"], "time"),
    ]
    frequency = "tones"
    inputs = [
        value_info("input", INT64, ["batch", "phonemes"]),
        value_info("input_lengths", INT64, ["batch"]),
        value_info("scales", FLOAT, [3]),
    ]
    if speakers > 1:
        inputs.append(value_info("sid", INT64, ["batch"]))
        nodes += [
            node("Cast", ["sid"], "speaker", to=FLOAT),
            node("Mul", ["speaker", "speaker_hz"], "shift"),
            node("Add", ["tones", "shift"], "shifted"),
        ]
        frequency = "shifted"
    nodes += [
        node("Mul", [frequency, "time"], "phases"),
        node("Sin", ["phases"], "waves"),
        node("Mul", ["waves", "levels"], "sounds"),
        node("Reshape", ["sounds", "flat"], "output"),
    ]
    body = b"".join(block(1, one) for one in nodes) + block(2, "tiny voice")
    body += b"".join(block(5, one) for one in constants) + b"".join(block(11, one) for one in inputs)
    return body + block(12, value_info("output", FLOAT, ["batch", 1, 1, "time"]))


def model(speakers):
    opset = block(1, "") + number(2, 15)
    return number(1, 8) + block(2, "tiny_voice.py") + block(7, graph(speakers)) + block(8, opset)


def settings(speakers):
    ids = {symbol: [number] for number, symbol in enumerate(SILENT + SOUNDS)}
    return {
        "audio": {"sample_rate": RATE_HZ, "quality": "tiny"},
        "espeak": {"voice": "en-us"},
        "language": {"code": "en_US", "family": "en"},
        "phoneme_type": "espeak",
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "phoneme_id_map": ids,
        "num_symbols": 256,
        "num_speakers": speakers,
        "speaker_id_map": {"low": 0, "high": 1} if speakers > 1 else {},
        "piper_version": "1.0.0",
    }


def main():
    folder = Path(sys.argv[1])
    speakers = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny.onnx").write_bytes(model(speakers))
    text = json.dumps(settings(speakers), ensure_ascii=False, indent=1)
    (folder / "tiny.onnx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
