"""Files of a stranger, changed anywhere: each is opened, or refused in one sentence; nothing else happens.

Every run draws other changes, and its first lines say from which seed: `pytest FILE --draws SEED` draws them again.
"""

import contextlib
import io
import random
import re
import shutil
import warnings
from pathlib import Path
from unittest import mock

import dspy
import numpy as np
import pytest
import ujson
from forging import forge

from multihop import BM25, Hybrid, MultihopError, Passage, compare, compile_variants, evaluate, load, save, scripted
from multihop.__main__ import main
from multihop.data import Question, open_corpus, open_questions
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.report import write_summary
from multihop.experiments.experiment_file import open_experiment
from multihop.lms import read_lms
from multihop.optimize import with_demonstrations
from multihop.programs import OneStep
from multihop.retrieval import open_index
from multihop.retrieval.index_folder import MANIFEST, find_home, seal
from multihop.runtime import total_paid
from multihop.view import write_run_page

PASSAGES = [Passage("p1", "Ada", "Ada was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]
QUESTIONS = [Question(id=f"q{n}", question=f"Who was number {n}?", answers=("Ada",)) for n in range(3)]
VALUES = [None, True, -1, 5, 0.5, 1e308, float("inf"), float("nan"), 10**400, "", "text", [], [1], {}, {"a": []}]
VALUES += [[[["deep"]]], "\x00", "x" * 300, "../../etc/passwd"]
TEXTS = {
    "questions.jsonl": '{"id": "1", "question": "Where was Ada born?", "answers": ["London"], "supporting": ["p1"]}\n',
    "passages.jsonl": '{"id": "p1", "title": "Ada", "text": "Ada was born in London."}\n',
    "questions.csv": "id,question,answer\n1,Where was Ada born?,London\n2,Where did Bob live?,Rome\n",
    "lms.toml": '[small]\nmodel = "server/m@http://127.0.0.1:9/v1"\nmax_tokens = 30\n'
    '[big]\nmodel = "openai/gpt-4.1"\nprice = {input = 2, output = 8}\n',
    "shots.json": '{"answer": [{"passages": ["a | b"], "question": "Who?", "answer": "Ada"}]}\n',
    "experiment.toml": (Path(open_experiment.__code__.co_filename).parent / "tables" / "zero-token.toml").read_text(),
}


def one_step(retriever):
    return OneStep(retriever, k=1)


@pytest.fixture(scope="module")
def originals(tmp_path_factory, tiny_encoder_folder):
    folder = tmp_path_factory.mktemp("originals")
    with mock.patch("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder):
        Hybrid.build(PASSAGES, folder=folder / "hybrid")
        retriever = BM25.build(PASSAGES, folder=folder / "index")
        save(one_step(retriever), folder / "program.json")
        with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
            evaluate(one_step(retriever), QUESTIONS, out=folder / "run")
            compile_study(folder)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


def compile_study(folder):
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
        program, to = one_step(BM25.build(PASSAGES)), folder / "study" / "one.json"
        to.parent.mkdir(exist_ok=True)
        compile_variants(program, ["zero-shot"], train=QUESTIONS[:1], dev=QUESTIONS[1:], to=to)


def open_program(folder):
    load(folder / "program.json", retriever=BM25.build(PASSAGES))


def search(name):
    def search(folder):
        (hits,) = open_index(folder / name).search(["Who was born in London?"], 2)
        assert len(hits) <= 2

    return search


def read_run(folder):
    read_header(folder / "run")
    list(read_rows(folder / "run"))
    total_paid(folder / "run")
    write_summary(folder / "run")
    compare(folder / "run", folder / "run")
    write_run_page([folder / "run"], folder / "run" / "page.html")
    for command in (["show", folder / "run"], ["show", folder / "run", "q1"], ["compare", *2 * [folder / "run"]]):
        run_command(*command)


def show_run(folder):
    """As a command: it prints what it was told, or one sentence."""
    run_command("show", folder / "run")


def run_command(*arguments):
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # NumPy's, of numbers beyond all bounds
        code = main([str(each) for each in arguments])
    assert code in (0, 2), code
    assert "Traceback" not in said.getvalue()
    assert not re.search(r"(?<![\w.])[-+±$−]?(inf|nan)\b", said.getvalue()), said.getvalue()


OPENERS = {
    "program.json": open_program,
    "index": search("index"),
    "hybrid": search("hybrid"),
    "run": read_run,
    "run/summary.json": show_run,
    "study": compile_study,
    "questions.jsonl": lambda folder: open_questions(folder / "questions.jsonl"),
    "questions.csv": lambda folder: open_questions(folder / "questions.csv"),
    "passages.jsonl": lambda folder: list(open_corpus(folder / "passages.jsonl")),
    "lms.toml": lambda folder: read_lms(folder / "lms.toml"),
    "shots.json": lambda folder: with_demonstrations(one_step(BM25.build(PASSAGES)), folder / "shots.json"),
    "experiment.toml": lambda folder: open_experiment(folder / "experiment.toml"),
}
"""What is read back, and what reads it."""


def changed_bytes(draw, content):
    """The bytes cut off, doubled, or with some replaced."""
    place = draw.randrange(len(content) + 1)
    kind = draw.choice(("cut", "double", "replace"))
    if kind == "cut":
        return content[:place]
    if kind == "double":
        return content[:place] + content[max(0, place - 40) :]
    length = draw.randint(1, 8)
    return content[:place] + draw.randbytes(length) + content[place + length :]


def changed_value(draw, value):
    """The value with one of the values in it replaced, left out, or added."""
    if isinstance(value, dict) and value and draw.random() < 0.8:
        key = draw.choice(list(value))
        rest = {name: each for name, each in value.items() if name != key}
        return rest if draw.random() < 0.2 else {**value, key: changed_value(draw, value[key])}
    if isinstance(value, list) and value and draw.random() < 0.7:
        place = draw.randrange(len(value))
        return [*value[:place], changed_value(draw, value[place]), *value[place + 1 :]]
    return draw.choice(VALUES)


def changed_array(draw, content):
    """An array of other numbers, of another type or another shape."""
    array = np.load(io.BytesIO(content))
    changes = [lambda a: a[::-1], lambda a: a[: len(a) // 2], lambda a: a.astype("float64"), lambda a: a.reshape(-1, 1)]
    changes += [lambda a: np.zeros_like(a), lambda a: np.full_like(a, 127), lambda a: -a.astype("int64")]
    changed = io.BytesIO()
    np.save(changed, draw.choice(changes)(array))
    return changed.getvalue()


def change(draw, path):
    content = path.read_bytes()
    lines = content.splitlines() if path.suffix == ".jsonl" else [content]
    place = draw.randrange(len(lines)) if lines else None
    try:
        if path.suffix == ".npy" and draw.random() < 0.5:
            path.write_bytes(changed_array(draw, content))
            return
        if place is None or path.suffix not in (".json", ".jsonl") or draw.random() < 0.3:
            raise ValueError
        lines[place] = as_json(changed_value(draw, ujson.loads(lines[place])))
    except ValueError:  # no JSON, or none any more
        path.write_bytes(changed_bytes(draw, content))
    else:
        path.write_bytes(b"\n".join(lines) + b"\n")


def as_json(value):
    """The value with numbers beyond all bounds, as other writers of JSON write them."""
    text = ujson.dumps(value, reject_bytes=False, allow_nan=True)
    return text.replace("Infinity", "1e400").encode()


def files_in(place):
    return sorted(path for path in (place, *place.rglob("*")) if path.is_file())


def anything(draw, place):
    for _ in range(draw.randint(1, 3)):
        change(draw, draw.choice(files_in(place)))


def what_a_program_says_under_a_digest_that_fits(draw, place):
    def forged(content, ours):
        target = content if draw.random() < 0.5 else ours
        for name, value in list(target.items()):
            if draw.random() < 0.5:
                target[name] = changed_value(draw, value)
        content.setdefault("metadata", {})

    with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError, OverflowError):  # no digest can be made
        forge(place, forged)


def what_an_index_holds_under_checksums_that_fit(draw, place):
    index = find_home(place)
    manifest = ujson.loads((index / MANIFEST).read_text())
    del manifest["files"]
    (index / MANIFEST).unlink()
    for _ in range(draw.randint(1, 3)):
        change(draw, draw.choice(files_in(index)))
    for name in draw.sample(list(manifest), draw.randint(0, 2)):
        manifest[name] = changed_value(draw, manifest[name])
    with contextlib.suppress(MultihopError, OverflowError, OSError):  # no manifest that can be written
        seal(index, manifest)


CHANGES = [(what, anything) for what in OPENERS]
CHANGES += [("program.json", what_a_program_says_under_a_digest_that_fits)]
CHANGES += [(what, what_an_index_holds_under_checksums_that_fit) for what in ("index", "hybrid")]


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize(("what", "change_some"), CHANGES)
def test_any_change_of_a_file_is_harmless(what, change_some, originals, tmp_path, pytestconfig, how_many):
    whole, seed = what.partition("/")[0], pytestconfig.option.draws
    copy = shutil.copytree if (originals / whole).is_dir() else shutil.copy
    for number in range(how_many(25, 200, 2000)):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        copy(originals / whole, folder / whole)
        change_some(random.Random(f"{seed} {what} {number}"), folder / what)
        said = "opened"
        try:
            OPENERS[what](folder)
        except MultihopError as error:
            said = str(error)
        except Exception as error:
            raise AssertionError(f"--draws {seed}, change {number}: {type(error).__name__}: {error}") from error
        assert said.strip() and "Traceback" not in said, number  # noqa: PT018
        shutil.rmtree(folder)
