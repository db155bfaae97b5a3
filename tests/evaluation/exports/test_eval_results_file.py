"""The file of the hub's evaluation results, as the hub's own client reads it."""

import json

import huggingface_hub
import pytest
import yaml

from multihop import InputError, MismatchError
from multihop.evaluation import write_eval_results


def copy_of(run, to, **changed):
    """The run with something else in its header."""
    to.mkdir()
    (to / "questions.jsonl").write_bytes((run / "questions.jsonl").read_bytes())
    (to / "run.json").write_text(json.dumps(json.loads((run / "run.json").read_text()) | changed))
    return to


def test_the_entry_by_value(finished_run, tmp_path):
    (path,) = write_eval_results(
        finished_run, tmp_path, dataset="hotpotqa/hotpot_qa", task="distractor", metric="f1", source="https://a.org/run"
    )
    assert path == tmp_path / ".eval_results" / "hotpotqa-hotpot_qa-distractor.yaml"
    header = json.loads((finished_run / "run.json").read_text())
    entry = {
        "dataset": {"id": "hotpotqa/hotpot_qa", "task_id": "distractor"},
        "value": 50.0,
        "date": header["started"],
        "source": {"url": "https://a.org/run"},
        "notes": f"one-step of multihop {header['packages']['multihop']} on multihop/scripted; f1 over 3 of the set's "
        "4 questions; failed and left out: 1",
    }
    assert yaml.safe_load(path.read_text()) == [entry]


def test_the_hubs_client_reads_it(finished_run, tmp_path):
    parse = getattr(huggingface_hub, "parse_eval_result_entries", None)
    if parse is None:
        pytest.skip("this version of huggingface_hub knows no evaluation results")
    (path,) = write_eval_results(finished_run, tmp_path, dataset="a/b", task="default")
    (entry,) = parse(yaml.safe_load(path.read_text()))
    assert (entry.dataset_id, entry.task_id, entry.value, entry.verify_token) == ("a/b", "default", 33.33, None)


def test_what_is_no_result_is_refused(finished_run, tmp_path):
    def write(run, dataset="a/b", metric="em"):
        return write_eval_results(run, tmp_path / "to", dataset=dataset, task="default", metric=metric)

    with pytest.raises(InputError, match="is OWNER/NAME, such as cais/hle, not 'hle'"):
        write(finished_run, dataset="hle")
    with pytest.raises(InputError, match="unknown metric of the run 'recall@3'; did you mean 'recall@"):
        write(finished_run, metric="recall@3")
    with pytest.raises(MismatchError, match=r"is not finished \(interrupted\); issue its command again"):
        write(copy_of(finished_run, tmp_path / "broken", status="interrupted"))
    with pytest.raises(MismatchError, match="made with an LM that knew the gold"):
        write(copy_of(finished_run, tmp_path / "simulated", simulated=True))
    assert not (tmp_path / "to").exists()
