import hashlib
import json
import math
from datetime import datetime

import pytest

from multihop import DamagedFileError, InputError
from multihop.evaluation import write_lm_eval
from multihop.evaluation.journal.journal import Journal


def read(run, to, **options):
    results, samples = write_lm_eval(run, to, **options)
    return json.loads(results.read_text()), [json.loads(line) for line in samples.read_text().splitlines()]


def test_the_results_by_value(finished_run, tmp_path):
    results, _ = read(finished_run, tmp_path, task="hotpotqa")
    numbers = results["results"]["hotpotqa"]
    assert numbers["alias"] == "hotpotqa"
    assert numbers["exact_match,none"] == pytest.approx(1 / 3)
    assert numbers["exact_match_stderr,none"] == pytest.approx(math.sqrt((4 / 9 + 1 / 9 + 1 / 9) / 2 / 3))
    assert numbers["f1,none"] == pytest.approx((1 + 2 * 2 / (6 + 2) + 0) / 3)
    assert numbers["recall@2,none"] == 1.0
    assert numbers["K,none"] == 1.0
    assert "em,none" not in numbers
    assert "sup-em,none" not in numbers
    assert results["n-samples"] == {"hotpotqa": {"original": 4, "effective": 3}}
    assert results["n-shot"] == {"hotpotqa": 0}
    better = results["higher_is_better"]["hotpotqa"]
    assert (better["exact_match"], better["K"]) == (True, False)
    assert {entry["metric"] for entry in results["configs"]["hotpotqa"]["metric_list"]} == set(better)
    assert results["config"]["model_args"]["k"] == 1
    assert results["config"]["random_seed"] == 7
    assert results["model_name"] == "one-step on multihop/scripted"
    assert results["model_name_sanitized"] == "one-step on multihop__scripted"
    assert results["multihop"]["errors"] == 1
    assert results["multihop"]["recall"] == "recall matched by id (3 questions)"
    header = json.loads((finished_run / "run.json").read_text())
    assert results["date"] == datetime.fromisoformat(header["started"]).timestamp()
    assert results["task_hashes"] == {"hotpotqa": header["identity"]["data"]["fingerprint"]}


def test_the_samples_by_value(finished_run, tmp_path):
    _, samples = read(finished_run, tmp_path, task="hotpotqa")
    assert [(sample["doc_id"], sample["doc"]["id"]) for sample in samples] == [(0, "q1"), (1, "q2"), (2, "q3")]
    second = samples[1]
    assert second["doc"]["answers"] == ["Jane Austen"]
    assert (second["target"], second["filter"]) == ("Jane Austen", "none")
    assert second["resps"] == [["It was Jane Austen of Steventon"]]
    assert second["filtered_resps"] == ["It was Jane Austen of Steventon"]
    assert second["arguments"] == {"gen_args_0": {"arg_0": "Who wrote Emma?", "arg_1": {}}}
    assert (second["exact_match"], second["f1"]) == (0.0, 0.5)
    assert set(second["metrics"]) <= set(second)
    assert second["target_hash"] == hashlib.sha256(b"Jane Austen").hexdigest()
    assert second["prompt_hash"] == hashlib.sha256(b"Who wrote Emma?").hexdigest()


def test_the_means_of_the_samples_are_the_results(finished_run, tmp_path):
    results, samples = read(finished_run, tmp_path)
    numbers = results["results"]["dev-1"]
    for metric in results["higher_is_better"]["dev-1"]:
        values = [sample[metric] for sample in samples if metric in sample]
        assert numbers[f"{metric},none"] == pytest.approx(sum(values) / len(values))


def test_the_names_of_the_files(finished_run, tmp_path):
    date = json.loads((finished_run / "run.json").read_text())["started"].replace(":", "-")
    results, samples = write_lm_eval(finished_run, tmp_path / "new" / "folder", task="my set/dev")
    assert results.relative_to(tmp_path).as_posix() == f"new/folder/results_{date}.json"
    assert samples.name == f"samples_my_set_dev_{date}.jsonl"
    assert write_lm_eval(finished_run, tmp_path)[1].name == f"samples_dev_1_{date}.jsonl"


def test_what_cannot_be_exported(finished_run, tmp_path):
    with pytest.raises(InputError, match=r"is not a run: it has no run\.json"):
        write_lm_eval(tmp_path, tmp_path)
    with Journal(tmp_path / "empty", {"program": {"name": "one-step"}}):
        pass
    with pytest.raises(InputError, match="empty is a run without a finished question"):
        write_lm_eval(tmp_path / "empty", tmp_path)
    with Journal(tmp_path / "bare", {"program": {"name": "one-step"}}) as journal:
        row = {"id": "q1", "question": "?", "answers": [], "supporting": [], "passages": [], "metrics": {}}
        cost = dict.fromkeys(("calls", "cached", "estimated", "retrievals", "parse_failures", "chain", "seconds"), 1)
        journal.append([{**row, "status": "ok", "answer": "yes", "cost": cost}])
    with pytest.raises(
        DamagedFileError, match="bare: the run's header is damaged: it lacks started, limits, git, seed"
    ):
        write_lm_eval(tmp_path / "bare", tmp_path)
    with pytest.raises(InputError, match=r"run\.json is a file; give --to a folder"):
        write_lm_eval(finished_run, finished_run / "run.json")
