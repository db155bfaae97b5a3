import pytest
from shelf import Shelf

from multihop import BM25, InputError, Passage, Question
from multihop.evaluation.references import GoldPassages, MixedPassages, references

CORPUS = [Passage(f"p{i}", "", f"text {i}") for i in range(4)]
QUESTIONS = [Question(id="a", question="A?", answers=("x",), supporting=("p3", "p1")),
             Question(id="b", question="B?", answers=("x",))]  # fmt: skip


def test_gold_passages_are_what_a_reader_could_have_and_a_corpus_without_them_is_refused():
    gold = GoldPassages(QUESTIONS, CORPUS)
    assert [[hit.passage.id for hit in hits] for hits in gold.search(["A?", "B?", "C?"], 5)] == [["p3", "p1"], [], []]
    assert gold.max_passages == 2
    assert gold.fingerprint != GoldPassages(QUESTIONS[:1], CORPUS).fingerprint
    with pytest.raises(InputError, match="lacks 1 gold passages of these questions, 'p3' first"):
        GoldPassages(QUESTIONS, CORPUS[:3])


def mixed(found, questions=QUESTIONS):
    shelf = Shelf(**{"A?": found, "B?": found})
    return MixedPassages(GoldPassages(questions, CORPUS), shelf), shelf


def ids(hits):
    return [hit.passage.id for hit in hits]


def test_gold_among_others_is_all_of_it_and_the_best_of_what_is_found_beside_it():
    """The gold of A is p3 and p1; p1 is found as well and takes no second place. B has no gold."""
    both, shelf = mixed("x p1 y z")
    [of_a, of_b] = both.search(["A?", "B?"], 4)
    assert shelf.batches == [(["A?", "B?"], 4)]
    assert sorted(ids(of_a)) == ["p1", "p3", "x", "y"]
    assert sorted(ids(of_b)) == ["p1", "x", "y", "z"]
    assert {hit.passage.text for hit in of_a if hit.passage.id == "p3"} == {"text 3"}
    assert {hit.score for hit in of_a} == {1.0}


def test_gold_comes_whole_however_few_are_wanted():
    both, _ = mixed("x y z")
    came = [sorted(ids(both.search(["A?"], k)[0])) for k in (1, 2, 3)]
    assert came == [["p1", "p3"], ["p1", "p3"], ["p1", "p3", "x"]]


def test_the_place_of_the_gold_is_drawn_by_lot_and_the_same_every_time():
    asked = [Question(id=f"q{n}", question=f"{n}?", answers=("x",), supporting=("p3",)) for n in range(40)]
    shelf = Shelf(**{each.question: "x y" for each in asked})
    drawn = MixedPassages(GoldPassages(asked, CORPUS), shelf)
    places = [ids(hits).index("p3") for hits in drawn.search([each.question for each in asked], 3)]
    assert set(places) == {0, 1, 2}
    assert places == [ids(drawn.search([each.question], 3)[0]).index("p3") for each in asked]


def test_a_mixture_is_known_by_its_gold_and_by_what_searches():
    names = {mixed("x")[0].fingerprint, mixed("x", QUESTIONS[:1])[0].fingerprint}
    names.add(MixedPassages(GoldPassages(QUESTIONS, CORPUS), BM25.build(CORPUS)).fingerprint)
    assert len(names) == 3
    assert all(name.startswith(("mixed-Shelf-gold-", "mixed-bm25-")) for name in names)


def test_the_reference_rows():
    rows = dict(references(QUESTIONS, CORPUS, BM25.build(CORPUS), k=3, concurrency=7))
    assert list(rows) == ["closed-book", "one-step, k=3", "gold-passages"]
    assert (rows["one-step, k=3"].k, rows["gold-passages"].k) == (3, 2)
    assert {program.concurrency for program in rows.values()} == {7}
