import os
import warnings

import dspy
import pytest
from forging import forge
from tiny_encoder import write_tiny_encoder

from multihop import BM25, Budget, Direct, InputError, create, load, open_index, save, scripted
from multihop.encoder import Encoder, encoder
from multihop.optimize.artefact import find_corpus, stored_corpus
from multihop.retrieval import Passage

CORPUS = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]


@pytest.fixture
def retriever():
    return BM25.build(CORPUS)


@pytest.fixture
def index(tmp_path):
    BM25.build(CORPUS, folder=tmp_path / "index")
    return str(tmp_path / "index")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "program.json"


def compiled(retriever):
    program = create("one-step", retriever, k=2, budget=Budget(calls=3), lms={"answer": "openai/some-model"})
    program.answer.demos = [dspy.Example(passages=["a | b"], question="Who?", answer="Ada")]
    program.answer.signature = program.answer.signature.with_instructions("Answer in one word.")
    return program


def test_what_is_loaded_answers_with_the_compiled_prompt(retriever, path):
    save(compiled(retriever), path)
    lm = scripted([{"answer": "London"}])
    program = load(path, retriever, settings={"lms": None}, lm=lm)
    assert program(question="Where?").answer == "London"
    (prompt,) = lm.engine.prompts
    assert prompt.instructions == "Answer in one word."
    assert prompt.demonstrations[0].outputs == {"answer": "Ada"}
    assert (program.k, program.budget) == (2, Budget(calls=3))
    plain = create("one-step", retriever)
    plain.load(str(path))  # by DSPy alone
    assert plain.answer.signature.instructions == "Answer in one word."


def test_a_corpus_that_changed_is_refused_and_another_one_may_be_given(index, path, retriever):
    save(create("one-step", open_index(index)), path, corpus=index)
    BM25.build(CORPUS[:1], folder=index)
    with pytest.raises(InputError, match="is not the corpus that .* was compiled with"):
        load(path)
    assert load(path, retriever).k == 5


def test_a_folder_that_holds_other_weights_by_now_is_refused_and_others_may_be_given(retriever, path, tmp_path):
    mine = str(write_tiny_encoder(tmp_path / "mine", own=("labeler", "filter")))
    save(create("efficientrag", retriever, weights=mine), path)
    assert load(path, retriever).encoder.fingerprint == Encoder(mine).fingerprint
    write_tiny_encoder(tmp_path / "other", seed=1, own=("labeler", "filter"))
    (tmp_path / "mine").rename(tmp_path / "before")
    (tmp_path / "other").rename(tmp_path / "mine")
    encoder._open.cache_clear()  # as in another process
    told = "mine does not hold the weights that .*program.json was compiled with; to use"
    with pytest.raises(InputError, match=told):
        load(path, retriever)
    given = load(path, retriever, settings={"weights": mine})
    assert given.fingerprints == {"weights": Encoder(mine).fingerprint}


def test_demonstrations_that_no_lm_is_shown_are_told(retriever, path):
    answered = dspy.Example(question="Who?", answer="Ada").with_inputs("question")
    taught = dspy.LabeledFewShot(k=1).compile(create("tor", retriever), trainset=[answered])
    with pytest.warns(UserWarning, match="review, complete: demonstrations without any output of the step"):
        save(taught, path)


def test_a_retriever_or_a_corpus_is_given_and_not_both(index, path, retriever):
    save(create("one-step", open_index(index)), path, corpus=index)
    with pytest.raises(InputError, match="a retriever or a corpus, not both"):
        load(path, retriever, corpus=index)


def test_another_lm_than_it_was_compiled_for_is_told(retriever, path):
    save(create("one-step", retriever), path, about={"lm": "openai/some-model"})
    lm = scripted([])
    told = f"was compiled for openai/some-model and is used with {lm.model}"
    with pytest.warns(UserWarning, match=told):
        load(path, retriever, lm=lm)
    with dspy.context(lm=lm), pytest.warns(UserWarning, match=told):
        load(path, retriever)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(path, retriever)
        load(path, retriever, lm=dspy.LM("openai/some-model"))


