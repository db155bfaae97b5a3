"""The index folder of a stranger: refused in one sentence, also where it takes the place of one that is served."""

import asyncio
import gc
import io
import json
import os
import shutil
import zlib
from pathlib import Path

import numpy as np
import pytest
import ujson
from answering import answering

from multihop import BM25, Dense, Hybrid, OneStep, Passage
from multihop.base import InputError
from multihop.retrieval import index_folder, open_index
from multihop.retrieval.index_folder import find_home, seal
from multihop.serve.catalogue import Catalogue, Served
from multihop.serve.operation import EventLog

PASSAGES = [Passage("p1", "Ada", "Ada was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]
OUTSIDE = Path("/etc/passwd").read_bytes()
SIGNED = {"bytes": len(OUTSIDE), "crc32": zlib.crc32(OUTSIDE)}
NAMES = ["/dev/zero", "/etc/passwd", "../" * 20 + "etc/passwd", "..", "a/b", "a\\b", "\x00", "\n", ""]
VALUES = {"passages": [-1, 1 << 31, 1e308, True], "other": [float("nan"), [float("inf")], {"a": [float("-inf")]}]}
OF_WORDS = {"k1": [-1, "1", None, float("inf")], "b": [-0.1, 1.1, 1e308, float("nan")]}
OF_VECTORS = {"encoder": [7, None], "encoder_options": [{"trust": "x"}, {"query_prefix": 7}]}
KINDS = {"bm25": (BM25, OF_WORDS), "dense": (Dense, OF_VECTORS), "hybrid": (Hybrid, OF_WORDS | OF_VECTORS)}


@pytest.fixture(params=KINDS)
def index(request, tmp_path, tiny_encoder):
    return KINDS[request.param][0].build(PASSAGES, folder=tmp_path / "index")


def rewritten(home, change):
    """The manifest changed, as another writer of JSON writes it."""
    described = ujson.loads((home / "index.json").read_text())
    change(described)
    (home / "index.json").write_text(json.dumps(described))


def in_place_of(home, name, put):
    """Another thing under the name of a file, which the manifest does not tell of."""
    (home / name).unlink()
    put(home / name)
    rewritten(home, lambda described: described["files"].pop(name))


def hostile(index):
    """Changes of the folder of an index, each a function of the folder with its files."""
    for name in NAMES:
        for stamp in (SIGNED, {"bytes": 0}):
            yield lambda home, name=name, stamp=stamp: rewritten(home, lambda it: it["files"].update({name: stamp}))
    for field, values in (VALUES | KINDS[index.kind][1]).items():
        for value in values:
            yield lambda home, field=field, value=value: rewritten(home, lambda it: it.update({field: value}))
    puts = [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(path)]
    for name in sorted(path.name for path in find_home(index._folder).iterdir() if path.name != "index.json"):
        for put in puts:
            yield lambda home, name=name, put=put: in_place_of(home, name, put)


def test_it_is_refused_in_one_sentence(index, tmp_path):
    for change in hostile(index):
        shutil.copytree(tmp_path / "index", copy := tmp_path / "copy")
        change(find_home(copy))
        with pytest.raises(InputError, match=f"^{copy} is damaged, .*; rebuild it with `multihop index`[.]$"):
            open_index(copy)
        shutil.rmtree(copy)


def test_a_score_that_is_no_number_is_never_returned(tmp_path, tiny_encoder):
    Dense.build(PASSAGES, folder=tmp_path / "index")
    home = find_home(tmp_path / "index")
    np.full_like(np.fromfile(home / "vectors", "<f2"), np.nan).tofile(home / "vectors")
    seal(home, ujson.loads((home / "index.json").read_text()))
    with pytest.raises(InputError, match="is damaged, a score is not as it was written"):
        open_index(tmp_path / "index").search(["Ada"], 1)


def test_an_index_that_is_never_twice_the_same_is_given_up(tmp_path, monkeypatch):
    BM25.build(PASSAGES, folder=tmp_path / "index")
    asked = []
    monkeypatch.setattr(index_folder, "read_state", lambda folder: asked.append(folder) or b"%d" % len(asked))
    with pytest.raises(InputError, match="is written anew faster than it can be read; try again"):
        open_index(tmp_path / "index")
    assert len(asked) == 3 * index_folder._TRIES


def swaps(index):
    """What takes the place of the index that is served."""
    yield from hostile(index)
    yield lambda home: (home / "passages.jsonl").write_bytes(b"{")
    yield lambda home: os.truncate(home / "index.json", 40)
    if index.kind != "bm25":
        yield lambda home: rewritten(home, lambda it: it.update(encoder="other", encoder_folder="owner/never-fetched"))
        yield lambda home: sealed_with_wide_vectors(home)


def sealed_with_wide_vectors(home):
    np.fromfile(home / "vectors", "<f2").repeat(2).tofile(home / "vectors")
    seal(home, ujson.loads((home / "index.json").read_text()))


def files_open_below(folder):
    """The number of files below the folder that this process has open, whatever earlier tests left behind."""
    gc.collect()  # what is in no use is closed, in a circle too
    places = [f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd")]
    return sum(os.path.lexists(each) and os.readlink(each).startswith(str(folder)) for each in places)


def test_in_the_place_of_one_that_is_served_it_changes_nothing(index, tmp_path):
    """Told once however often it is looked at, and nothing is left open."""
    stream, folder, whole = io.StringIO(), tmp_path / "index", tmp_path / "whole"
    catalogue, log = Catalogue([Served(name="a", program=OneStep(index), lm=answering())]), EventLog(stream)
    changes, opened = list(swaps(index)), set()
    folder.rename(whole)
    for number, change in enumerate(changes, 1):
        shutil.copytree(whole, folder)
        change(home := find_home(folder))
        home.rename(folder / f"anew-{number:x}")
        (folder / "index.json").write_text(json.dumps({"at": f"anew-{number:x}"}))
        for _ in range(3):
            asyncio.run(catalogue.look(log))
            opened.add(files_open_below(tmp_path))
        assert catalogue.get("a").program.retriever is index
        lines = [json.loads(line) for line in stream.getvalue().splitlines()]
        assert {line["event"] for line in lines} == {"index not reloaded"}
        assert len(lines) <= number
        shutil.rmtree(folder)
    assert len(opened) == 1
    whole.rename(folder)
    open_index(folder).add([Passage("p3", "Cy", "Cy was born in Rome.")])
    asyncio.run(catalogue.look(log))
    assert len(catalogue.get("a").program.retriever) == 3
