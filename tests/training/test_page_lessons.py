"""The reader's lessons: which pages stand together, and where in them the answer is."""

from dataclasses import replace

from multihop import BM25
from multihop.data import Question
from multihop.encoder.judgement import BETWEEN
from multihop.retrieval import Passage
from multihop.training import lessons
from multihop.training.gold_ways import as_way, read_ways
from multihop.training.lessons import TIMES, page_lessons

EMMA = Passage("1", "Emma", "Emma is a novel by Jane Austen.")
AUSTEN = Passage("2", "Jane Austen", "Jane Austen was born in Steventon. She left Steventon in 1801.")
OTHERS = [
    Passage("3", "Persuasion", "Persuasion is a novel about a born sailor."),
    Passage("4", "Charles Dickens", "The author Charles Dickens was born in Portsmouth."),
    Passage("5", "Steventon", "Steventon is where the author of Emma was born."),
]
QUESTION = Question(
    id="q", question="Where was the author of Emma born?", answers=("Steventon",), supporting=("1", "2")
)


def made(question, pool=(EMMA, AUSTEN, *OTHERS), seed=0):
    return list(page_lessons(read_ways([question], pool), BM25.build(pool), seed=seed))


def told(lesson):
    (only,) = lesson.candidates
    text = only.pair.passage
    return text.split(BETWEEN), text[slice(*only.answer)] if isinstance(only.answer, tuple) else only.answer


def helpful(lesson):
    (only,) = lesson.candidates
    return {only.pair.passage[slice(*span)] for span in only.helpful}


def test_the_gold_stands_together_with_what_misleads_and_the_answer_is_pointed_at():
    lessons = [lesson for seed in range(20) for lesson in made(QUESTION, seed=seed)]
    seen = [told(lesson) for lesson in lessons]
    assert len(seen) == 20 * TIMES
    complete = [(pages, answer) for pages, answer in seen if str(AUSTEN) in pages]
    assert {answer for _, answer in complete} == {"Steventon"}
    assert all(str(EMMA) in pages for pages, _ in complete)
    assert {len(pages) for pages, _ in complete} == {2, 3, 4}
    assert len({tuple(pages) for pages, _ in complete}) > 4  # in several orders, beside several others
    shown = {page for pages, _ in seen for page in pages}
    assert {str(OTHERS[0]), str(OTHERS[1])} <= shown
    assert str(OTHERS[2]) not in shown, "a page that holds the answer does not mislead"
    for lesson, (pages, answer) in zip(lessons, seen, strict=True):
        assert helpful(lesson) == {str(EMMA), str(AUSTEN)} & set(pages)
        complete = str(AUSTEN) in pages
        assert (lesson.candidates[0].relevant, lesson.candidates[0].enough, answer is not None) == (complete,) * 3
    assert 0.1 < sum(str(AUSTEN) not in pages for pages, _ in seen) / len(seen) < 0.4


def test_what_misleads_is_searched_for_with_the_names_of_the_gold_and_stops_where_a_reader_s_window_ends():
    far = Passage("6", "Jane Austen Centre", "A museum.")
    assert any(str(far) in told(each)[0] for seed in range(20) for each in made(QUESTION, (EMMA, AUSTEN, far), seed))
    long = [Passage(f"{n}", "", f"The author of Emma was born. {'word ' * 120}{n}") for n in range(10, 16)]
    sizes = {len(told(each)[0]) for seed in range(9) for each in made(QUESTION, (EMMA, AUSTEN, *long), seed)}
    assert max(sizes) == 4  # 127 words each, beside some 20 of gold


def test_of_several_places_the_supporting_sentence_s_is_the_answer(monkeypatch):
    monkeypatch.setattr(lessons, "INCOMPLETE", 0)
    of_austen = ("Jane Austen was born in Steventon.", "She left Steventon in 1801.")
    question = Question(
        id="q", question="Which village did the author of Emma leave?", answers=("Steventon",), supporting=("1", "2"),
        passages=(EMMA, AUSTEN), sentences=((EMMA.text,), of_austen), supporting_sents=(("1", 0), ("2", 1)),
    )  # fmt: skip
    for lesson in made(question):
        text, (start, _) = lesson.candidates[0].pair.passage, lesson.candidates[0].answer
        assert text[:start].endswith("She left ")
    verdict = Question(id="q", question="Is its author from Bath?", answers=("no",), supporting=("1", "2"))
    assert [told(lesson)[1] for lesson in made(verdict)] == ["no"] * TIMES


def test_gold_that_does_not_say_the_answer_teaches_nothing():
    assert made(Question(id="q", question="Where?", answers=("Winchester",), supporting=("1", "2"))) == []
    assert made(Question(id="q", question="Where?", answers=("Steventon",), supporting=("1", "9"))) == []


PO = Passage("po", "Po", "The Po is in Italy.")
ROW = Question(id="r", question="Where is the Po?", answers=("Italy",), supporting=("po",), passages=(PO,))
RIVERS = BM25.build([PO, *(Passage(f"r{n}", "", f"The river number {n} is not the Po.") for n in range(5))])


def of_row(row, seeds):
    return [lesson for seed in range(seeds) for lesson in page_lessons([as_way(row)], RIVERS, seed=seed)]


def test_a_row_is_one_lesson_half_of_them_of_its_page_alone():
    lessons = of_row(ROW, 60)
    seen = [told(lesson) for lesson in lessons]
    assert len(seen) == 60
    answered = [(pages, answer) for pages, answer in seen if answer]
    assert {answer for _, answer in answered} == {"Italy"}
    assert {len(pages) for pages, _ in answered} == {1, 2, 3, 4, 5}
    assert {pages.index(str(PO)) for pages, _ in answered} >= {0, 1, 2}
    assert 0.05 < sum(answer is None for _, answer in seen) / len(seen) < 0.35
    assert all(str(PO) not in pages for pages, answer in seen if answer is None)
    assert 0.35 < sum(pages == [str(PO)] for pages, _ in seen) / len(seen) < 0.65
    assert all(helpful(lesson) == {str(PO)} & set(pages) for lesson, (pages, _) in zip(lessons, seen, strict=True))


def test_a_row_that_no_page_answers_says_nowhere_and_shows_its_own_page():
    for lesson in of_row(replace(ROW, answers=(), supporting=(), answerable=False), 8):
        assert told(lesson)[1] is None
        assert not lesson.candidates[0].relevant
        assert helpful(lesson) == set()
        assert str(PO) in told(lesson)[0]
