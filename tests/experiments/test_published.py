"""The published figures, some of them cell by cell; and that every table of every paper is there, every cell of it."""

import pytest

from multihop.experiments import experiment_names, open_experiment
from multihop.experiments.experiment import MEAN

PAPERS = {
    "tor": [f"table-{n}" for n in range(1, 7)],
    "efficientrag": [*(f"table-{n}" for n in range(2, 7)), "figure-1", "figure-2", "figure-4"],
    "resp": ["table-1", "table-2", "table-3", "figure-2", "planning"],
    "mzqa": [*(f"table-{n}" for n in range(1, 9)), "figure-3", "figure-4", "figure-5", "figure-6"],
    "zero": ["token"],
    "protocol": ["a", "b", "b-fixed"],
    "real": ["reading", "methods", "compile", "sizes"],
    "cloned": ["planners", "thinkers"],
}
CELLS = [
    ("tor-table-1", "ToR", "musique", "recall@15", "GPT-3.5-Turbo", 29.5),
    ("tor-table-1", "ITER-RETGEN", "2wikimultihopqa", "recall@15", "GPT-4-Turbo", 67.4),
    ("tor-table-2", "Self-Ask", "2wikimultihopqa", "f1", "GPT-4-Turbo", 52.6),
    ("tor-table-2", "CoT", "musique", "em", "GPT-3.5-Turbo", 17.2),
    ("tor-table-2", "CoR", "hotpotqa", "f1", "GPT-3.5-Turbo", 39.8),
    ("tor-table-3", "Paragraph", "musique", "f1", "GPT-4-Turbo", 46.0),
    ("tor-table-4", "CoT", "musique", "f1", "GPT-4-Turbo", 41.3),
    ("tor-table-5", "w/o both", "2wikimultihopqa", "count:reviews", "GPT-4-Turbo", 65.0),
    ("tor-table-6", "depth 4, widths 5,3,3,3", "2wikimultihopqa", "count:documents/count:reviews", "GPT-4-Turbo", 76.0),
    ("tor-table-6", "depth 3, widths 10,5,3", "2wikimultihopqa", "count:documents", "GPT-4-Turbo", 39.2),
    ("efficientrag-table-2", "EfficientRAG", "2wikimultihopqa", "K", "Llama-3-8B-Instruct", 3.69),
    ("efficientrag-table-2", "SelfASK", "musique", "recall@K", "Llama-3-8B-Instruct", 60.43),
    ("efficientrag-table-3", "Iter-RetGen iter3", "hotpotqa", "judged", "Llama-3-8B-Instruct", 57.56),
    ("efficientrag-table-3", "Decompose-R", "2wikimultihopqa", "f1", "Llama-3-8B-Instruct", 31.44),
    ("efficientrag-table-4", "SelfASK", "musique", "seconds", "Llama-3-8B-Instruct", 27.47),
    ("efficientrag-table-5", "Iter-RetGen iter2", "2wikimultihopqa", "em", "GPT-3.5-turbo-1106", 47.51),
    ("efficientrag-table-6", "trained on HotpotQA", "2wikimultihopqa", "judged", "Llama-3-8B-Instruct", 56.59),
    ("resp-table-1", "RECOMP", "2wikimultihopqa", "f1", "Llama3-8B-Instruct", 32.4),
    ("resp-table-2", "summarizer Llama3-70B-Instruct", "2wikimultihopqa", "f1", "Llama3-8B-Instruct", 34.1),
    ("mzqa-table-1", "IO (GPT-4)", "2wikimultihopqa", "f1 of 4 hops", "gpt-4-1106-preview", 66.7),
    ("mzqa-table-1", "IRCoT", "musique", "em of 3 hops", "gpt-3.5-turbo-1106", 14.5),
    ("mzqa-table-1", "DecomP", "musique", "f1 of 4 hops", "gpt-3.5-turbo-1106", 15.0),
    ("mzqa-table-1", "LATS", "2wikimultihopqa", "em of 2 hops", "gpt-3.5-turbo-1106", 53.6),
    ("mzqa-table-1", "MZQA", "2wikimultihopqa", "f1", "gpt-3.5-turbo-1106", 68.1),
    ("mzqa-table-1", "MZQA-BC", "musique", "em of 2 hops", "gpt-3.5-turbo-1106", 31.0),
    ("mzqa-table-2", "ToT-DFS", "musique", "em", "gpt-3.5-turbo-1106", 21.9),
    ("mzqa-table-3", "MZQA", "2wikimultihopqa", "calls", "gpt-3.5-turbo-1106", 139.4),
    ("mzqa-table-6", "LATS-BC", "2wikimultihopqa", "em", "gpt-3.5-turbo-1106", 41.0),
    ("mzqa-table-7", "MZQA-BC w/ 2WikiMultiHopQA", "musique", "em", "gpt-3.5-turbo-1106", 23.2),
]
NONE = (None, None, None, None, None, None)
TABLE_2 = {10: 50.86, 20: 57.12, 30: 60.67}
"""EfficientRAG, table 2: recall of direct retrieval on MuSiQue, by its number of chunks, as figure 2 has it too."""
EVERY_CELL = {
    "efficientrag-figure-2": {
        f"{name}, k={k}": (TABLE_2.get(k), float(k) if k in TABLE_2 else None) if name == "Direct" else (None, None)
        for name in ("Direct", "LLM Decompose", "EfficientRAG Decompose")
        for k in (1, 3, 5, 10, 20, 30, 50, 100)
    },
    "mzqa-figure-5": {
        **{f"{name}, {shots}": NONE for name in ("IRCoT", "DecomP") for shots in ("1 shot", "5 shots")},
        "IRCoT, 15 shots": (54.1, None, 59.2, None, 29.4, None),
        "DecomP, 15 shots": (37.8, None, 57.9, None, 15.4, None),
        "LATS, 1 shot": NONE,
        "LATS, 5 shots": (45.6, None, 57.5, None, 12.1, None),
        "RAP, 5 shots": (41.0, None, 39.9, None, 18.8, None),
        "ToT-BFS w/ Retrieval, 5 shots": (59.1, None, 56.8, None, 31.5, None),
        "ToT-DFS w/ Retrieval, 5 shots": (58.1, None, 55.5, None, 28.8, None),
        "MZQA, 0 shots": (62.3, None, 68.1, None, 32.8, None),
        "MZQA-BC, 0 shots": (59.6, None, 69.0, None, 30.9, None),
    },
    # The question's answer is Francisco Guterres; steps are as many as stand in the column.
    "mzqa-table-8": {"IRCoT": (0.0, 2, None), "DecomP": (0.0, 2, None), "MZQA": (100.0, 4, None)},
    "mzqa-figure-6": {"MZQA, 20 iterations": (None, 25.0, None)},  # the nodes below the question
    "resp-table-3": {"IRCoT": (None, None, None), "ReSP": (None, None, None)},
}
"""All cells of figures that print few numbers, and of the cases, with what the papers say in words."""
COUNTRY = (
    "Who is the president of the newly declared independent country part of the Commission of Truth and Friendship "
    "with the country that made Arisan!?"
)
ASKED = {
    "resp-table-3": (
        "Victor Varnada directed Twisted Fortune, which starred which brother of Eddie Murphy?",
        "What is Rachelle Amy Beinart's role in the film that follows a group of rebels on a mission?",
    ),
    "mzqa-table-8": (COUNTRY,),
    "mzqa-figure-6": (f"{COUNTRY}?",),
}


