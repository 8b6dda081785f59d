"""Puts an encoder that `tune.py` made into the project: encoder.onnx, tokenizer.json, and their sizes and
sums in models/manifest.toml; or the tagger that `tagger.py` made.

    python models/intent/install.py WORK student
    python models/intent/install.py WORK tagger
"""

import hashlib
import re
import sys
from pathlib import Path


def main() -> None:
    work, name = Path(sys.argv[1]), sys.argv[2]
    here = Path(__file__).parent
    manifest = here.parent / "manifest.toml"
    text = manifest.read_text()
    files = [
        ("sentence_encoder", work / f"{name}-int8.onnx", here / "encoder.onnx"),
        ("sentence_tokenizer", work / f"{name}-tokenizer.json", here / "tokenizer.json"),
    ]
    if name == "tagger":
        files = [("slot_tagger", work / "tagger.onnx", here / "tagger.onnx")]
    for part, source, target in files:
        content = source.read_bytes()
        target.write_bytes(content)
        total = hashlib.sha256(content).hexdigest()
        entry = re.compile(rf'(id = "{part}".*?size_bytes = )\d+(\nsha256 = ")[0-9a-f]{{64}}', re.DOTALL)
        text, found = entry.subn(rf"\g<1>{len(content)}\g<2>{total}", text)
        if found != 1:
            raise SystemExit(f"{manifest} has no part {part}")
        print(f"{target}: {len(content) / 1e6:.2f} MB, sha256 {total}")
    manifest.write_text(text)
    print("now: " + ("cargo test" if name == "tagger" else "hark models train --shipped, and the tagger anew (README.md)"))


if __name__ == "__main__":
    main()
