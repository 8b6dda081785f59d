"""Makes encoder.onnx, the model that tells voices apart, from the weights in the wheel Resemblyzer (README.md says how).

The network is three layers of LSTM (256 units) and a dense layer, as in Wan et al., "Generalized end-to-end loss for
speaker verification". Its graph:
  mel        float [windows, 160, 40]  power mel spectrogram, 25 ms windows each 10 ms
  embedding  float [256]               length 1, of all windows together

Embeddings of Resemblyzer have no negative numbers, so that those of any two people are alike. The mean of many strangers
(centre.txt, made by centre.py) is taken off, which tells people apart much better (README.md).

The weights are stored as half floats, which halves the file; they are computed with as floats. PyTorch is not needed:
the file is read with a pickle reader that knows nothing but the types that occur in it.
"""

import collections
import importlib.util
import pickle
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN = 256
BANDS = 40
LAYERS = 3
WINDOW_FRAMES = 160


def weights_file() -> Path:
    """`pretrained.pt` of the installed wheel, whose code is not run."""
    spec = importlib.util.find_spec("resemblyzer")
    if spec is None or spec.origin is None:
        raise SystemExit("Resemblyzer is not installed: pip install -r models/speaker/requirements.txt")
    return Path(spec.origin).parent / "pretrained.pt"


class Reader(pickle.Unpickler):
    """Reads PyTorch's old file format; whatever is no weight is refused."""

    def find_class(self, module: str, name: str):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, *_: (storage, offset, shape)
        if (module, name) == ("torch", "FloatStorage"):
            return name
        raise pickle.UnpicklingError(f"unexpected {module}.{name}")

    def persistent_load(self, pid):
        return pid[2]


def load(path: Path) -> dict[str, np.ndarray]:
    """The weights by PyTorch's names."""
    with path.open("rb") as file:
        for _ in range(3):  # magic number, version, sizes of types
            Reader(file).load()
        tensors = Reader(file).load()["model_state"]
        storages = {}
        for key in Reader(file).load():
            length = int.from_bytes(file.read(8), "little")
            storages[key] = np.frombuffer(file.read(4 * length), "<f4")
    return {
        name: storages[storage][offset : offset + int(np.prod(shape))].reshape(shape)
        for name, (storage, offset, shape) in tensors.items()
    }


def gates(array: np.ndarray) -> np.ndarray:
    """Gates in ONNX's order (input, output, forget, cell) from PyTorch's (input, forget, cell, output)."""
    i, f, c, o = np.split(array, 4)
    return np.concatenate([i, o, f, c])


def graph(weights: dict[str, np.ndarray], centre: np.ndarray) -> onnx.ModelProto:
    nodes, stored = [], []

    def weight(name: str, array: np.ndarray) -> str:
        stored.append(numpy_helper.from_array(array.astype(np.float16), f"{name}_half"))
        nodes.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
        return name

    nodes.append(helper.make_node("Transpose", ["mel"], ["in0"], perm=[1, 0, 2]))
    for layer in range(LAYERS):
        of = lambda kind: gates(weights[f"lstm.{kind}_l{layer}"])
        inputs = [
            f"in{layer}",
            weight(f"w{layer}", of("weight_ih")[None]),
            weight(f"r{layer}", of("weight_hh")[None]),
            weight(f"b{layer}", np.concatenate([of("bias_ih"), of("bias_hh")])[None]),
        ]
        outputs = [f"out{layer}", f"last{layer}"]
        nodes.append(helper.make_node("LSTM", inputs, outputs, hidden_size=HIDDEN))
        nodes.append(helper.make_node("Squeeze", [f"out{layer}", "axis"], [f"in{layer + 1}"]))
    stored.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
    stored.append(numpy_helper.from_array(np.array([0], np.int64), "first"))
    stored.append(numpy_helper.from_array(np.array([1e-6], np.float32), "least"))
    stored.append(numpy_helper.from_array(centre.astype(np.float32)[None], "centre"))

    def scaled(name: str, result: str) -> None:
        """Scales each row to length 1."""
        nodes.append(helper.make_node("ReduceL2", [name], [f"{name}_length"], axes=[1], keepdims=1))
        nodes.append(helper.make_node("Max", [f"{name}_length", "least"], [f"{name}_divisor"]))
        nodes.append(helper.make_node("Div", [name, f"{name}_divisor"], [result]))

    nodes.append(helper.make_node("Squeeze", [f"last{LAYERS - 1}", "first"], ["last"]))
    dense = ["last", weight("w", weights["linear.weight"]), weight("b", weights["linear.bias"])]
    nodes.append(helper.make_node("Gemm", dense, ["dense"], transB=1))
    nodes.append(helper.make_node("Relu", ["dense"], ["positive"]))
    scaled("positive", "window")
    nodes.append(helper.make_node("ReduceMean", ["window"], ["mean"], axes=[0], keepdims=1))
    scaled("mean", "utterance")
    nodes.append(helper.make_node("Sub", ["utterance", "centre"], ["centred"]))
    scaled("centred", "row")
    nodes.append(helper.make_node("Squeeze", ["row", "first"], ["embedding"]))
    made = helper.make_graph(
        # The output of the last layer at every frame is of no use.
        [node for node in nodes if node.output[0] != f"in{LAYERS}"],
        "speaker_encoder",
        [helper.make_tensor_value_info("mel", TensorProto.FLOAT, ["windows", WINDOW_FRAMES, BANDS])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [HIDDEN])],
        stored,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], producer_name="hark")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    here = Path(__file__).parent
    onnx.save(graph(load(weights_file()), np.loadtxt(here / "centre.txt")), here / "encoder.onnx")
