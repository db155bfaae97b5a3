"""Files of a stranger, changed anywhere: each is opened, or refused in one sentence; nothing else happens."""

import random
import shutil

import dspy
import pytest
import ujson
from forging import forge

from multihop import BM25, MultihopError, Passage, compare, evaluate, load, save, scripted
from multihop.data import Question
from multihop.evaluation.journal.journal import read_header, read_rows
from multihop.evaluation.report.report import write_summary
from multihop.programs import OneStep
from multihop.retrieval import open_index
from multihop.retrieval.index_folder import MANIFEST, seal

PASSAGES = [Passage("p1", "Ada", "Ada was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]
QUESTIONS = [Question(id=f"q{n}", question=f"Who was number {n}?", answers=("Ada",)) for n in range(3)]
VALUES = [None, True, -1, 5, 1e400, "", "text", [], [1], {}, {"a": []}, [[["deep"]]], "\x00", "x" * 300]


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    retriever = BM25.build(PASSAGES, folder=folder / "index")
    program = OneStep(retriever, k=1)
    save(program, folder / "program.json")
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
        evaluate(program, QUESTIONS, out=folder / "run")
    return folder


def open_program(folder):
    load(folder / "program.json", retriever=BM25.build(PASSAGES))


def search_index(folder):
    (hits,) = open_index(folder / "index").search(["Who was born in London?"], 2)
    assert len(hits) <= 2


def read_run(folder):
    read_header(folder / "run")
    list(read_rows(folder / "run"))
    write_summary(folder / "run")
    compare(folder / "run", folder / "run")


OPENERS = {"program.json": open_program, "index": search_index, "run": read_run}


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


def change(draw, path):
    content = path.read_bytes()
    lines = content.splitlines() if path.suffix == ".jsonl" else [content]
    place = draw.randrange(len(lines)) if lines else None
    try:
        if place is None or path.suffix not in (".json", ".jsonl") or draw.random() < 0.3:
            raise ValueError
        lines[place] = ujson.dumps(changed_value(draw, ujson.loads(lines[place]))).encode()
    except ValueError:  # no JSON, or none any more
        path.write_bytes(changed_bytes(draw, content))
    else:
        path.write_bytes(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize("what", OPENERS)
def test_any_change_of_a_file_is_harmless(what, originals, tmp_path, pytestconfig):
    thorough = pytestconfig.option.all or pytestconfig.option.rest
    for seed in range(700 if thorough else 40):
        draw, folder = random.Random(f"{what} {seed}"), tmp_path / str(seed)
        shutil.copytree(originals, folder)
        within = [folder / what, *sorted((folder / what).rglob("*"))]
        files = [path for path in within if path.is_file()]
        for _ in range(draw.randint(1, 3)):
            change(draw, draw.choice(files))
        refused_or_opened(OPENERS[what], folder, seed)
        shutil.rmtree(folder)


def test_any_content_under_a_digest_that_fits_is_harmless(originals, tmp_path, pytestconfig):
    thorough = pytestconfig.option.all or pytestconfig.option.rest
    for seed in range(700 if thorough else 60):
        draw, folder = random.Random(seed), tmp_path / str(seed)
        shutil.copytree(originals, folder)

        def forged(content, ours, draw=draw):
            target = content if draw.random() < 0.5 else ours
            for name, value in list(target.items()):
                if draw.random() < 0.5:
                    target[name] = changed_value(draw, value)
            content.setdefault("metadata", {})

        try:
            forge(folder / "program.json", forged)
        except (KeyError, TypeError, AttributeError, ValueError):  # what cannot be given a digest is no such file
            continue
        refused_or_opened(open_program, folder, seed)
        shutil.rmtree(folder)


def test_any_index_whose_checksums_fit_is_harmless(originals, tmp_path, pytestconfig):
    thorough = pytestconfig.option.all or pytestconfig.option.rest
    for seed in range(1500 if thorough else 80):
        draw, index = random.Random(f"sealed {seed}"), tmp_path / str(seed) / "index"
        shutil.copytree(originals / "index", index)
        manifest = ujson.loads((index / MANIFEST).read_text())
        del manifest["files"]
        (index / MANIFEST).unlink()
        for _ in range(draw.randint(1, 3)):
            change(draw, draw.choice(sorted(index.iterdir())))
        seal(index, {**manifest, draw.choice(list(manifest)): draw.choice(VALUES)} if draw.random() < 0.4 else manifest)
        refused_or_opened(search_index, index.parent, seed)
        shutil.rmtree(index.parent)


def refused_or_opened(opener, folder, seed):
    said = "opened"
    try:
        opener(folder)
    except MultihopError as error:
        said = str(error)
    except Exception as error:
        raise AssertionError(f"change {seed}: {type(error).__name__}: {error}") from error
    assert said.strip() and "Traceback" not in said, seed  # noqa: PT018
