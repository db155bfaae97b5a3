"""Small stand-ins for the repositories of known question sets, with the layouts and file names of the real ones."""

import json
import zipfile

import pyarrow
import pyarrow.parquet

PAGES = {
    "Dusk": ["Dusk is a novel by Rosa Tiel.", " It is long."],
    "Rosa Tiel": ["Rosa Tiel is a writer.", " She was born in Torun."],
    "Torun": ["Torun is a city on the Vistula."],
    "Night Train": ["Night Train is a film by Ada Dahl."],
    "Ada Dahl": ["Ada Dahl was born in Oslo."],
}
FIRST = (["Dusk", "Rosa Tiel"], "Where was the author of Dusk born?", "Torun")
SECOND = (["Night Train", "Ada Dahl"], "Where was the director of Night Train born?", "Oslo")


def hotpotqa_row(identifier, gold, question, answer):
    """A question as the official file has it."""
    return {
        "_id": identifier,
        "question": question,
        "answer": answer,
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [[title, 0] for title in gold],
        "context": [[title, PAGES[title]] for title in [*gold, "Torun"]],
    }


LISTS = {
    "context": ("title", "sentences"),
    "supporting_facts": ("title", "sent_id"),
    "evidences": ("fact", "relation", "entity"),
}


def as_columns(row):
    """A record of HotpotQA or 2WikiMultiHopQA as a table on the hub has it: an object of lists."""
    lists = {
        name: dict(zip(names, map(list, zip(*row[name], strict=True)), strict=True))
        for name, names in LISTS.items()
        if name in row
    }
    return {**{name: value for name, value in row.items() if name != "_id"}, "id": row["_id"], **lists}


def musique_row(identifier, gold, question, answer):
    """A question of MuSiQue."""
    paragraphs = [
        {"idx": place, "title": title, "paragraph_text": "".join(PAGES[title]), "is_supporting": title in gold}
        for place, title in enumerate([*gold, "Torun"])
    ]
    return {"id": identifier, "question": question, "answer": answer, "answerable": True, "paragraphs": paragraphs}


def make_repositories(root):
    """Write them below the folder, by OWNER/NAME."""
    dev = [hotpotqa_row("h1", *FIRST), hotpotqa_row("h2", *SECOND)]
    train = [hotpotqa_row("t1", *FIRST), hotpotqa_row("t2", *SECOND)]
    _parquet(root / "hotpotqa/hotpot_qa/distractor/validation-00000-of-00001.parquet", map(as_columns, dev))
    for place, row in enumerate(train):
        _parquet(root / f"hotpotqa/hotpot_qa/distractor/train-0000{place}-of-00002.parquet", [as_columns(row)])
    hippo = root / "osunlp/HippoRAG_2"
    _json(hippo / "hotpotqa.json", dev)
    corpus = [
        {"title": title, "text": "".join(text), "idx": place} for place, (title, text) in enumerate(PAGES.items())
    ]
    _json(hippo / "hotpotqa_corpus.json", [*corpus, {"title": "Nobody", "text": "Asks for this.", "idx": 9}])
    _json(hippo / "musique.json", [musique_row("2hop__1_2", *FIRST)])
    _json(hippo / "musique_corpus.json", corpus)
    flash = root / "RUC-NLPIR/FlashRAG_datasets"
    _lines(flash / "bamboogle/test.jsonl", [{"id": "test_0", "question": SECOND[1], "golden_answers": ["Oslo"]}])
    with zipfile.ZipFile(_made(flash / "retrieval-corpus/wiki18_100w.zip"), "w") as archive:
        lines = [
            {"id": str(n), "contents": f'"{title}"\n{"".join(text)}'} for n, (title, text) in enumerate(PAGES.items())
        ]
        archive.writestr("wiki18_100w.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return root


def _made(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _json(path, value):
    _made(path).write_text(json.dumps(value))


def _lines(path, rows):
    _made(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def _parquet(path, rows):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([*rows]), _made(path))
