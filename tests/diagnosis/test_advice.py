"""Each rule on both sides of its threshold, with the whole sentence."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import ujson
from small_town import PASSAGES
from small_town import QUESTIONS as TOWN_QUESTIONS

from multihop.diagnosis import (
    CandidatePool,
    CorpusShape,
    GoldInCorpus,
    HopRecall,
    PassageLengths,
    QuestionShape,
    RecallAtDepth,
    RetrievalGain,
    advice,
    question_advice,
)
from multihop.diagnosis.advice import CORPUS_RULES, advise
from multihop.diagnosis.depths import DEPTHS
from multihop.diagnosis.in_words import percent
from multihop.diagnosis.question_advice import GOLD_RULES, RECALL_RULES

RULES = [*CORPUS_RULES, "shared titles", *GOLD_RULES, *RECALL_RULES]
PAGE = (Path(__file__).parents[2] / "docs" / "diagnose.md").read_text()


def words(mean):
    return PassageLengths(mean=mean, median=mean, p95=mean, longest=int(mean))


CORPUS = CorpusShape(
    passages=1000,
    text_bytes=1,
    bm25_bytes=1,
    dense_bytes=1,
    words=words(100.0),
    empty_texts=0,
    untitled=0,
    shared_titles=0,
    repeated_texts=0,
    titles_named=1.0,
    naming=0.5,
    looked_at=1000,
)
GOLD = GoldInCorpus(
    pages=200,
    found=200,
    matched_by={"id": 100},
    pairs=100,
    linked_pairs=40,
    questions_with_pairs=100,
    linked_questions=40,
)


def depths(*recalls, half=0.04):
    return tuple(
        RecallAtDepth(k, recall, recall - half, recall + half, 0.5) for k, recall in zip(DEPTHS, recalls, strict=True)
    )


def pool(size, recall):
    return CandidatePool(20, named=True, title_hits=False, size=size, recall=recall, complete=0.5)


FINE = depths(0.5, 0.6, 0.8, 0.82, 0.84, 0.86, 0.9)
QUESTIONS = QuestionShape(
    questions=100,
    with_gold=100,
    gold=GOLD,
    depths=FINE,
    hops=(HopRecall(1, 100, (1.0,) * 7), HopRecall(2, 100, (0.8,) * 7)),
    hops_told=100,
    hops_by_rule=0,
    pools=(pool(20, 0.85), pool(60, 0.94)),
    gain=None,
    no_gain="no sample was asked for",
)


def on_corpus(**figures):
    return {each.rule: each.text for each in advise(replace(CORPUS, **figures), None)}


def on_questions(corpus=CORPUS, **figures):
    return {each.rule: each.text for each in advise(corpus, replace(QUESTIONS, **figures))}


def test_where_all_is_as_it_should_be_nothing_is_said():
    assert on_corpus() == {}
    assert on_questions() == {}


@pytest.mark.parametrize(
    ("rule", "beyond", "within", "text"),
    [
        (
            "small corpus",
            {"passages": 999},
            {"passages": 1000},
            "there are only 999 passages: over a larger corpus, recall is lower than here",
        ),
        (
            "long passages",
            {"words": words(900.4)},
            {"words": words(299.9)},
            "passages have 900 words: cut them into pieces of 100 to 200, since a hit should be about one thing and "
            "the encoder reads about 150 words at a time",
        ),
        (
            "empty texts",
            {"empty_texts": 3},
            {"empty_texts": 0},
            "3 passages have no text: leave out what can be found and says nothing",
        ),
        (
            "repeated texts",
            {"repeated_texts": 10},
            {"repeated_texts": 9},
            "1 % of the passages repeat the text of another: keep one of each, since copies take the places of other "
            "hits",
        ),
        (
            "untitled",
            {"untitled": 500},
            {"untitled": 499},
            "50 % of the passages have no title: no method can follow titles from page to page",
        ),
        (
            "shared titles",
            {"shared_titles": 120},
            {"shared_titles": 99},
            "12 % of the passages share their title with another: a title alone does not tell them apart",
        ),
    ],
)
def test_rules_of_the_corpus(rule, beyond, within, text):
    assert on_corpus(**beyond) == {rule: text}
    assert on_corpus(**within) == {}


@pytest.mark.parametrize(
    ("ways", "then"),
    [
        ({"text": 90, "nothing recognised": 10}, "recall is matched by text"),
        ({"id": 1, "text": 1}, "recall is matched by id and text"),
        (
            {"text": 90, "title": 10},
            "recall is matched by title, so that one passage may be taken for another: give corpus and questions ids",
        ),
    ],
)
def test_titles_that_come_twice_and_how_recall_is_matched(ways, then):
    said = on_questions(corpus=replace(CORPUS, shared_titles=120), gold=replace(GOLD, matched_by=ways))
    assert said == {"shared titles": f"12 % of the passages share their title with another: {then}"}


def hop(number, deepest, pages=10):
    return HopRecall(number, pages, (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, deepest))


def gain(low, high, better=0.6, p_value=0.05):
    return RetrievalGain(questions=50, one_step=0.5, ranked_rag=better, low=low, high=high, p_value=p_value)


@pytest.mark.parametrize(
    ("rule", "beyond", "within", "text"),
    [
        (
            "missing gold",
            {"gold": replace(GOLD, found=198)},
            {"gold": replace(GOLD, found=199)},
            "1 % of the gold is not in this corpus: no method can find it",
        ),
        (
            "one retrieval",
            {"depths": depths(0.5, 0.6, 0.93, 0.94, 0.95, 0.96, 0.97)},
            {"depths": depths(0.5, 0.6, 0.89, 0.94, 0.95, 0.96, 0.97)},
            "one retrieval finds 93 % of the gold within 5: start with one-step",
        ),
        (
            "ask again",
            {"hops": (hop(1, 0.5), hop(2, 0.17), hop(3, 0.0))},
            {"hops": (hop(1, 0.5), hop(2, 0.81), hop(3, 0.81))},
            "83 % of the second-hop gold is not among the first 100 hits for the question itself: a method that asks "
            "again with what it has found is needed: try ircot, tor, ranked-rag",
        ),
        (
            "ask again",
            {"hops": (hop(1, 0.5), hop(2, 0.0, pages=9), hop(3, 0.4))},
            {"hops": (hop(1, 0.5), hop(2, 0.0, pages=9), hop(3, 0.9))},
            "60 % of the third-hop gold is not among the first 100 hits for the question itself: a method that asks "
            "again with what it has found is needed: try ircot, tor, ranked-rag",
        ),
        (
            "ask again",
            {"hops": (), "depths": depths(0.5, 0.6, 0.7, 0.72, 0.74, 0.76, 0.79)},
            {"hops": (), "depths": depths(0.5, 0.6, 0.7, 0.72, 0.74, 0.76, 0.81)},
            "21 % of the gold is not among the first 100 hits for the question itself: a method that asks again with "
            "what it has found is needed: try ircot, tor, ranked-rag",
        ),
        (
            "ranked low",
            {"depths": depths(0.5, 0.6, 0.7, 0.72, 0.74, 0.76, 0.91)},
            {"depths": depths(0.5, 0.6, 0.7, 0.72, 0.74, 0.76, 0.84)},
            "21 % of the gold is among the first 100 hits but not among the first 5: ordering them anew can gain as "
            "much: try ranked-rag, or a hybrid index with --rerank",
        ),
        (
            "pool",
            {"pools": (pool(20, 0.9), pool(80, 0.99), pool(33.4, 0.98), pool(150, 0.99))},
            {"pools": (pool(20, 0.9), pool(150, 0.94))},
            "a pool of 33 passages holds 98 % of the gold: what is left is to choose among them",
        ),
        (
            "pool",
            {"pools": (pool(20, 0.5), pool(186, 0.79))},
            {"pools": (pool(20, 0.5), pool(186, 0.8))},
            "even a pool of 186 passages holds only 79 % of the gold: choosing better cannot go beyond that; ask "
            "sub-questions (decompose, self-ask, ircot) or search by meaning (--retriever hybrid)",
        ),
        (
            "often linked",
            {"gold": replace(GOLD, linked_questions=65)},
            {"gold": replace(GOLD, linked_questions=49)},
            "in 65 % of the questions a gold page names another: follow titles, as ranked-rag does",
        ),
        (
            "seldom linked",
            {"gold": replace(GOLD, linked_questions=20)},
            {"gold": replace(GOLD, linked_questions=21)},
            "in only 20 % of the questions a gold page names another: following titles brings little",
        ),
        (
            "ranked-rag",
            {"gain": gain(0.02, 0.18)},
            {},
            "ranked-rag finds 10.0 points more within 5 than one retrieval (95 % interval +2.0 to +18.0), without an "
            "LM call",
        ),
        (
            "ranked-rag",
            {"gain": gain(-0.18, -0.02, better=0.4)},
            {},
            "ranked-rag finds 10.0 points less within 5 than one retrieval (95 % interval -18.0 to -2.0)",
        ),
        (
            "ranked-rag",
            {"gain": gain(0.0, 0.1, better=0.55)},
            {},
            "ranked-rag is not surely better than one retrieval here (+5.0 points within 5, 95 % interval +0.0 to "
            "+10.0)",
        ),
        (
            "few questions",
            {"with_gold": 29, "depths": depths(0.5, 0.6, 0.8, 0.82, 0.84, 0.86, 0.9, half=0.02)},
            {"with_gold": 30},
            "recall@5 of 29 questions is known to ± 2 points at best: take more questions before methods are compared",
        ),
        (
            "few questions",
            {"depths": depths(0.5, 0.6, 0.8, 0.82, 0.84, 0.86, 0.9, half=0.06)},
            {},
            "recall@5 of 100 questions is known to ± 6 points at best: take more questions before methods are compared",
        ),
    ],
)
def test_rules_of_the_questions(rule, beyond, within, text):
    assert on_questions(**beyond) == {rule: text}
    assert on_questions(**within) == {}


def test_an_interval_without_a_small_p_value_is_not_sure():
    (text,) = on_questions(gain=gain(0.01, 0.19, p_value=0.057)).values()
    assert text.startswith("ranked-rag is not surely better than one retrieval here (+10.0 points within 5, ")
    (text,) = on_questions(gain=gain(-0.19, -0.01, better=0.4, p_value=0.057)).values()
    assert text.startswith("ranked-rag is not surely better than one retrieval here (-10.0 points within 5, ")


def test_questions_without_gold_or_over_another_corpus():
    nothing = {"depths": (), "hops": (), "pools": ()}
    assert on_questions(**nothing, with_gold=0, gold=replace(GOLD, matched_by={"no gold known": 100})) == {
        "no gold": "the questions name no gold passages: recall cannot be measured, only answers"
    }
    assert on_questions(**nothing, gold=replace(GOLD, found=0, matched_by={"nothing recognised": 100})) == {
        "unrecognised gold": "no gold passage was recognised in this corpus by id, text or title: it is another "
        "corpus, or its fields have other names (--field id=NAME)"
    }


def test_questions_with_one_gold_page_each_say_nothing_of_links():
    single = replace(GOLD, pairs=0, linked_pairs=0, questions_with_pairs=0, linked_questions=0)
    assert on_questions(gold=single) == {}


def test_no_share_is_rounded_to_all_or_nothing():
    assert [percent(share) for share in (0, 0.0001, 0.004, 0.006, 0.994, 0.996, 0.99999, 1)] == [
        "0 %", "under 0.1 %", "0.4 %", "1 %", "99 %", "99.6 %", "over 99.9 %", "100 %",
    ]  # fmt: skip


def test_the_page_has_every_rule_in_its_order():
    assert re.findall(r"^\| ([a-z][a-z -]+) \| ", PAGE.partition("## The rules")[2], flags=re.M) == ["rule", *RULES]


@pytest.mark.parametrize(
    ("rule", "figures"),
    [
        ("small corpus", [f"{advice.SMALL:,} passages"]),
        ("long passages", [f"{advice.LONG_WORDS} words"]),
        ("repeated texts", [percent(advice.REPEATED_TEXTS)]),
        ("untitled", [percent(advice.UNTITLED)]),
        ("shared titles", [percent(advice.SHARED_TITLES)]),
        ("missing gold", [percent(question_advice.MISSING_GOLD)]),
        ("one retrieval", [percent(question_advice.ENOUGH_AT_ONCE)]),
        (
            "ask again",
            [percent(question_advice.OUT_OF_REACH), f"{DEPTHS[-1]} hits", f"{question_advice.FEW_PAGES} gold"],
        ),
        ("ranked low", [percent(question_advice.RANKED_LOW), f"{DEPTHS[-1]}th"]),
        ("pool", [percent(question_advice.POOL_ENOUGH), percent(question_advice.POOL_TOO_LITTLE)]),
        ("often linked", [percent(question_advice.OFTEN_LINKED)]),
        ("seldom linked", [percent(question_advice.SELDOM_LINKED)]),
        ("ranked-rag", [f"p is {question_advice.SURE} or less"]),
        (
            "few questions",
            [f"± {100 * question_advice.WIDE_INTERVAL:.0f} points", f"{question_advice.FEW_QUESTIONS} questions"],
        ),
    ],
)
def test_the_page_has_the_thresholds_of_the_rules(rule, figures):
    (row,) = re.findall(rf"^\| {rule} \| (.*)$", PAGE, flags=re.M)
    assert [figure for figure in figures if figure not in row] == []


def test_the_python_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [page._asdict() for page in PASSAGES]
    asked = [{"id": each.id, "question": each.question, "answers": each.answers} for each in TOWN_QUESTIONS]
    gold = [{**row, "supporting": each.supporting} for row, each in zip(asked, TOWN_QUESTIONS, strict=True)]
    for name, records in (("corpus.jsonl", rows), ("dev.jsonl", gold)):
        Path(name).write_text("".join(ujson.dumps(record) + "\n" for record in records))
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    exec(compile(block, "docs/diagnose.md", "exec"), {})
    assert capsys.readouterr().out.startswith("0.75\nsmall corpus: there are only 6 passages")