def test_settings_may_be_changed_and_are_checked_and_without_a_corpus_a_retriever_is_asked_for(retriever, path):
    save(create("one-step", retriever), path)
    with pytest.raises(InputError, match="names no corpus; give load a retriever"):
        load(path)
    assert load(path, retriever, settings={"k": "7"}).k == 7
    with pytest.raises(InputError, match="unknown setting of 'one-step'.* 'kk'"):
        load(path, retriever, settings={"kk": 7})


def test_no_key_no_address_and_no_lm_is_written(retriever, path):
    program = compiled(retriever)
    secret = dspy.LM("server/m", api_key="sk-secret", api_base="http://10.0.0.1/v1")
    program.lms, program.answer.lm = {"answer": secret}, secret
    save(program, path)
    written = path.read_text()
    assert "secret" not in written
    assert "10.0.0.1" not in written
    assert '"answer": "server/m"' in written


def test_a_truncated_and_an_edited_file_are_refused(retriever, path):
    save(compiled(retriever), path)
    whole = path.read_text()
    for length in (0, 100, len(whole.rstrip()) - 1):
        path.write_text(whole[:length])
        with pytest.raises(InputError, match="is not a program saved by multihop: invalid JSON"):
            load(path, retriever)
    path.write_text(whole.replace("Answer in one word.", "Answer in two words."))
    with pytest.raises(InputError, match="was changed after it was saved"):
        load(path, retriever)


@pytest.mark.parametrize("text", ["[]", "3", "{}", '{"metadata": 1}', '{"metadata": {"multihop": []}}', "\xff"])
def test_what_is_no_artefact_is_refused(text, path):
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="is not a program saved by multihop(: |; a state that DSPy saved)"):
        load(path)


FORGERIES = [
    ("ours.format", 9, "has format 9; this version reads format 1"),
    ("ours.program", "none", "unknown program 'none'"),
    ("ours.settings.kk", 1, "unknown setting of 'one-step'"),
    ("ours.settings.k", 0, "setting 'k' of 'one-step' in .*program.json cannot be 0"),
    ("ours.fields.answer.inputs", ["x"], "does not fit this version: the fields of 'answer' are"),
    ("ours.fields.plan", {"inputs": [], "outputs": []}, "its steps and its fields differ"),
    ("ours.fields", None, "fields: input should be"),
    ("answer.lm", {"model": "evil"}, "answer.lm: input should be null"),
    ("answer.demos", ["x"], "answer.demos.0: input should be an object"),
    ("answer.signature", {}, "a state that DSPy cannot load"),
]


@pytest.mark.parametrize(("place", "value", "message"), FORGERIES)
def test_a_forged_file_is_refused_in_one_sentence(place, value, message, retriever, path):
    def change(content, ours):
        *way, last = place.split(".")
        held = {**content, "ours": ours}
        for name in way:
            held = held[name]
        held[last] = value

    save(compiled(retriever), path)
    forge(path, change)
    with pytest.raises(InputError, match=message) as refused:
        load(path, retriever)
    assert len(str(refused.value).splitlines()) == 1


def test_saving_is_whole_or_not_at_all(retriever, path):
    program = compiled(retriever)
    save(program, path)
    before = path.read_text()
    with pytest.raises(TypeError):
        save(program, path, about={"not": object()})
    assert path.read_text() == before
    assert list(path.parent.iterdir()) == [path]


def test_another_release_series_is_told(retriever, path):
    save(compiled(retriever), path)
    for version, told in (("3.9.1", r"3\.9\.1; here it is dspy 3\.4"), (5, "5; here it is")):
        forge(path, lambda content, ours, version=version: ours["versions"].update(dspy=version))
        with pytest.warns(UserWarning, match=f"was saved with dspy {told}"):
            load(path, retriever)
    forge(path, lambda content, ours: ours["versions"].update(dspy="3.4.99"))
    assert load(path, retriever).k == 2


