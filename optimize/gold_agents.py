"""Examples for the steps of agents and of searches: act, reflect, think, score, and candidate answers."""

from collections.abc import Callable, Sequence
from functools import partial

from ..data.gold import GoldHop
from ..programs.baselines.search_r1 import documents
from ..programs.shared.actions import Finish, Search
from ..programs.shared.sub_questions import PathStep
from ..retrieval import Passage
from .gold_chains import mixed, notes, thought_before, turns
from .searched_path import A_TURN, Examples, FilledStep, SearchedPath, State, keywords, quote, quotes, teaches


def _tree_turns(gold: SearchedPath, hops: Sequence[GoldHop]) -> list[str]:
    """Actions with the titles they found, and the passages themselves."""
    queries = [keywords(hop.sub_question) for hop in hops]
    found = [gold.found_with(query, hop, A_TURN) for query, hop in zip(queries, hops, strict=True)]
    return [line for query, pages in zip(queries, found, strict=True) for line in _search_turn(query, pages)]


def _finished(answer: str) -> str:
    return f"{Finish(answer)} -> {answer}"


def _search_turn(query: str, pages: Sequence[Passage]) -> list[str]:
    return [f"{Search(query)} -> {'; '.join(page.title or page.id for page in pages)}", *map(str, pages)]


ACTS = FINISH, ON, START = ("finish", "search on", "the first search")
_agent = partial(teaches, kinds=ACTS, optional=(ON, START), needs_hops=True)


@_agent("ThinkAndActAgain", "ProposeActions", tree=True)
@_agent("ThinkAndAct")
def act(gold: SearchedPath, *, tree: bool = False) -> Examples:
    """The next turn of an agent: a search, or to finish. In a tree it searches with a few words, without thoughts."""
    written = _tree_turns if tree else turns
    for state in [*gold.partial, gold.whole]:
        known, ends, aim = gold.known(state), state == gold.whole, gold.next_hop(state)
        searches = [str(Search(keywords(hop.sub_question))) for hop in gold.open_hops(state)]
        actions = [str(Finish(gold.final))] if ends else searches
        thought = thought_before(known, aim) if aim else f"{quote(known[-1])} {gold.verdict}" if ends else None
        query = aim.sub_question if aim else ""
        shown = {"history": written(gold, known), "reflections": [], "number": len(actions)}
        said = {"thought": thought, "action": "finish" if ends else "search", "actions": actions or None}
        said |= {"query": keywords(query) if tree else query, "answer": gold.final if ends else ""}
        yield gold.step(FINISH if ends else ON if state else START, gold.reason(state, aim), **shown, **said)


# Each form has a turn that searches, what it found, and a turn that answers.
_TAGS = (
    "<think>{}</think>\n<search>{}</search>",
    "\n\n<information>{}</information>\n\n",
    "<think>{}</think>\n<answer>{}</answer>",
)
_BOXES = (
    "{} <|begin_search_query|>{}<|end_search_query|>",
    "\n\n<|begin_search_result|>{}<|end_search_result|>\n\n",
    "{} \\boxed{{{}}}",
)


def _searched(gold: SearchedPath, hops: Sequence[GoldHop], form: tuple[str, ...]) -> str:
    """The text of an agent that has searched for these hops, with what it read of each search."""
    text = ""
    for place, hop in enumerate(hops):
        read = documents(gold.found_with(hop.sub_question, hop, A_TURN)) if form is _TAGS else quote(hop)
        text += form[0].format(thought_before(hops[:place], hop), hop.sub_question) + form[1].format(read)
    return text


@_agent("ContinueWithTags", form=_TAGS)
@_agent("ReasonWithSearches", form=_BOXES)
def write_on(gold: SearchedPath, form: tuple[str, ...]) -> Examples:
    """The next turn of an agent that writes one text: a search, or the answer."""
    for state in [*gold.partial, gold.whole]:
        known, aim, ends = gold.known(state), gold.next_hop(state), state == gold.whole
        said = form[0].format(thought_before(known, aim), aim.sub_question) if aim else None
        if ends:
            said = form[2].format(f"{quote(known[-1])} {gold.verdict}", gold.final)
        shown = {"transcript": _searched(gold, known, form), "continuation": said}
        yield gold.step(FINISH if ends else ON if state else START, gold.reason(state, aim), **shown)


@teaches("ReasonInDocuments", kinds=["a fact"], needs_hops=True)
def reason_in_documents(gold: SearchedPath) -> Examples:
    """The fact that each search is for, among what it finds."""
    for state in gold.partial:
        if aim := gold.next_hop(state):
            query, known = aim.sub_question, gold.known(state)
            text = _searched(gold, known, _BOXES) + _BOXES[0].format(thought_before(known, aim), query)
            passages = list(map(str, gold.found_with(query, aim, A_TURN)))
            shown = {"passages": passages, "transcript": text, "query": query, "analysis": quote(aim)}
            yield gold.step("a fact", gold.reason(state, aim), **shown)


