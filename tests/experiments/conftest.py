import pytest
from small_corpus import write_lines

from multihop import Little


def record(question):
    """A question as a line of a file, with the hops of which demonstrations are made."""
    hops = [
        {"question": hop.question, "answer": hop.answer, "paragraph": hop.passage} for hop in question.decomposition
    ]
    kept = {name: getattr(question, name) for name in ("id", "question", "answers", "supporting", "hops")}
    return {**kept, "decomposition": hops}


@pytest.fixture(scope="session")
def town(tmp_path_factory):
    """Eight questions of the little encyclopedia, the others to learn from, and all its pages, as files."""
    folder, records = tmp_path_factory.mktemp("town"), [record(question) for question in Little().questions()]
    return {
        "questions": write_lines(folder / "questions.jsonl", records[:8]),
        "train": write_lines(folder / "train.jsonl", records[8:]),
        "corpus": write_lines(folder / "corpus.jsonl", [page._asdict() for page in Little().passages()]),
    }


@pytest.fixture(scope="session")
def little_files(town, tmp_path_factory):
    """The eight questions with forty pages that hold all of their gold.

    They are indexed and read in no time, and are so few that an encoder that learned nothing finds some of the gold.
    """
    gold = {page for question in list(Little().questions())[:8] for page in question.supporting}
    pages = sorted(Little().passages(), key=lambda page: page.id not in gold)[:40]
    corpus = tmp_path_factory.mktemp("little") / "corpus.jsonl"
    return {"questions": town["questions"], "corpus": write_lines(corpus, [page._asdict() for page in pages])}


@pytest.fixture
def write_study(tmp_path, monkeypatch):
    """Writes a table of one's own, with questions and the one page of their corpus, into the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(table, asked):
        (tmp_path / "mine.toml").write_text(table)
        write_lines(tmp_path / "questions.jsonl", asked)
        write_lines(
            tmp_path / "corpus.jsonl", [{"id": "p1", "title": "Emma", "text": "Emma is a novel by Jane Austen."}]
        )
        return "mine.toml"

    return write
