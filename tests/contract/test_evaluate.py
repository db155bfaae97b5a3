"""Who evaluates: runs that resume, comparisons that are paired, the papers' tables, pages, by public names."""

import base64
import csv
import gzip
import json
import re
import string

import dspy
import pytest
from contract.commands import LITTLE, killed_once, lines

from multihop import BM25, Hit, Little, Passage, compare, create, evaluate, scripted

QUESTION = "In which country was the discoverer of penicillin born?"


def official_f1(answer, gold):
    """F1 of HotpotQA's own script, as short as it can be said."""

    def words(text):
        text = "".join(" " if letter in string.punctuation else letter for letter in text.lower())
        return [word for word in text.split() if word not in ("a", "an", "the")]

    said, right = words(answer), words(gold)
    common = sum(min(said.count(word), right.count(word)) for word in set(said))
    return 2 * common / (len(said) + len(right)) if common else 0.0


def test_a_run_is_a_row_a_question_and_its_figures_are_theirs(multihop, here):
    said = multihop("evaluate", "one-step", "-q", "little", *LITTLE, "--limit", 12, "--out", "run", "--json")
    rows = lines(here / "run" / "questions.jsonl")
    questions = list(Little().questions())[:12]
    assert sorted(row["id"] for row in rows) == sorted(question.id for question in questions)
    gold = {question.id: question for question in questions}
    pages = {page.id: page for page in Little().passages()}
    for row in rows:
        asked = gold[row["id"]]
        assert (row["status"], row["question"]) == ("ok", asked.question)
        assert row["metrics"]["f1"] == pytest.approx(max(official_f1(row["answer"], each) for each in asked.answers))
        found = [page for page, _ in row["passages"][:5]]
        needed = asked.supporting
        assert row["metrics"]["recall@5"] == pytest.approx(sum(page in found for page in needed) / len(needed))
        assert row["cost"]["calls"] == 1
        assert set(found) <= set(pages)
    metrics = json.loads((here / "run" / "summary.json").read_text())["metrics"]
    for name in ("em", "f1", "recall@5"):
        assert metrics[name]["mean"] == pytest.approx(sum(row["metrics"][name] for row in rows) / 12, abs=1e-6)
    assert said.json["one-step"]["metrics"]["f1"]["mean"] == metrics["f1"]["mean"] > 0
    assert "one-step" in (here / "run" / "summary.md").read_text()


@pytest.mark.seconds
def test_a_killed_run_goes_on_and_pays_for_nothing_twice(multihop, here):
    asked = ("evaluate", "tor", "-q", "little", *LITTLE, "--out", "run", "--quiet")
    journal = here / "run" / "questions.jsonl"
    killed_once(lambda: len(lines(journal)) >= 3, *asked)
    before = lines(journal)
    assert 3 <= len(before) < 40
    multihop(*asked)
    after = lines(journal)
    assert after[: len(before)] == before
    assert len({row["id"] for row in after}) == len(after) == 40
    whole = (journal.read_bytes(), (here / "run" / "summary.json").read_bytes())
    multihop(*asked)
    assert journal.read_bytes() == whole[0]
    assert json.loads((here / "run" / "summary.json").read_bytes())["metrics"] == json.loads(whole[1])["metrics"]


def test_a_run_refuses_to_mix_and_says_what_differs(multihop, here):
    asked = ("evaluate", "one-step", "-q", "little", *LITTLE, "--limit", 2, "--out", "run")
    multihop(*asked)
    before = (here / "run" / "questions.jsonl").read_bytes()
    said = multihop(*asked, "--set", "k=3", code=2)
    assert re.search(r"k = 5, and now it is 3; choose another folder", said.err)
    assert (here / "run" / "questions.jsonl").read_bytes() == before


def test_two_runs_are_compared_question_by_question(multihop, here):
    for k in (1, 5):
        multihop("evaluate", "one-step", "-q", "little", *LITTLE, "--limit", 12, "--set", f"k={k}", "--out", f"k{k}")
    one, five = ({row["id"]: row["metrics"] for row in lines(here / f"k{k}" / "questions.jsonl")} for k in (1, 5))
    said = multihop("compare", "k1", "k5").out
    assert "12 questions in common" in said
    for name in ("f1", "recall@5"):
        difference = sum(five[each][name] - one[each][name] for each in one) / 12
        found = compare("k1", "k5").metrics[name]
        assert found.b - found.a == pytest.approx(difference)
        assert re.search(rf"{re.escape(name)} .* {re.escape(f'{100 * difference:+.1f}')} ", said)
    multihop("compare", "k1", "k5", "--to", "table.csv")
    with open(here / "table.csv") as file:
        table = list(csv.reader(file))
    assert "f1" in " ".join(map(str, table))


def test_two_rows_of_a_papers_table(multihop, here):
    rows = ("--rows", "Standard RAG", "IRCoT")
    asked = ("reproduce", "resp-table-1", "--lm", "local", "-q", "little", *rows, "--limit", 3, "--out", "table")
    said = multihop(*asked).out
    assert "Standard RAG" in said
    assert "IRCoT" in said
    runs = sorted((here / "table").rglob("questions.jsonl"))
    assert [len(lines(run)) for run in runs] == [3] * len(runs)
    assert len(runs) >= 2
    before = [run.read_bytes() for run in runs]
    again = multihop(*asked).out
    assert [run.read_bytes() for run in runs] == before
    assert "Standard RAG" in again
    listed = multihop("experiments", "resp-table-1").out
    assert re.search(r"ReSP\s+47\.2", listed), "the paper's own figure stands in the table"


