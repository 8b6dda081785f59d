"""Makes centre.txt, the mean embedding of strangers that export.py takes off every embedding.

  python models/speaker/centre.py FOLDER

FOLDER holds recordings (16 kHz mono) of many people who are not used to measure with; see README.md.
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import soundfile

import export
import frontend


def main(folder: Path) -> None:
    model = export.graph(export.load(export.weights_file()), np.zeros(export.HIDDEN))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    rows = []
    for path in sorted(folder.glob("*.flac")) + sorted(folder.glob("*.wav")):
        sound, rate_hz = soundfile.read(path, dtype="float32")
        if rate_hz != frontend.RATE_HZ or sound.ndim != 1:
            raise SystemExit(f"{path}: 16 kHz mono is needed")
        windows = frontend.windows(sound)
        if windows is not None:
            rows.append(session.run(None, {"mel": windows})[0])
    print(f"{len(rows)} recordings")
    np.savetxt(Path(__file__).parent / "centre.txt", np.mean(rows, 0), "%.6f")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
