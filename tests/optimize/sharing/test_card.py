import re

import ujson
from forging import forge

from multihop.optimize.places.opening import open_place
from multihop.optimize.sharing.card import card
from multihop.optimize.sharing.measured import measured_run
from multihop.optimize.sharing.shareable import shareable

HUB = open_place("hf://ada/films@v2")


def body(path, place=HUB, run=None, licence=None):
    shared = shareable("films.json", path.read_bytes())
    text = card(place, shared, None if run is None else measured_run(run, shared.saved), licence)
    return text.partition("\n---\n\n")[2]


def section(text, title):
    return re.split(r"^## ", text.partition(f"\n## {title}\n\n")[2], flags=re.M)[0].strip()


def test_it_begins_with_what_the_program_is(path):
    assert body(path).startswith(
        "# films\n\nA multi-hop question-answering program for the Python library multihop: `one-step`, "
        "retrieve-and-read (Lewis et al., 2020), compiled by `given`, for `multihop/lexical@1`. One JSON file, without "
        "code and weights.\n"
    )


def test_how_it_is_loaded(path):
    loads = section(body(path), "Load it")
    assert 'load("hf://ada/films@v2", lm=open_lm("multihop/lexical@1"), corpus="YOUR_INDEX")' in loads
    assert 'multihop ask "..." --program hf://ada/films@v2 --lm multihop/lexical@1 -c YOUR_INDEX' in loads


def test_an_lm_on_a_server_of_ones_own_has_an_address_to_be_told(path):
    forge(path, lambda _, ours: ours["about"].update({"lm": "server/qwen", "own server": True}))
    text = body(path)
    assert 'lm=open_lm("server/qwen", api_base="ADDRESS")' in text
    assert "--lm server/qwen --api-base ADDRESS" in text


def test_from_a_folder_it_is_loaded_by_its_file(path, tmp_path):
    text = body(path, open_place(f"file:{tmp_path}/shared/films"))
    assert 'load("program.json", lm=' in text
    assert str(tmp_path) not in text


def test_a_class_of_ones_own_is_named(path):
    forge(path, lambda _, ours: ours.update({"program": "two-hops", "class": "mymethods:TwoHops"}))
    text = body(path)
    assert 'allow=["mymethods"]' in text
    assert "Its class, `mymethods:TwoHops`, is not in it, and must be installed." in text
    assert "multihop: `two-hops`, compiled by" in text


def test_the_report_of_the_run(path, run):
    text = body(path, run=run)
    measured = section(text, "Measured: one-step on multihop/lexical@1")
    assert "| f1 | 50.0 | 0.0 – 100.0 | 2 |" in measured
    assert "### Cost" in measured
    assert "| LM calls | 1.00 | 2 |" in measured
    assert "| measured on | questions of its own, 2 of 2 questions, fingerprint `" in text
    assert re.findall(r"^# .*", text, flags=re.M) == ["# films"]


def test_the_address_of_an_lm_is_not_told(path, run):
    header = ujson.loads((run / "run.json").read_text())
    header["identity"]["lm"]["answer"]["model"] = "server/qwen@http://10.0.0.7:8000/v1"
    (run / "run.json").write_text(ujson.dumps(header))
    text = body(path, run=run)
    assert "## Measured: one-step on server/qwen@an address" in text
    assert "10.0.0.7" not in text


def test_without_a_run_the_scores_of_the_compile(path):
    scores = {"zero-shot": {"f1": {"mean": 0.5, "low": 0.25, "high": 0.75}, "calls": 1.0, "n": 30}}
    forge(path, lambda _, ours: ours["about"].update(scores=scores))
    assert "| zero-shot | 50.0 | 25.0 – 75.0 | 1.00 |" in section(body(path), "While it was compiled")


def test_without_either_it_says_so(path):
    assert section(body(path), "Measured") == "Nothing was: it was shared without a run."


def test_what_is_in_it(path):
    text = section(body(path, licence="cc0-1.0"), "What is in it")
    assert "| dev questions | 2, fingerprint `abc` |" in text
    assert "`; the corpus is not in it |" in text
    settings = ujson.loads(re.search(r"\| settings \| `(.*)` \|", text)[1])
    assert settings["k"] == 2
    assert "Demonstrations by step: answer 1. They hold the texts of training questions" in text
    assert text.endswith("Licence: cc0-1.0.")
    assert body(path).endswith("No licence was given.\n")


def test_of_the_lms_files_only_their_names_are_told(path, run):
    header = ujson.loads((run / "run.json").read_text())
    header["identity"]["lm"]["answer"]["model"] = "gguf:/home/ada/small.gguf"
    (run / "run.json").write_text(ujson.dumps(header))
    text = body(path, run=run)
    assert "Measured: one-step on gguf:small.gguf" in text
    assert "/home/ada" not in text