def test_a_page_shows_the_search_of_every_question(multihop, here):
    multihop("evaluate", "tor", "-q", "little", *LITTLE, "--limit", 2, "--out", "run")
    multihop("view", "run", "--corpus", "little", "--to", "page.html")
    page = (here / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert QUESTION in page
    packed = re.findall(r"H4sI[A-Za-z0-9+/=]+", page)
    inside = "".join(gzip.decompress(base64.b64decode(text)).decode() for text in packed)
    assert "Penicillin" in inside, "its searches are in it"
    assert "Alexander Fleming discovered it in 1928" in inside, "and so are the passages' texts"
    assert 'http-equiv="Content-Security-Policy"' in page
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=\"http", page), "it needs nothing from anywhere"
    said = multihop("show", "run", "penicillin-country").out
    assert re.search(r"search .*Penicillin", said)
    assert "LM calls" in said


MINE = '''
import dspy

from multihop import BM25, Hit, Passage, Program
from multihop.signatures import AnswerFromPassages


class Twice(Program):
    """Retrieves for the question, and again for the first answer."""

    k: int = 3
    """Passages of each search."""

    def set_up(self):
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        hits = await self.find(question, self.k)
        first = await self.ask(self.answer, passages=hits, question=question)
        hits = [*hits, *await self.find(first.answer, self.k)]
        return await self.ask(self.answer, passages=hits, question=question)


PAGE = Passage("alexander-fleming", "Alexander Fleming", "Alexander Fleming found penicillin. He was born in Scotland.")


class Shelf:
    """A retriever of one page, whatever it is asked."""

    def search(self, queries, k):
        return [[Hit(PAGE, 1.0)] for _ in queries]


class Reversed(BM25):
    """An index of one's own in a folder: the worst first."""

    def search(self, queries, k):
        return [hits[::-1] for hits in super().search(queries, k)]


def letters(example, prediction, trace=None):
    return min(len(prediction.answer) / 100, 1.0)
'''


def test_a_program_a_retriever_and_a_metric_of_ones_own(multihop, here):
    (here / "mine.py").write_text(MINE)
    asked = ("-q", "little", "--lm", "local", "--limit", 3)
    multihop("evaluate", "mine:Twice", *asked, "-c", "little", "--metric", "mine:letters", "--out", "run")
    rows = lines(here / "run" / "questions.jsonl")
    assert [row["cost"]["calls"] for row in rows] == [2, 2, 2]
    letters = [metric for row in rows for name, metric in row["metrics"].items() if "letters" in name]
    assert letters == pytest.approx([len(row["answer"]) / 100 for row in rows])
    for name in ("bm25", "mine:Reversed"):
        multihop("evaluate", "one-step", *asked, "-c", "little", "--retriever", name, "--out", name[:4])
    ours, own = (lines(here / name / "questions.jsonl") for name in ("bm25", "mine"))
    backwards = {row["id"]: row["passages"][::-1] for row in ours}
    assert {row["id"]: row["passages"] for row in own} == backwards

    import mine

    with dspy.context(lm=scripted(lambda prompt: {"answer": "Scotland"})):
        run = evaluate(mine.Twice(mine.Shelf(), k=1), list(Little().questions())[:3], out="own", progress=False)
    assert [row["passages"] for row in run.rows()] == [[["alexander-fleming", 1.0]]] * 3
    assert run.summary["metrics"]["em"]["mean"] == pytest.approx(1 / 3)


def test_questions_and_a_corpus_in_files_of_ones_own(multihop, here):
    questions = ("question,answer", "Where was Ada Dahl born?,Oslo", "Who directed Night Train?,Ada Dahl")
    (here / "ten.csv").write_text("\n".join(questions))
    pages = [
        {"id": "a", "title": "Ada Dahl", "text": "Ada Dahl is a Norwegian film director, born in Oslo."},
        {"id": "n", "title": "Night Train", "text": "Night Train is a film directed by Ada Dahl."},
    ]
    (here / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    for retriever in ("bm25", "dense", "hybrid"):
        multihop("index", "pages.jsonl", "--to", retriever, "--retriever", retriever)
        multihop("evaluate", "one-step", "-q", "ten.csv", "-c", retriever, "--lm", "local", "--out", f"run-{retriever}")
        answers = [row["answer"] for row in lines(here / f"run-{retriever}" / "questions.jsonl")]
        assert sorted(answers) == ["Ada Dahl", "Oslo"]


def test_the_passages_of_a_search_are_ranked_tuples():
    retriever = BM25.build([Passage("a", "Ada", "Ada lives in Oslo."), Passage("b", "Bo", "Bo lives in Rome.")])
    ((first, *_), ()) = retriever.search(["Oslo"], 2), ()
    assert isinstance(first[0], Hit)
    assert (first[0].passage.id, first[0].passage.title) == ("a", "Ada")


def test_bad_input_is_one_sentence_and_exit_code_2(multihop, here):
    (here / "broken.jsonl").write_text('{"question": "Who?"\n')
    for arguments in (
        ("evaluate", "nope", "--out", "x"),
        ("evaluate", "one-step", "-q", "broken.jsonl", "--out", "x"),
        ("evaluate", "one-step", "--set", "k=many", "--out", "x"),
        ("compare", "nowhere", "nowhere-else"),
        ("ask", ""),
        ("view", "nowhere"),
    ):
        said = multihop(*arguments, code=2)
        assert said.err.startswith("multihop: ")
        assert said.err.count("\n") == 1
        assert not (here / "x").exists()


def test_every_program_of_the_papers_is_made_by_its_name():
    retriever = BM25.build(Little().passages())
    papers = "tor cor mzqa mzqa-bc resp efficientrag ranked-rag rap lats tot-bfs tot-dfs react ircot sure replug"
    for name in papers.split():
        assert create(name, retriever).name == name
