"""A diagnosis in a terminal: figures, bars of recall by depth, and what follows."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from ...base.plurals import say_count
from ...diagnosis import CandidatePool, CorpusShape, Diagnosis, QuestionShape, RetrievalGain
from ...diagnosis.in_words import percent
from ...evaluation.matching import describe_matching

BAR = 20
"""Characters of the bar for all of the gold."""
MOST_HOPS = 4
"""Hops that have a column."""
EXPLAINED = (
    "recall: the mean share of a question's gold; all: questions all of whose gold is there; hop 2: gold that can be "
    "asked for only when that of hop 1 is known; pages and titles: of the first ten hits\n"
)


def show_diagnosis(diagnosis: Diagnosis, console: Console) -> None:
    """Print the figures and the advice."""
    _show_facts("corpus", _corpus_facts(diagnosis.corpus), console)
    if (questions := diagnosis.questions) is not None:
        _show_facts("questions", _question_facts(questions), console)
        if questions.depths:
            console.print(_recall_table(questions, _bar_of(console)))
            console.print(_pool_table(questions.pools))
            console.print(EXPLAINED, style="dim", highlight=False)
        _show_gain(questions, console)
    if diagnosis.advice:
        advice = ((f"{number}.", advice.text) for number, advice in enumerate(diagnosis.advice, start=1))
        _show_facts("what follows", advice, console)


def _show_facts(heading: str, facts: Iterable[tuple[str, str]], console: Console) -> None:
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for name, value in facts:
        grid.add_row(f"  {name}", value)
    console.print(heading, style="bold")
    console.print(grid, highlight=False, markup=False)
    console.print()


def _corpus_facts(corpus: CorpusShape) -> list[tuple[str, str]]:
    words = corpus.words
    of = "" if corpus.looked_at == corpus.passages else f", of {corpus.looked_at:,} evenly drawn"
    return [
        ("passages", f"{corpus.passages:,}, {_size(corpus.text_bytes)} of text"),
        (
            "words",
            f"{words.mean:,.0f} a passage; median {words.median:,.0f}, 19 of 20 up to {words.p95:,.0f}, "
            f"longest {words.longest:,}",
        ),
        ("index", f"about {_size(corpus.bm25_bytes)} for bm25, {_size(corpus.dense_bytes)} for dense"),
        (
            "titles",
            f"{_of(corpus.untitled, corpus.passages)} without one, "
            f"{_of(corpus.shared_titles, corpus.passages)} share theirs with another passage",
        ),
        (
            "texts",
            f"{_of(corpus.empty_texts, corpus.passages)} empty, "
            f"{_of(corpus.repeated_texts, corpus.passages)} repeat another's",
        ),
        ("links", f"{corpus.titles_named:.1f} other titles named a passage; {percent(corpus.naming)} name any{of}"),
    ]


def _question_facts(questions: QuestionShape) -> list[tuple[str, str]]:
    gold = questions.gold
    facts = [("questions", f"{questions.questions:,}, {questions.with_gold:,} with known gold")]
    if questions.with_gold:
        facts.append(("gold", f"{gold.found:,} of {gold.pages:,} passages are in the corpus"))
    facts.append(("matching", describe_matching(gold.matched_by)))
    if gold.pairs:
        facts.append(
            (
                "links",
                f"in {percent(gold.linked_questions / gold.questions_with_pairs)} of the questions a gold page names "
                f"another's title ({percent(gold.linked_pairs / gold.pairs)} of all pairs)",
            )
        )
    if questions.hops:
        ways = ((questions.hops_told, "told by the set"), (questions.hops_by_rule, "read from the gold by rule"))
        facts.append(
            ("hops", "of " + "; of ".join(f"{say_count(count, 'question')}, {how}" for count, how in ways if count))
        )
    return facts


def _recall_table(questions: QuestionShape, bar: str) -> Table:
    hops = questions.hops[:MOST_HOPS] if len(questions.hops) > 1 else ()
    columns = ["hits", "recall", "", "all", *(f"hop {hop.hop}" for hop in hops)]
    table = _figures("gold among the first hits for the question itself", columns)
    table.columns[2].justify = "left"
    for place, depth in enumerate(questions.depths):
        table.add_row(
            f"{depth.k}",
            _points(depth.recall),
            (bar * round(BAR * depth.recall)).ljust(BAR),
            _points(depth.complete),
            *(_points(hop.recall[place]) for hop in hops),
        )
    return table


def _pool_table(pools: Sequence[CandidatePool]) -> Table:
    table = _figures("gold in a pool of candidates, the ceiling of any reranking", ["pool", "size", "recall", "all"])
    for pool in pools:
        parts = [f"{pool.hits} hits", *["pages they name"] * pool.named, *["hits for their titles"] * pool.title_hits]
        table.add_row(" + ".join(parts), f"{pool.size:,.0f}", _points(pool.recall), _points(pool.complete))
    table.columns[0].justify = "left"
    return table


def _figures(title: str, columns: Sequence[str]) -> Table:
    table = Table(*columns, title=title, title_justify="left", title_style="bold", box=SIMPLE, pad_edge=False)
    for column in table.columns:
        column.no_wrap, column.justify = True, "right"
    return table


def _show_gain(questions: QuestionShape, console: Console) -> None:
    if (gain := questions.gain) is None:
        line = f"ranked-rag was not compared: {questions.no_gain}"
        more = "; --deep compares it all the same" if questions.depths and "asked for" not in questions.no_gain else ""
        console.print(f"{line}{more}\n", style="dim", highlight=False, markup=False)
    else:
        console.print(f"{_gain_line(gain)}\n", highlight=False, markup=False)


def _gain_line(gain: RetrievalGain) -> str:
    p_value = f"p {gain.p_value:.3f}" if gain.p_value >= 0.001 else "p <0.001"
    return (
        f"ranked-rag on {say_count(gain.questions, 'question')}: recall@5 {_points(gain.ranked_rag)} against "
        f"{_points(gain.one_step)} of one retrieval, {100 * (gain.ranked_rag - gain.one_step):+.1f} "
        f"({100 * gain.low:+.1f} … {100 * gain.high:+.1f}, {p_value})"
    )


def _bar_of(console: Console) -> str:
    return "█" if console.is_terminal and not console.options.ascii_only else "#"


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _of(count: int, whole: int) -> str:
    return f"{count:,} ({percent(count / whole)})" if count else "none"


def _size(size: int) -> str:
    for unit, divisor in (("GB", 1e9), ("MB", 1e6)):
        if size >= divisor:
            return f"{size / divisor:,.1f} {unit}"
    return f"{size / 1e3:,.1f} kB"
