"""Times the encoder in Python as Hark's bench (`cargo bench --bench intent`) does in Rust: same model, one
thread, tokenising included; the head's product is added, as scikit-learn would do it.

    python models/intent/measure.py [ENCODER.onnx TOKENIZER.json]
"""

import sys
import time
from pathlib import Path

import numpy as np

import encoder

TEXTS = [
    "lights on",
    "turn on the kitchen light",
    "what's the weather going to be like tomorrow",
    "how much is an overdraft fee",
    "add two bottles of milk and some bread to the shopping list",
    "remind me tomorrow evening at half past seven that i have to take the bins out before it rains",
]
ROUNDS = 300
CLASSES = 110


def main() -> None:
    here = Path(__file__).parent
    model, tokeniser = map(Path, sys.argv[1:3]) if len(sys.argv) > 2 else (here / "encoder.onnx", here / "tokenizer.json")
    runner = encoder.Runner(model, tokeniser)
    head = np.random.default_rng(1).normal(size=(runner.embed("x").shape[0], CLASSES)).astype(np.float32)

    def classify(text: str) -> int:
        scores = runner.embed(text) @ head
        shares = np.exp(scores - scores.max())
        return int((shares / shares.sum()).argmax())

    every = []
    for text in TEXTS:
        times = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            classify(text)
            times.append((time.perf_counter() - began) * 1e3)
        every += times
        print(f"{len(text.split()):3} words: median {np.median(times):.3f} ms, p95 {np.percentile(times, 95):.3f} ms")
    print(f"all: median {np.median(every):.3f} ms, p95 {np.percentile(every, 95):.3f} ms")


if __name__ == "__main__":
    main()
