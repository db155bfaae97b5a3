import pytest

from multihop import InputError
from multihop.evaluation import write_trec
from multihop.evaluation.journal import Journal

COST = dict.fromkeys(("calls", "cached", "estimated", "retrievals", "parse_failures", "chain", "seconds"), 1)
KNOWN = {"status": "ok", "supporting": [], "passages": [], "metrics": {}, "cost": COST}


def run(folder, *rows, name="one-step"):
    with Journal(folder, {"program": {"name": name}}) as journal:
        journal.append([{**KNOWN, **row} for row in rows])
    return folder


def ranking(path):
    return [line.split() for line in path.read_text().splitlines()]


def test_no_two_ids_become_one(tmp_path):
    titles = ["A B", "A_B", "A%20B", "A\u00a0B", "A\tB"]
    ranked, gold = write_trec(
        run(tmp_path, {"id": "q 1", "passages": [[t, 1.0] for t in titles], "supporting": titles})
    )
    lines = ranking(ranked)
    assert all(len(line) == 6 and line[0] == "q%201" for line in lines)
    assert len({line[2] for line in lines}) == len(titles)
    assert [line[2] for line in lines] == [line[2] for line in ranking(gold)]


def test_scores_fall_with_the_rank_however_long_the_list(tmp_path):
    passages = [[f"p{i}", None if i % 2 else float(i)] for i in range(3000)]
    lines = ranking(write_trec(run(tmp_path, {"id": "q1", "passages": passages}))[0])
    scores = [float(line[4]) for line in lines]
    assert scores == sorted(set(scores), reverse=True)
    assert [int(line[3]) for line in lines] == list(range(1, 3001))
    assert [line[2] for line in lines] == [f"p{i}" for i in range(3000)]


def test_the_last_row_of_a_question_counts(tmp_path):
    failed = {"id": "q1", "status": "error", "error": {"type": "E", "message": ""}, "supporting": ["p1"]}
    ranked, gold = write_trec(run(tmp_path, failed, {"id": "q1", "passages": [["p2", 1.0]], "supporting": ["p1"]}))
    assert ranking(ranked) == [["q1", "Q0", "p2", "1", "1", "one-step"]]
    assert ranking(gold) == [["q1", "0", "p1", "1"]]


def test_a_damaged_row_leaves_nothing_behind(tmp_path):
    run(tmp_path, {"id": "q1"}, {"id": "q2", "passages": None})
    with pytest.raises(InputError, match="line 2 is damaged, or is not a row of a run: passages: "):
        write_trec(tmp_path)
    assert not (tmp_path / "run.trec").exists()
