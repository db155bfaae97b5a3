"""Advice from the ways in which the gold of the questions can be found in a corpus."""

from collections.abc import Callable

from .in_words import ordinal, percent
from .record import QuestionShape

MISSING_GOLD = 0.01
WIDE_INTERVAL = 0.05
"""Half of the interval of recall@5 from which there are too few questions."""
FEW_QUESTIONS = 30
"""The least number of questions of which an interval means much."""
ENOUGH_AT_ONCE = 0.9
OUT_OF_REACH = 0.2
"""The share of gold beyond the deepest rank from which one query is not enough."""
FEW_PAGES = 10
"""Gold passages of a hop below which its share says little."""
RANKED_LOW = 0.15
"""The share of gold between the fifth and the deepest rank from which ordering anew pays."""
POOL_ENOUGH = 0.95
POOL_TOO_LITTLE = 0.8
OFTEN_LINKED = 0.5
SELDOM_LINKED = 0.2
SURE = 0.05
"""The p value up to which a difference whose interval excludes 0 is called one."""
FIFTH, DEEPEST = 2, -1
"""The places of recall@5 and of the deepest recall among `depths`."""


def _no_gold(questions: QuestionShape) -> str:
    if questions.with_gold:
        return ""
    return "the questions name no gold passages: recall cannot be measured, only answers"


def _unrecognised(questions: QuestionShape) -> str:
    if not questions.with_gold or questions.depths:
        return ""
    return (
        "no gold passage was recognised in this corpus by id, text or title: it is another corpus, or its fields have "
        "other names (--field id=NAME)"
    )


def _missing_gold(questions: QuestionShape) -> str:
    gold = questions.gold
    if not questions.depths or gold.pages - gold.found < MISSING_GOLD * gold.pages:
        return ""
    missing = (gold.pages - gold.found) / gold.pages
    return f"{percent(missing)} of the gold is not in this corpus: no method can find it"


def _ask_again(questions: QuestionShape) -> str:
    deepest = questions.depths[DEEPEST].k
    later = [(hop, 1 - hop.recall[DEEPEST]) for hop in questions.hops if hop.hop > 1 and hop.pages >= FEW_PAGES]
    for hop, missing in later:
        if missing >= OUT_OF_REACH:
            return _second_search(f"{percent(missing)} of the {ordinal(hop.hop)}-hop gold", deepest)
    missing = 1 - questions.depths[DEEPEST].recall
    if missing >= OUT_OF_REACH:
        return _second_search(f"{percent(missing)} of the gold", deepest)
    return ""


def _second_search(what: str, deepest: int) -> str:
    return (
        f"{what} is not among the first {deepest} hits for the question itself: a method that asks again with what it "
        "has found is needed: try ircot, tor, ranked-rag"
    )


def _at_once(questions: QuestionShape) -> str:
    five = questions.depths[FIFTH]
    if five.recall < ENOUGH_AT_ONCE:
        return ""
    return f"one retrieval finds {percent(five.recall)} of the gold within {five.k}: start with one-step"


def _ranked_low(questions: QuestionShape) -> str:
    five, deepest = questions.depths[FIFTH], questions.depths[DEEPEST]
    between = deepest.recall - five.recall
    if between < RANKED_LOW:
        return ""
    return (
        f"{percent(between)} of the gold is among the first {deepest.k} hits but not among the first {five.k}: "
        "ordering them anew can gain as much: try ranked-rag, or a hybrid index with --rerank"
    )


def _pool(questions: QuestionShape) -> str:
    largest = questions.pools[-1]
    if largest.recall >= POOL_ENOUGH:
        enough = [pool for pool in questions.pools if pool.recall >= POOL_ENOUGH]
        smallest = min(enough, key=lambda pool: pool.size)
        return (
            f"a pool of {smallest.size:,.0f} passages holds {percent(smallest.recall)} of the gold: what is left is to "
            "choose among them"
        )
    if largest.recall < POOL_TOO_LITTLE:
        return (
            f"even a pool of {largest.size:,.0f} passages holds only {percent(largest.recall)} of the gold: choosing "
            "better cannot go beyond that; ask sub-questions (decompose, self-ask, ircot) or search by meaning "
            "(--retriever hybrid)"
        )
    return ""


def _often_linked(questions: QuestionShape) -> str:
    gold = questions.gold
    if not gold.questions_with_pairs or gold.linked_questions < OFTEN_LINKED * gold.questions_with_pairs:
        return ""
    share = gold.linked_questions / gold.questions_with_pairs
    return f"in {percent(share)} of the questions a gold page names another: follow titles, as ranked-rag does"


def _seldom_linked(questions: QuestionShape) -> str:
    gold = questions.gold
    if not gold.questions_with_pairs or gold.linked_questions > SELDOM_LINKED * gold.questions_with_pairs:
        return ""
    share = gold.linked_questions / gold.questions_with_pairs
    return f"in only {percent(share)} of the questions a gold page names another: following titles brings little"


def _gain(questions: QuestionShape) -> str:
    if (gain := questions.gain) is None:
        return ""
    change = 100 * (gain.ranked_rag - gain.one_step)
    interval = f"95 % interval {100 * gain.low:+.1f} to {100 * gain.high:+.1f}"
    if gain.low > 0 and gain.p_value <= SURE:
        return f"ranked-rag finds {change:.1f} points more within 5 than one retrieval ({interval}), without an LM call"
    if gain.high < 0 and gain.p_value <= SURE:
        return f"ranked-rag finds {-change:.1f} points less within 5 than one retrieval ({interval})"
    return f"ranked-rag is not surely better than one retrieval here ({change:+.1f} points within 5, {interval})"


def _few_questions(questions: QuestionShape) -> str:
    five = questions.depths[FIFTH]
    half = (five.high - five.low) / 2
    if half < WIDE_INTERVAL and questions.with_gold >= FEW_QUESTIONS:
        return ""
    return (
        f"recall@{five.k} of {questions.with_gold:,} question{'' if questions.with_gold == 1 else 's'} is known to "
        f"± {100 * half:.0f} points at best: take more questions before methods are compared"
    )


GOLD_RULES: dict[str, Callable[[QuestionShape], str]] = {
    "no gold": _no_gold,
    "unrecognised gold": _unrecognised,
    "missing gold": _missing_gold,
}
"""Rules for every set of questions."""
RECALL_RULES: dict[str, Callable[[QuestionShape], str]] = {
    "one retrieval": _at_once,
    "ask again": _ask_again,
    "ranked low": _ranked_low,
    "pool": _pool,
    "often linked": _often_linked,
    "seldom linked": _seldom_linked,
    "ranked-rag": _gain,
    "few questions": _few_questions,
}
"""Rules for questions whose gold was recognised."""
