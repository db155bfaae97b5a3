"""The files of Every Eval Ever, by value and by what its schema 0.3.0 asks for."""

import hashlib
import json
import math
from datetime import datetime

import dspy
import pytest
from eee_schema import RECORD, SAMPLE

from multihop import BM25, InputError, OneStep, Passage, Question, evaluate, scripted
from multihop.evaluation import write_eee
from multihop.evaluation.exports.eee_results import metric_config


def read(run, to, **options):
    record, samples = write_eee(run, to, **options)
    return json.loads(record.read_text()), [json.loads(line) for line in samples.read_text().splitlines()]


def by_metric(record):
    return {result["evaluation_result_id"]: result for result in record["evaluation_results"]}


def test_they_are_what_the_schema_asks_for(finished_run, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    record, samples = read(finished_run, tmp_path, task="my set/dev")
    jsonschema.Draft7Validator(RECORD).validate(record)
    for sample in samples:
        jsonschema.Draft7Validator(SAMPLE).validate(sample)
    for result in record["evaluation_results"]:
        config, score = result["metric_config"], result["score_details"]["score"]
        assert config["min_score"] <= score <= float(config["max_score"])


def test_the_record_by_value(finished_run, tmp_path):
    record, _ = read(finished_run, tmp_path, task="hotpotqa", organization="A lab")
    header = json.loads((finished_run / "run.json").read_text())
    started = f"{datetime.fromisoformat(header['started']).timestamp():.0f}"
    assert record["schema_version"] == "0.3.0"
    assert record["evaluation_id"] == f"hotpotqa/multihop/scripted/one-step-{started}"
    assert record["evaluation_timestamp"] == started
    assert record["source_metadata"]["source_organization_name"] == "A lab"
    assert record["source_metadata"]["additional_details"]["simulated"] == "false"
    assert record["eval_library"]["version"] == header["packages"]["multihop"]
    assert (record["model_info"]["id"], record["model_info"]["developer"]) == ("multihop/scripted", "multihop")
    assert record["model_info"]["additional_details"]["deployment_type"] == "self_deployed"
    em = by_metric(record)["em"]
    assert em["evaluation_name"] == "hotpotqa"
    assert (em["metric_config"]["metric_id"], em["metric_config"]["lower_is_better"]) == ("exact-match", False)
    assert em["source_data"]["source_type"] == "other"
    assert em["source_data"]["additional_details"]["fingerprint"] == header["identity"]["data"]["fingerprint"]
    details = {"questions": "4", "errors": "1", "recall": "recall matched by id (3 questions)"}
    assert (em["score_details"]["score"], em["score_details"]["details"]) == (pytest.approx(1 / 3), details)
    uncertainty = em["score_details"]["uncertainty"]
    assert uncertainty["num_samples"] == 3
    assert uncertainty["standard_error"]["value"] == pytest.approx(math.sqrt((4 / 9 + 1 / 9 + 1 / 9) / 2 / 3))
    assert uncertainty["confidence_interval"]["lower"] == 0.0
    assert uncertainty["confidence_interval"]["upper"] == 1.0
    plan = em["generation_config"]["generation_args"]["eval_plan"]
    assert (plan["name"], plan["steps"], plan["config"]["k"]) == ("one-step", ["answer"], "1")
    assert em["generation_config"]["additional_details"]["seed"] == "7"
    assert by_metric(record)["K"]["metric_config"]["max_score"] == "Infinity"
    assert "sup-em" not in by_metric(record), "it applies to no question"


def test_the_samples_by_value(finished_run, tmp_path):
    record, samples = read(finished_run, tmp_path)
    assert {sample["sample_id"] for sample in samples} == {"q1", "q2", "q3"}, "an error is no sample"
    assert {(each["evaluation_id"], each["model_id"]) for each in samples} == {
        (record["evaluation_id"], record["model_info"]["id"])
    }
    second = {each["evaluation_result_id"]: each for each in samples if each["sample_id"] == "q2"}
    f1 = second["f1"]
    assert f1["evaluation"] == {"score": 0.5, "is_correct": False, "num_turns": 1}
    assert f1["input"] == {"raw": "Who wrote Emma?", "reference": ["Jane Austen"]}
    assert f1["output"] == {"raw": ["It was Jane Austen of Steventon"]}
    assert f1["sample_hash"] == hashlib.sha256(b'{"raw":"Who wrote Emma?","reference":["Jane Austen"]}').hexdigest()
    assert f1["metadata"] == {"type": "b", "hops": "1", "supporting": '["p3"]', "passages": '["p3"]'}
    usage = f1["token_usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > 0
    for metric, result in by_metric(record).items():
        scores = [each["evaluation"]["score"] for each in samples if each["evaluation_result_id"] == metric]
        assert sum(scores) / len(scores) == pytest.approx(result["score_details"]["score"])


def test_the_files_have_the_places_that_the_datastore_gives_them(finished_run, tmp_path):
    record, samples = write_eee(finished_run, tmp_path, task="my set", model="Qwen/Qwen3-8B")
    folder = tmp_path / "data" / "my set" / "Qwen" / "Qwen3-8B"
    assert (record.parent, samples.name) == (folder, f"{record.stem}_samples.jsonl")
    told = json.loads(record.read_text())["detailed_evaluation_results"]
    assert told["file_path"] == str(samples.relative_to(tmp_path))
    assert told["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()
    assert told["total_rows"] == len(samples.read_text().splitlines())
    assert write_eee(finished_run, tmp_path, task="my set", model="Qwen/Qwen3-8B") == (record, samples)
    assert len(list(folder.iterdir())) == 2


def test_a_set_on_the_hub_is_named(finished_run, tmp_path):
    header = json.loads((finished_run / "run.json").read_text())
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "run.json").write_text(json.dumps({**header, "source": "hub:musique"}))
    (copy / "questions.jsonl").write_bytes((finished_run / "questions.jsonl").read_bytes())
    source = by_metric(read(copy, tmp_path)[0])["em"]["source_data"]
    assert (source["source_type"], source["hf_split"], source["samples_number"]) == ("hf_dataset", "validation", 4)


def test_of_a_metric_of_ones_own_nothing_is_claimed():
    config = metric_config("mine")
    assert (config["metric_id"], config.get("score_type"), config.get("max_score")) == ("multihop.mine", None, None)
    assert config["additional_details"] == {"bounds_status": "unknown", "polarity": "unknown"}


def test_bad_input_is_one_sentence(finished_run, tmp_path):
    with pytest.raises(InputError, match="OWNER/NAME, such as Qwen/Qwen3-8B, not 'qwen'"):
        write_eee(finished_run, tmp_path, model="qwen")
    with dspy.context(lm=scripted(lambda prompt: RuntimeError("no answer"))):
        program = OneStep(BM25.build([Passage("p1", "Dusk", "A novel.")]))
        evaluate(program, [Question(id="q", question="Who?", answers=("Ada",))], out=tmp_path / "run", progress=False)
    with pytest.raises(InputError, match="a run in which nothing was measured"):
        write_eee(tmp_path / "run", tmp_path / "to")
    assert not (tmp_path / "to").exists()
