# Writes golden.json: sounds and the features pymicro-features 2.0.2 gives for them.
#   pip install pymicro-features==2.0.2; flite; python3 golden.py > golden.json
import json, subprocess, struct, wave
from pymicro_features import MicroFrontend
def noise(count, peak):
    state, out = 0x9E3779B97F4A7C15, []
    for _ in range(count):
        state ^= state << 13 & (1 << 64) - 1
        state ^= state >> 7
        state ^= state << 17 & (1 << 64) - 1
        out.append((state >> 48) % (2 * peak + 1) - peak)
    return out
subprocess.run(['flite', '-voice', 'rms', '-t', 'hey jarvis', '-o', '/tmp/golden.wav'], check=True)
with wave.open('/tmp/golden.wav') as wav:
    assert wav.getframerate() == 16000
    data = wav.readframes(wav.getnframes())
speech = struct.unpack(f'<{len(data)//2}h', data)[800:800 + 9600]
letters = ''.join(chr(48 + min(63, max(0, round(s / 512) + 32))) for s in speech)
sounds = {
    'speech': [(ord(c) - 48 - 32) * 512 for c in letters],
    'noise': noise(8000, 20000),
    'faint noise': noise(4000, 3),
    'full-scale square': [32767 if i // 40 % 2 == 0 else -32768 for i in range(6400)],
    'lowest value': [-32768] * 2400,
    'silence': [0] * 1600,
}
golden = {'speech': letters, 'features': {}}
for name, sound in sounds.items():
    frontend, frames = MicroFrontend(), []
    for i in range(0, len(sound) - 159, 160):
        got = frontend.process_samples(struct.pack('<160h', *sound[i:i + 160])).features
        if got: frames.append([round(v / 0.0390625) for v in got])
    golden['features'][name] = frames
print(json.dumps(golden, separators=(',', ':')).replace('"features"', '\n"features"').replace(']],', ']],\n'))