@pytest.mark.parametrize(("name", "row", "question_set", "metric", "lm", "figure"), CELLS)
def test_published_figures(name, row, question_set, metric, lm, figure):
    experiment = open_experiment(name)
    found = experiment.row(row)
    cells = {
        (column.set, column.metric + (f" of {column.hops} hops" if column.hops else "")): published
        for column, published in zip(experiment.columns, found.published, strict=True)
        if experiment.lm_behind(found, column) == lm
    }
    assert cells[question_set, metric] == figure


def test_every_table_and_figure_of_the_papers_is_there():
    assert experiment_names() == sorted(f"{paper}-{place}" for paper, places in PAPERS.items() for place in places)


@pytest.mark.parametrize("name", experiment_names())
def test_every_row_has_every_cell_and_every_figure_its_source(name):
    experiment = open_experiment(name)
    assert all(len(row.published) == len(experiment.columns) for row in experiment.rows)
    assert all((experiment.title, experiment.paper, experiment.place, experiment.differs))
    for row in experiment.rows:
        for column, figure in zip(experiment.columns, row.published, strict=True):
            if figure is not None and column.metric != "questions":
                assert experiment.lm_behind(row, column), row.name
    if not name.startswith(("zero", "real", "cloned", "protocol")):
        assert all((experiment.retriever, experiment.corpus))
    assert {column.set for column in experiment.columns} - {MEAN} == set(experiment.sets)


@pytest.mark.parametrize("name", EVERY_CELL)
def test_every_cell_of_what_prints_few_numbers(name):
    assert {row.name: row.published for row in open_experiment(name).rows} == EVERY_CELL[name]


@pytest.mark.parametrize("name", ASKED)
def test_cases_are_the_questions_that_the_papers_show(name):
    (found,) = open_experiment(name).sets.values()
    assert found.asking == ASKED[name]
    assert found.asked == len(ASKED[name])


def test_a_rate_is_the_one_figure_over_the_other():
    for name in ("tor-table-5", "tor-table-6"):
        for row in open_experiment(name).rows:
            reviews, documents, rate = row.published[:3]
            assert rate == pytest.approx(100 * documents / reviews, abs=0.35)
