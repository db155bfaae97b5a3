import pytest
import ujson
from twelve_pages import PAGES

from multihop import open_questions

KINDS = {"bridge": 3, "comparison": 2, "one of several": 1, "bridge-comparison": 1, "unanswerable": 1}


@pytest.fixture
def pages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "pages.jsonl").write_text("".join(ujson.dumps(page._asdict()) + "\n" for page in PAGES))
    (tmp_path / "german.jsonl").write_text('{"id": "1", "title": "Berlin", "text": "Berlin ist eine Stadt."}\n')
    return tmp_path


@pytest.mark.usefixtures("pages")
def test_an_exam_is_written_and_told(run):
    code, out, err = run("exam", "pages.jsonl", "--to", "exams/mine", "--questions", 8, "--unanswerable", 0.125)
    assert (code, err) == (0, "")
    assert max(map(len, out.split("wrote")[0].splitlines())) <= 100
    told = " ".join(out.split())
    assert "bridge 3 3 0 0 2" in told
    assert "bridge-comparison 1 1 0 0 4" in told
    assert "left out, one page alone answers it: 2" in told
    assert "wrote exams/mine/questions.jsonl" in told
    assert "--questions exams/mine/questions.jsonl --corpus pages.jsonl --out runs/exam" in told
    questions = list(open_questions("exams/mine/questions.jsonl"))
    assert len(questions) == 8
    assert [each.answerable for each in questions].count(False) == 1


@pytest.mark.usefixtures("pages")
def test_as_json_and_fewer_than_asked_for(run):
    code, out, err = run("exam", "pages.jsonl", "--to", "mine", "--json")
    told = ujson.loads(out)
    assert (code, told["questions"], told["asked"], told["types"]) == (0, 8, 200, KINDS)
    assert (told["passages"], told["subjects"], told["removed"]) == (12, 12, {"one page alone answers it": 2})
    assert err == (
        "multihop: 8 of 200 questions could be made: of 12 passages 12 open by saying what they are about, and these "
        f"state {told['facts']} facts to ask for.\n"
    )


@pytest.mark.usefixtures("pages")
def test_an_lm_words_the_questions(run):
    code, out, _ = run("exam", "pages.jsonl", "--to", "mine", "--lm", "lexical", "--json")
    assert (code, ujson.loads(out)["questions"]) == (0, 8)


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("german.jsonl", "--to", "x"), "no question can be made of these 1 passages: it takes English ones"),
        (("nowhere.jsonl", "--to", "x"), "nowhere.jsonl"),
        (("pages.jsonl",), "--to"),
        (("pages.jsonl", "--to", "x", "--questions", "0"), "--questions"),
        (("pages.jsonl", "--to", "x", "--unanswerable", "2"), "--unanswerable"),
        (("pages.jsonl", "--to", "x", "--lm", "nobody"), "nobody"),
        (("pages.jsonl", "--to", "pages.jsonl"), "--to pages.jsonl is a file; name a folder."),
    ],
)
def test_bad_input(run, arguments, said):
    code, out, err = run("exam", *arguments)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