@pytest.mark.parametrize(
    "name", ["hub:hotpotqa/train", "s3://b/c.jsonl", "mine:Retriever", "hotpotqa", "//h/w", "http://h"]
)
def test_what_is_no_path_is_not_written_down(name, tmp_path):
    assert stored_corpus(name, tmp_path / "p.json") is None


@pytest.mark.parametrize(
    ("corpus", "file", "stored"),
    [
        ("indexes/wiki", "tor.json", "./indexes/wiki"),
        ("indexes/wiki", "programs/tor.json", "../indexes/wiki"),
        ("wiki", "deep/er/tor.json", "../../wiki"),
        (".", "tor.json", "./."),
        ("/wiki", "tor.json", "/wiki"),
        ("~/wiki", "tor.json", "./wiki"),
        ("corpus.jsonl.gz", "tor.json", "./corpus.jsonl.gz"),
        ("little", "tor.json", "little"),
    ],
)
def test_a_path_is_written_as_seen_from_the_file(corpus, file, stored, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wiki").mkdir()
    assert stored_corpus(corpus, file) == stored


def test_a_path_seen_from_the_file_is_found_before_one_of_the_working_directory(tmp_path, monkeypatch):
    for folder in ("here", "there"):
        (tmp_path / folder / "wiki").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    file = tmp_path / "there" / "tor.json"
    assert find_corpus("./wiki", file) == str(tmp_path / "there" / "wiki")


def test_a_link_to_the_file_finds_what_lies_beside_the_file(tmp_path):
    (tmp_path / "third" / "wiki").mkdir(parents=True)
    (tmp_path / "third" / "tor.json").touch()
    os.symlink(tmp_path / "third" / "tor.json", tmp_path / "current.json")
    assert find_corpus("./wiki", tmp_path / "current.json") == str(tmp_path / "third" / "wiki")


def with_settings(path, **settings):
    forge(path, lambda content, ours: ours["settings"].update(settings))


def told(path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = load(path, **options)
    return program, [str(each.message) for each in caught]


def test_settings_that_are_gone_are_left_out_with_one_warning_and_others_are_refused(path):
    save(Direct(retries=1), path)
    assert told(path)[1] == []
    with pytest.raises(InputError, match="unknown setting of 'direct' in .*program.json 'grounds'"):
        load(path, settings={"grounds": True})
    with_settings(path, grounds=False)
    assert told(path)[1] == [f"{path} gives settings that are gone: 'grounds' (docs/versions.md)."]
    with_settings(path, grounds=True, abstain_below=0.5, calibration=None)
    program, warned = told(path)
    assert program.settings == Direct(retries=1).settings
    gone = "'grounds', 'abstain_below', 'calibration'"
    assert warned == [f"{path} gives settings that are gone: {gone} (docs/versions.md)."]
    with_settings(path, garden=True)
    with pytest.raises(InputError, match="unknown setting of 'direct' in .*program.json 'garden'"):
        told(path)


def test_a_rule_that_is_gone_is_left_out_of_those_that_end_or_prune_a_search(tmp_path):
    save(create("tor", lambda query, k: []), tmp_path / "tor.json")
    gone = {"stops": ["repeats", "settled"], "pruning": ["relevance", "semantic"], "stop_after": None}
    with_settings(tmp_path / "tor.json", **gone)
    program, warned = told(tmp_path / "tor.json", retriever=lambda query, k: [])
    assert (program.stops, program.pruning) == (("repeats",), ("relevance",))
    assert warned == [
        f"{tmp_path / 'tor.json'} gives settings that are gone: "
        "'stop_after', 'settled' of 'stops', 'semantic' of 'pruning' (docs/versions.md)."
    ]