@teaches("ReflectOnActions", kinds=["a guess", "a search in vain"], needs_hops=True)
def reflect(gold: SearchedPath) -> Examples:
    """The mistakes where the agent guessed, and where its search found nothing."""
    whole, wrong = keywords(gold.question), gold.wrong_answer
    missed = gold.missed(whole, A_TURN)
    for state in gold.partial:
        known, aim = _tree_turns(gold, gold.known(state)), gold.next_hop(state)
        if aim and wrong:
            text = f"The answer was a guess: nothing found so far says this: {aim.sub_question} Search for that first."
            history = [*known, _finished(wrong)]
            yield gold.step("a guess", text, history=history, reflection=text)
        if aim and missed:
            text = (
                "The last search asked for everything at once and found nothing that helps. Search for one fact at a "
                f"time, next for this: {aim.sub_question}"
            )
            history = [*known, *_search_turn(whole, missed)]
            yield gold.step("a search in vain", text, history=history, reflection=text)


THOUGHTS = ARRIVES, SHOWS, LACKS = ("arrives at the answer", "states a fact", "says what is missing")


@teaches("ThinkOneSentence", kinds=THOUGHTS, optional=[SHOWS, LACKS])
def think(gold: SearchedPath) -> Examples:
    """The next sentence at each state: a fact with its passage among those shown, and what is missing without it."""
    for state in gold.partial:
        aim, arrives, earlier = gold.next_hop(state), len(state) == len(gold.hops) - 1, quotes(gold.known(state))
        for hop in gold.next_facts(state)[:1]:
            ends = f"{quote(hop).rstrip('.')}, so the answer is {gold.final.rstrip('.')}."
            thought, pages = ends if arrives else quote(hop), _passages_shown(gold, state, [hop.passage])
            yield _thought(gold, ARRIVES if arrives else SHOWS, pages, earlier, thought)
        pages = _passages_shown(gold, state, [])
        if aim and gold.known_in(pages) == state:
            yield _thought(gold, LACKS, pages, earlier, f"What is still missing is this: {aim.sub_question}")


def _passages_shown(gold: SearchedPath, state: State, more: list[Passage]) -> list[Passage]:
    """The passages that the question and the thoughts so far have found: those that help, and others."""
    missed = gold.missed(gold.question, A_TURN)
    for hop in gold.known(state)[-1:]:
        missed += gold.missed(quote(hop), A_TURN - 1)
    return list(dict.fromkeys([*missed[:1], *gold.pages(state), *more, *missed[1:]]))


def _thought(gold: SearchedPath, kind: str, pages: list[Passage], earlier: list[str], thought: str) -> FilledStep:
    fields = {"passages": list(map(str, pages)), "thoughts": earlier, "thought": thought, "enough": kind == ARRIVES}
    return gold.step(kind, " ".join([*earlier, thought]), **fields)


@teaches("ProposeThoughts", kinds=[ARRIVES, SHOWS], optional=[SHOWS])
def propose_thoughts(gold: SearchedPath) -> Examples:
    """Several thoughts: facts that can be known next, what to find out next, and the answer once it follows."""
    for state in [*gold.partial, gold.whole]:
        known, ends = gold.known(state), state == gold.whole
        facts = [text for text in quotes(gold.next_facts(state)) if not gold.gives_away(text)]
        ways = [f"Next I need to find out: {hop.sub_question}" for hop in gold.open_hops(state)]
        thoughts = [gold.verdict] if ends else [*facts, *ways] if facts else None
        shown = {"history": _facts_found(gold, known), "number": len(thoughts or ())}
        reasoning = " ".join(quotes(known)) or "Nothing is known yet."
        yield gold.step(ARRIVES if ends else SHOWS, reasoning, **shown, thoughts=thoughts)


def _facts_found(gold: SearchedPath, hops: Sequence[GoldHop]) -> list[str]:
    """The facts of the hops, each with what is found for it, where anything is searched."""
    lines: list[str] = []
    for hop in hops:
        found = gold.found_with(quote(hop), hop, A_TURN) if gold.found(quote(hop)) else []
        lines += [quote(hop), *map(str, found)]
    return lines


SCORES = HIGH, LOW, MIDDLE = ("a high score", "a low score", "a middling score")
LOW_UP_TO, HIGH_FROM = 3, 8
ALL_FOUND = 8
"""The score of a way on which everything is found, and the answer not said yet."""
NOTHING_FOUND = 5
"""The score of the right sub-question that found nothing."""


