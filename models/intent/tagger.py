"""Trains the tagger: which intent a request has and which of its words fill which slot.

    hark models train --shipped --print-data --per-intent 80 --texts WORK/texts.txt > WORK/tagger.jsonl
    python models/intent/tagger.py WORK/tagger.jsonl HWU64.tsv CLINC150.tsv WORK

`--texts-only` writes WORK/texts.txt first. The network stands on the token vectors of the shipped encoder, which stays as
it is: a projection, two transformer layers over the first word piece of every word, and two outputs. The ONNX graph takes
one sentence:
  tokens   float [pieces, 768]      the encoder's output of the same name
  firsts   int64 [words]            which piece each word begins with
  intent   float [classes]          probabilities
  tags     float [words, tags]      probabilities of B-, I- tags and O
Names of classes and tags are metadata of the file.
"""

import argparse
import hashlib
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

import encoder
import tagger_data

WIDTH = 192
HEADS = 4
INNER = 512
LAYERS = 2
BATCH = 128
MOST_WORDS = 24
LENGTHS = (6, 9, 13, MOST_WORDS)
DROPOUT = 0.15
TAG_SHARE = 0.6
RATE = 2e-3
EPSILON = 1e-5


def parameters(key, source: int, classes: int, tags: int) -> dict:
    def dense(key, rows, columns):
        return {"w": jax.random.normal(key, (rows, columns)) * rows**-0.5, "b": jnp.zeros(columns)}

    def norm(width=WIDTH):
        return {"scale": jnp.ones(width), "bias": jnp.zeros(width)}

    keys = iter(jax.random.split(key, 4 + 4 * LAYERS))
    layers = [
        {
            "norm1": norm(),
            "qkv": dense(next(keys), WIDTH, 3 * WIDTH),
            "out": dense(next(keys), WIDTH, WIDTH),
            "norm2": norm(),
            "up": dense(next(keys), WIDTH, INNER),
            "down": dense(next(keys), INNER, WIDTH),
        }
        for _ in range(LAYERS)
    ]
    return {
        "norm": norm(source),
        "enter": dense(next(keys), source, WIDTH),
        "layers": layers,
        "last": norm(),
        "intent": dense(next(keys), 2 * WIDTH, classes),
        "tags": dense(next(keys), WIDTH, tags),
    }


def norm(x, p):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + EPSILON) * p["scale"] + p["bias"]


def dense(x, p):
    return x @ p["w"] + p["b"]


