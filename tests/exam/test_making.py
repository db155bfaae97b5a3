import pytest
from twelve_pages import PAGES

from multihop import Passage, open_questions
from multihop.base import InputError
from multihop.exam import Exam, make_exam
from multihop.exam.audit import ONE_PAGE

FILM = "the 1959 Polish thriller film Night Train"


@pytest.fixture(scope="module")
def exam():
    return make_exam(PAGES, questions=30)


def test_an_exam_of_twelve_pages_question_by_question(exam):
    asked = {
        question.question: (question.type, question.answers, question.supporting_sents) for question in exam.questions
    }
    either_way = {
        "Who was born first",
        "Which rock band was formed first",
        "Which film has the director who was born first",
    }
    compared = {text.partition(",")[0]: told for text, told in asked.items() if text.partition(",")[0] in either_way}
    assert {text: told for text, told in asked.items() if text.partition(",")[0] not in either_way} == {
        "When was the rock band that recorded the album Red Album formed?": (
            "bridge", ("1987",), (("red-album", 0), ("the-lanterns", 0)),
        ),
        f"What is the nationality of the director of {FILM}?": (
            "bridge", ("Czech",), (("night-train", 0), ("jerzy-kowal", 0)),
        ),
        "When was the director of the 1971 comedy film Last Bus born?": (
            "bridge", ("9 June 1930",), (("last-bus", 0), ("maria-wolf", 0)),
        ),
        f"Which star of {FILM} was born on 7 August 1931?": (
            "one of several", ("Ewa Lis",), (("night-train", 0), ("ewa-lis", 0)),
        ),
        f"To whom was the director of {FILM} married?": ("unanswerable", (), (("night-train", 0),)),
    }  # fmt: skip
    assert {text: told[:2] for text, told in compared.items()} == {
        "Who was born first": ("comparison", ("Jerzy Kowal",)),
        "Which rock band was formed first": ("comparison", ("The Lanterns",)),
        "Which film has the director who was born first": ("bridge-comparison", ("Night Train",)),
    }


def test_a_question_has_its_pages_hops_and_level(exam):
    [question] = [each for each in exam.questions if "Last Bus born" in each.question]
    assert question.supporting == ("last-bus", "maria-wolf")
    assert [(hop.question, hop.answer, hop.passage) for hop in question.decomposition] == [
        ("Who directed the 1971 comedy film Last Bus?", "Maria Wolf", "last-bus"),
        ("When was Maria Wolf born?", "9 June 1930", "maria-wolf"),
    ]
    assert (question.hops, question.level, question.gold, question.answerable) == (2, "easy", "derived", True)
    [without] = [each for each in exam.questions if each.type == "unanswerable"]
    assert (without.answers, without.answerable, without.decomposition[-1].answer) == ((), False, "")
    [compared] = [each for each in exam.questions if each.type == "bridge-comparison"]
    assert (compared.hops, len(compared.supporting)) == (4, 4)


def test_it_says_what_it_counted(exam):
    assert (exam.asked, exam.pages, exam.subjects) == (30, 12, 12)
    assert exam.count("type") == {
        "bridge": 3, "comparison": 2, "one of several": 1, "bridge-comparison": 1, "unanswerable": 1
    }  # fmt: skip
    assert exam.count("level") == {"easy": 8}
    assert exam.removed == {ONE_PAGE: 2}


def test_the_same_seed_makes_the_same_exam_and_another_one_another(exam):
    assert make_exam(PAGES, questions=30).questions == exam.questions
    assert make_exam(PAGES, questions=30, seed=1).questions != exam.questions


def test_as_many_questions_as_asked_for_and_no_more():
    exam = make_exam(PAGES, questions=4, unanswerable=0.25)
    assert len(exam.questions) == 4
    assert [question.answerable for question in exam.questions].count(False) == 1
    assert {question.answerable for question in make_exam(PAGES, questions=30, unanswerable=0).questions} == {True}


def test_what_is_written_is_read_again(exam, tmp_path):
    path = exam.write(tmp_path / "new" / "exam")
    assert path.name == "questions.jsonl"
    assert tuple(open_questions(path)) == exam.questions


@pytest.mark.parametrize(
    "pages",
    [
        [],
        [Passage("1", "Berlin", "Berlin ist eine Stadt.")],
        [Passage("1", "Ewa Lis", "Ewa Lis (born 7 August 1931) was a Polish actress.")],
    ],
)
def test_pages_that_give_no_question(pages):
    with pytest.raises(InputError, match=rf"^no question can be made of these {len(pages)} passages: it takes English"):
        make_exam(pages)


@pytest.mark.parametrize("wrong", [{"questions": 0}, {"unanswerable": 1.5}, {"unanswerable": -0.1}])
def test_what_no_exam_can_be(wrong):
    with pytest.raises(InputError, match="an exam has 1 question or more"):
        make_exam(PAGES, **wrong)


def test_pages_without_titles():
    pages = [Passage(page.id, "", page.text) for page in PAGES]
    exam = make_exam(pages, questions=30)
    assert isinstance(exam, Exam)
    assert "When was the director of the 1971 comedy film Last Bus born?" in [each.question for each in exam.questions]


def test_comparisons_are_half_of_what_can_be_answered_at_most():
    bands = [
        Passage(f"band-{year}", f"Band {year}", f"Band {year} is a rock band formed in {year}.")
        for year in range(1950, 1990)
    ]
    exam = make_exam([*PAGES, *bands], questions=100, unanswerable=0)
    assert exam.count("type")["comparison"] <= len(exam.questions) / 2
    with pytest.raises(InputError, match="no question can be made of these 40 passages"):
        make_exam(bands)