def _scored(gold: SearchedPath, history: Sequence[str], points: int, reasoning: str) -> FilledStep:
    kind = LOW if points <= LOW_UP_TO else HIGH if points >= HIGH_FROM else MIDDLE
    return gold.step(kind, reasoning, history=list(history), reflections=[], score=str(points))


_scores = partial(teaches, kinds=SCORES)


@_scores("ValueThoughts", written=_facts_found, said=lambda answer: f"So the answer is {answer.rstrip('.')}.")
@_scores("EvaluateActions", "EvaluateActionsAgain", needs_hops=True, written=_tree_turns, said=_finished)
@_scores("EvaluateHistory", needs_hops=True, written=lambda _, hops: notes(hops))
def score(
    gold: SearchedPath,
    written: Callable[[SearchedPath, Sequence[GoldHop]], list[str]],
    said: Callable[[str], str] | None = None,
) -> Examples:
    """The share of the way that a history is; one that ends with a guess, or is beside the way, counts for nothing.

    `written` writes hops as the history shows them, and `said` an answer as the history ends with it, where it does.
    """
    for state in [*gold.partial[1:], gold.whole]:
        known, why = written(gold, gold.known(state)), gold.reason(state, gold.next_hop(state))
        yield _scored(gold, known, (ALL_FOUND if said else 10) * len(state) // len(gold.hops), why)
        if said and state == gold.whole:
            yield _scored(gold, [*known, said(gold.final)], 10, why)
        elif said and gold.wrong_answer:
            yield _scored(gold, [*known, said(gold.wrong_answer)], 0, f"{why} The answer given is a guess.")
    if gold.unrelated and not said:
        yield _scored(gold, written(gold, [gold.unrelated]), 0, "That is not about what the question asks.")


@_scores("RateStep", needs_hops=True)
def rate_step(gold: SearchedPath) -> Examples:
    """The last sub-question of a history: on the way, on the way in vain, or beside it."""
    for state in gold.states[1:]:
        if gold.asks_less(gold.hops[state[-1]]):
            why = "The last sub-question found a fact that the answer rests on."
            yield _scored(gold, notes(gold.known(state)), 10, why)
    for state in gold.partial:
        known, aim = notes(gold.known(state)), gold.next_hop(state)
        if aim:
            why = "The last sub-question asks for what is needed, and finds nothing."
            yield _scored(gold, [*known, str(PathStep(aim.sub_question))], NOTHING_FOUND, why)
        if gold.unrelated:
            why = "The last sub-question is not about what the question asks."
            yield _scored(gold, [*known, *notes([gold.unrelated])], 0, why)


@teaches("ProposeCandidates", kinds=["candidates"])
def propose_candidates(gold: SearchedPath) -> Examples:
    """The right answer and one that the passages name too."""
    passages, both = mixed(gold), [gold.final, gold.wrong_answer or ""]
    if gold.wrong_answer and all(gold.can_read(each, passages) for each in both):
        yield gold.step("candidates", gold.reason(gold.whole), passages=passages, number=len(both), candidates=both)


def _accounts(gold: SearchedPath) -> list[tuple[str, str, bool]]:
    """Each candidate, what the passages say for it, and whether it is right."""
    right, wrong = (gold.final, gold.reason(gold.whole), True), gold.wrong_answer
    return [right, (wrong, f"The passages do not speak for {wrong} as the answer.", False)] if wrong else [right]


@teaches("SummarizeForCandidate", "ValidateCandidate", kinds=["right", "wrong"])
def check_candidate(gold: SearchedPath) -> Examples:
    """The account of each candidate, and whether it is right."""
    for candidate, summary, valid in _accounts(gold):
        judged = f"The summary {'proves' if valid else 'does not prove'} that the answer is {candidate}."
        account = {"candidate": candidate, "summary": summary, "valid": valid}
        yield gold.step("right" if valid else "wrong", judged, passages=mixed(gold), **account)


@teaches("CompareCandidates", kinds=["the first", "the second"])
def compare_candidates(gold: SearchedPath) -> Examples:
    """Both accounts, in either order."""
    accounts = [(f"{candidate}: {summary}", valid) for candidate, summary, valid in _accounts(gold)]
    for (first, better), (second, _) in [accounts, accounts[::-1]] if len(accounts) > 1 else []:
        reasoning = f"The {'first' if better else 'second'} account proves its answer, the other does not."
        kind = "the first" if better else "the second"
        yield gold.step(kind, reasoning, first=first, second=second, first_better=better)