def forward(p, x, mask, key=None):
    """Scores of classes and tags for [batch, words, source]; `key` drops out."""
    batch, words, _ = x.shape

    def drop(x, number):
        if key is None:
            return x
        kept = jax.random.bernoulli(jax.random.fold_in(key, number), 1 - DROPOUT, x.shape)
        return jnp.where(kept, x / (1 - DROPOUT), 0)

    x = drop(dense(norm(x, p["norm"]), p["enter"]), 0)
    hide = (1.0 - mask)[:, None, None, :] * -1e9
    for at, layer in enumerate(p["layers"]):
        qkv = dense(norm(x, layer["norm1"]), layer["qkv"]).reshape(batch, words, 3, HEADS, WIDTH // HEADS)
        q, k, v = (qkv[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        shares = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (WIDTH // HEADS) ** -0.5 + hide)
        mixed = (shares @ v).transpose(0, 2, 1, 3).reshape(batch, words, WIDTH)
        x = x + drop(dense(mixed, layer["out"]), 2 * at + 1)
        x = x + drop(dense(jax.nn.relu(dense(norm(x, layer["norm2"]), layer["up"])), layer["down"]), 2 * at + 2)
    x = norm(x, p["last"])
    mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    most = jnp.where(mask[:, :, None] > 0, x, -1e9).max(1)
    return dense(jnp.concatenate([mean, most], 1), p["intent"]), dense(x, p["tags"])


def loss(p, batch, key):
    scores, tags = forward(p, batch["x"].astype(jnp.float32), batch["mask"], key)
    # Any of the classes that a sentence may have is right.
    shares = jax.nn.log_softmax(scores)
    intent = -jax.nn.logsumexp(jnp.where(batch["classes"] > 0, shares, -1e9), axis=1)
    word = -jnp.take_along_axis(jax.nn.log_softmax(tags), batch["tags"][:, :, None], 2)[:, :, 0]
    known = batch["known"] * batch["mask"]
    weight = batch["weight"]
    spans = (word * known * weight[:, None]).sum() / jnp.maximum((known * weight[:, None]).sum(), 1.0)
    return (intent * weight).sum() / weight.sum() + TAG_SHARE * spans


class Table:
    """Sentences as arrays, in batches of about the same length."""

    def __init__(self, rows, runner, classes, tags):
        self.rows, self.items = rows, []
        numbers = {name: at for at, name in enumerate(classes)}
        tag_numbers = {name: at for at, name in enumerate(tags)}
        for row in rows:
            vectors, firsts = runner.tokens(row.words[:MOST_WORDS])
            words = len(firsts)
            tag = np.zeros(words, np.int32)
            known = np.zeros(words, np.float32)
            for at in row.sure:
                if at < words:
                    known[at] = 1
            for name, start, end in row.spans or []:
                for at in range(start, min(end, words)):
                    tag[at] = tag_numbers[("B-" if at == start else "I-") + name]
            allowed = np.zeros(len(classes), np.float32)
            for name in row.classes:
                if name in numbers:
                    allowed[numbers[name]] = 1
            self.items.append((vectors[firsts].astype(np.float16), tag, known, allowed, row.weight))

    def batches(self, chance=None):
        by_length = {length: [] for length in LENGTHS}
        for at, item in enumerate(self.items):
            if item[3].any():
                by_length[next(length for length in LENGTHS if len(item[1]) <= length)].append(at)
        made = []
        for length, places in by_length.items():
            places = np.array(places, np.int64)
            if chance is not None:
                chance.shuffle(places)
            made += [(length, places[start : start + BATCH]) for start in range(0, len(places), BATCH)]
        if chance is not None:
            chance.shuffle(made)
        for length, places in made:
            yield places, self.batch(places, length)

    def batch(self, places, length):
        source = self.items[places[0]][0].shape[1]
        x = np.zeros((BATCH, length, source), np.float16)
        mask, known = np.zeros((BATCH, length), np.float32), np.zeros((BATCH, length), np.float32)
        tags = np.zeros((BATCH, length), np.int32)
        classes = np.ones((BATCH, len(self.items[places[0]][3])), np.float32)
        weight = np.zeros(BATCH, np.float32)
        mask[len(places) :, 0] = 1
        for row, place in enumerate(places):
            vectors, tag, is_known, allowed, row_weight = self.items[place]
            words = len(tag)
            x[row, :words], mask[row, :words], known[row, :words], tags[row, :words] = vectors, 1, is_known, tag
            classes[row], weight[row] = allowed, row_weight
        return {"x": x, "mask": mask, "known": known, "tags": tags, "classes": classes, "weight": weight}


def train(table: Table, p: dict, epochs: int, seed: int, report) -> dict:
    chance = np.random.default_rng(seed)
    steps = epochs * sum(1 for _ in table.batches())
    rate = optax.warmup_cosine_decay_schedule(0.0, RATE, steps // 20, steps, RATE / 50)
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.02))

    @jax.jit
    def step(p, state, batch, key):
        value, slope = jax.value_and_grad(loss)(p, batch, key)
        change, state = optimiser.update(slope, state, p)
        return optax.apply_updates(p, change), state, value

    state, key = optimiser.init(p), jax.random.PRNGKey(seed)
    began = time.time()
    for epoch in range(epochs):
        total, count = 0.0, 0
        for _, batch in table.batches(chance):
            key, now = jax.random.split(key)
            p, state, value = step(p, state, batch, now)
            total, count = total + float(value), count + 1
        print(f"epoch {epoch + 1}: loss {total / count:.4f}, {time.time() - began:.0f} s", flush=True)
        report(p, epoch)
    return p


def judged(p, table: Table, classes, tags) -> dict:
    """Per group of rows: how many, right intents, right spans of those whose spans are known; and all scores."""
    run = jax.jit(lambda p, x, mask: forward(p, x.astype(jnp.float32), mask))
    found: dict[str, list[int]] = {}
    scores, allowed = [], []
    for places, batch in table.batches():
        intent, tag = (np.asarray(it) for it in run(p, batch["x"], batch["mask"]))
        for row, place in enumerate(places):
            kind = table.rows[place].origin.split()[0]
            if batch["classes"][row][classes.index(tagger_data.OUT_OF_SCOPE)]:
                kind += " none"
            counts = found.setdefault(kind, [0, 0, 0, 0])
            counts[0] += 1
            counts[1] += int(batch["classes"][row][intent[row].argmax()] > 0)
            known = batch["known"][row] * batch["mask"][row] > 0
            if known.any():
                counts[2] += 1
                counts[3] += int((tag[row].argmax(1) == batch["tags"][row])[known].all())
            scores.append(intent[row])
            allowed.append(batch["classes"][row])
    return {"found": found, "scores": np.array(scores), "allowed": np.array(allowed)}


def best_temperature(scores, allowed) -> float:
    """The divisor of the scores with the least cross-entropy: calibrates the intents' probabilities."""

    def surprise(temperature):
        shares = np.exp((scores - scores.max(1, keepdims=True)) / temperature)
        right = (shares * allowed).sum(1) / shares.sum(1)
        return -np.log(np.maximum(right, 1e-9)).mean()

    return min((0.5 * 1.05**step for step in range(50)), key=surprise)


def to_onnx(p: dict, file: Path, names: dict[str, list[str]], temperature: float) -> None:
    """Writes the ONNX graph."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []

    def constant(name, array, kind=np.float32):
        constants.append(numpy_helper.from_array(np.asarray(array, kind, order="C"), name))
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def layer_norm(x, p, name):
        inputs = [x, constant(f"{name}.scale", p["scale"]), constant(f"{name}.bias", p["bias"])]
        return node("LayerNormalization", inputs, name, axis=-1, epsilon=EPSILON)

    def linear(x, p, name):
        product = node("MatMul", [x, constant(f"{name}.w", p["w"])], f"{name}.product")
        return node("Add", [product, constant(f"{name}.b", p["b"])], name)

    axis = constant("axis0", [0], np.int64)
    split = constant("split", [0, 3, HEADS, WIDTH // HEADS], np.int64)
    join = constant("join", [0, WIDTH], np.int64)
    thirds = [constant(f"third{part}", part, np.int64) for part in range(3)]
    shrink = constant("shrink", (WIDTH // HEADS) ** -0.5)
    x = node("Gather", ["tokens", "firsts"], "words", axis=0)
    x = linear(layer_norm(x, p["norm"], "norm"), p["enter"], "enter")
    for index, layer in enumerate(p["layers"]):
        at = f"layer{index}"
        qkv = linear(layer_norm(x, layer["norm1"], f"{at}.norm1"), layer["qkv"], f"{at}.qkv")
        qkv = node("Reshape", [qkv, split], f"{at}.parts")
        q, k, v = (node("Gather", [qkv, third], f"{at}.{name}", axis=1) for third, name in zip(thirds, "qkv"))
        q = node("Transpose", [node("Mul", [q, shrink], f"{at}.qs")], f"{at}.qt", perm=[1, 0, 2])
        k = node("Transpose", [k], f"{at}.kt", perm=[1, 2, 0])
        v = node("Transpose", [v], f"{at}.vt", perm=[1, 0, 2])
        weights = node("Softmax", [node("MatMul", [q, k], f"{at}.scores")], f"{at}.weights", axis=-1)
        mixed = node("Transpose", [node("MatMul", [weights, v], f"{at}.mixed")], f"{at}.back", perm=[1, 0, 2])
        mixed = node("Reshape", [mixed, join], f"{at}.joined")
        x = node("Add", [x, linear(mixed, layer["out"], f"{at}.out")], f"{at}.sum1")
        inner = linear(layer_norm(x, layer["norm2"], f"{at}.norm2"), layer["up"], f"{at}.up")
        x = node("Add", [x, linear(node("Relu", [inner], f"{at}.relu"), layer["down"], f"{at}.down")], f"{at}.sum2")
    x = layer_norm(x, p["last"], "last")
    pooled = node("Concat", [node("ReduceMean", [x, axis], "mean", keepdims=1), node("ReduceMax", [x, axis], "most", keepdims=1)], "pooled", axis=1)
    scores = node("Div", [linear(pooled, p["intent"], "scores"), constant("temperature", temperature)], "scaled")
    flat = node("Squeeze", [scores, axis], "flat")
    node("Softmax", [flat], "intent", axis=-1)
    node("Softmax", [linear(x, p["tags"], "tag_scores")], "tags", axis=-1)
    graph = helper.make_graph(
        nodes,
        "tagger",
        [
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["pieces", p["enter"]["w"].shape[0]]),
            helper.make_tensor_value_info("firsts", TensorProto.INT64, ["words"]),
        ],
        [
            helper.make_tensor_value_info("intent", TensorProto.FLOAT, [len(names["classes"])]),
            helper.make_tensor_value_info("tags", TensorProto.FLOAT, ["words", len(names["tags"])]),
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], producer_name="hark")
    model.ir_version = 9
    helper.set_model_props(model, {name: "\n".join(lines) for name, lines in names.items()})
    onnx.checker.check_model(model)
    onnx.save(model, file)


def check(p: dict, file: Path, table: Table, temperature: float) -> None:
    """Compares the graph with JAX on some sentences."""
    import onnxruntime

    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    for vectors, *_ in table.items[:20]:
        x = vectors.astype(np.float32)
        inputs = {"tokens": x, "firsts": np.arange(len(x), dtype=np.int64)}
        intent, tags = session.run(["intent", "tags"], inputs)
        one, two = forward(p, x[None], np.ones((1, len(x)), np.float32))
        far = max(np.abs(jax.nn.softmax(one[0] / temperature) - intent).max(), np.abs(jax.nn.softmax(two[0]) - tags).max())
        if far > 1e-4:
            raise SystemExit(f"the ONNX graph and JAX differ by {far}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, help="what `hark models train --print-data` prints")
    arguments.add_argument("hwu64", type=Path, help="HWU64 train: scenario, intent, text, text with marks; tab separated")
    arguments.add_argument("clinc150", type=Path, help="CLINC150 train: intent, text; tab separated")
    arguments.add_argument("work", type=Path, help="folder for what is made; outside the repository")
    arguments.add_argument("--encoder", type=Path, default=Path(__file__).parent / "encoder.onnx")
    arguments.add_argument("--epochs", type=int, default=8)
    arguments.add_argument("--texts-only", action="store_true", help="only write WORK/texts.txt for `--texts`")
    asked = arguments.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    if asked.texts_only:
        texts = tagger_data.corpora(asked.hwu64, asked.clinc150)
        (asked.work / "texts.txt").write_text("\n".join(texts) + "\n")
        return
    learned, dev = tagger_data.rows(asked.data, asked.hwu64, asked.clinc150, 1)
    classes = sorted({name for row in learned if row.origin in ("template", "example") for name in row.classes})
    tags = ["O"] + [f"{kind}-{name}" for name in tagger_data.TAGS for kind in "BI"]
    print(f"{len(learned)} sentences, {len(dev)} kept apart, {len(classes)} classes, {len(tags)} tags", flush=True)
    cutter = Path(__file__).parent / "tokenizer.json"
    runner = encoder.Runner(asked.encoder, cutter)
    began = time.time()
    table, apart = (Table(rows, runner, classes, tags) for rows in (learned, dev))
    print(f"encoded in {time.time() - began:.0f} s", flush=True)

    def report(p, epoch):
        if epoch % 2 == 1 or epoch + 1 == asked.epochs:
            for kind, (rows, right, known, spans) in sorted(judged(p, apart, classes, tags)["found"].items()):
                print(f"  {kind}: {rows}, intent {right / rows:.3f}, spans {spans / max(known, 1):.3f} of {known}", flush=True)

    source = table.items[0][0].shape[1]
    p = parameters(jax.random.PRNGKey(1), source, len(classes), len(tags))
    p = train(table, p, asked.epochs, 1, report)
    found = judged(p, apart, classes, tags)
    temperature = best_temperature(found["scores"], found["allowed"])
    file = asked.work / "tagger.onnx"
    # As Hark tells encoders apart.
    sums = [hashlib.sha256(part.read_bytes()).hexdigest() for part in (asked.encoder, cutter)]
    to_onnx(jax.tree.map(np.asarray, p), file, {"classes": classes, "tags": tags, "encoder": ["-".join(sums)]}, temperature)
    check(p, file, apart, temperature)
    print(f"{file}: {file.stat().st_size / 1e6:.2f} MB, temperature {temperature:.2f}")


if __name__ == "__main__":
    main()
