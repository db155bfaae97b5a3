"""docs/data.md as a reader follows it: every command and block, in order, with stand-ins for what the hub has."""

import json
import re
import shlex
from pathlib import Path

import pytest
from hub_server import HubServer
from hub_sets import FIRST, hotpotqa_row, make_repositories

from multihop.__main__ import main
from multihop.data.library import known_sets

PAGE = (Path(__file__).parents[1] / "docs" / "data.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.S)


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """An empty folder, but for what the page says was downloaded elsewhere."""
    monkeypatch.chdir(tmp_path)
    hub, downloads = make_repositories(tmp_path / "hub"), tmp_path / "downloads"
    downloads.mkdir()
    (downloads / "hotpot_qa").symlink_to(hub / "hotpotqa" / "hotpot_qa")
    for name in ("hotpotqa.json", "hotpotqa_corpus.json"):
        (downloads / name).symlink_to(hub / "osunlp" / "HippoRAG_2" / name)
    row = hotpotqa_row("h1", *FIRST)
    contexts = [
        {"idx": place, "title": title, "paragraph_text": "".join(text), "is_supporting": title in FIRST[0]}
        for place, (title, text) in enumerate(row["context"])
    ]
    answers = [{"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": [row["answer"]]}]
    ircot = {"dataset": "hotpotqa", "question_id": "h1", "question_text": row["question"]}
    line = json.dumps({**ircot, "answers_objects": answers, "contexts": contexts})
    (downloads / "test_subsampled.jsonl").write_text(f"{line}\n")
    with HubServer(hub) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield tmp_path


@pytest.mark.usefixtures("tiny_encoder")
def test_every_command_and_block_runs(reader, capsys):
    commands = 0
    for language, block in BLOCKS:
        if language == "python":
            exec(compile(block, "docs/data.md", "exec"), {})
            continue
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line)
            assert words[0] == "multihop"
            assert main(words[1:]) == 0, (line, capsys.readouterr().err)
            commands += 1
    assert commands >= 10
    for run, how in (("hotpotqa-1000", "id"), ("hipporag", "text"), ("ircot", "id")):
        summary = json.loads((reader / "runs" / run / "summary.json").read_text())
        assert set(summary["recall"]["matched_by"]) == {how}, run


def test_the_table_has_every_set_as_the_catalogue_has_it():
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row[0].strip("`") for row in rows] == list(known_sets())
    for (_, questions, corpus, licence), known in zip(rows, known_sets().values(), strict=True):
        assert licence == known.licence
        counts = [f"{known.questions[split]:,} {split}" for split in known.splits]
        assert questions == (", ".join(counts) or "none")
        if known.corpus_of:
            assert corpus == f"the paragraphs of {known.corpus_of}"
        else:
            assert corpus == (f"{known.passages:,} passages" if known.has_corpus else "none")
