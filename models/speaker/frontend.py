"""What the encoder hears of an utterance, with librosa's mel spectrogram as Resemblyzer computes it. The same in Rust is
`crates/hark-stt/src/speaker/windows.rs`, which is tested against `python models/speaker/frontend.py`.

Instead of WebRTC's voice activity detection, which Resemblyzer trims pauses with, blocks of 32 ms that are 30 dB below the
loud ones are left out, with two blocks of margin: as good (README.md), and no other library.
"""

import json

import librosa
import numpy as np

RATE_HZ = 16_000
HOP = 160
BANDS = 40
FRAMES = 160
# Frames from one window to the next: 1.3 windows a second.
STEP = 77
BLOCK = 512
QUIET_DB = 30
MARGIN = 2
LEVEL_DBFS = -30
# Less speech than this says too little of a voice.
LEAST_S = 0.6
# More speech than this says no more.
MOST_S = 8


def loud_enough(sound: np.ndarray) -> np.ndarray:
    """Raises what is quieter than -30 dBFS on average to that."""
    gain = 10 ** (LEVEL_DBFS / 20) / np.sqrt(np.mean(sound**2) + 1e-12)
    return sound * max(gain, 1)


def without_pauses(sound: np.ndarray) -> np.ndarray:
    blocks = sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK)
    power = np.mean(blocks**2, 1)
    loud = np.sort(power)[(len(power) - 1) * 95 // 100]
    kept = power > loud * 10 ** (-QUIET_DB / 10)
    kept = np.convolve(kept, np.ones(2 * MARGIN + 1), "same") > 0
    return blocks[kept].reshape(-1)


def windows(sound: np.ndarray) -> np.ndarray | None:
    """[windows, 160, 40], or nothing where too little was said."""
    if len(sound) < LEAST_S * RATE_HZ:
        return None
    sound = without_pauses(loud_enough(sound))[: MOST_S * RATE_HZ]
    if len(sound) < LEAST_S * RATE_HZ:
        return None
    frames = -(-(len(sound) + 1) // HOP)
    starts = list(range(0, max(1, frames - FRAMES + STEP + 1), STEP))
    # The last window is left out unless three quarters of it are sound.
    if len(starts) > 1 and len(sound) - starts[-1] * HOP < 0.75 * FRAMES * HOP:
        starts.pop()
    sound = np.pad(sound, (0, max(0, (starts[-1] + FRAMES) * HOP - len(sound))))
    mel = librosa.feature.melspectrogram(y=sound, sr=RATE_HZ, n_fft=400, hop_length=HOP, n_mels=BANDS)
    return np.stack([mel.T[start : start + FRAMES] for start in starts]).astype(np.float32)


def probe() -> np.ndarray:
    """Four seconds with a pause, which any program can make."""
    at = np.arange(4 * RATE_HZ)
    pitch = 120 + 40 * np.sin(2 * np.pi * at / 9000)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE_HZ
    voice = sum(np.sin(number * phase) / number for number in range(1, 20))
    level = np.where((at > 12_000) & (at < 20_000), 0.0, 0.02 * (1 + np.sin(2 * np.pi * at / 4000)))
    return (voice * level).astype(np.float32)


if __name__ == "__main__":
    made = windows(probe())
    places = [(w, f, b) for w in range(len(made)) for f in (0, 1, 40, 90, 120) for b in (0, 3, 17, 39)]
    values = [[*place, float(made[place])] for place in places]
    print(json.dumps({"windows": len(made), "sum": float(made.sum()), "values": values}))
