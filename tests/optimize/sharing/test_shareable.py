import pytest
from forging import forge

from multihop import Direct, InputError, OneStep, load, open_lm, save
from multihop.base.secrets import remember_secret
from multihop.optimize.sharing.shareable import shareable


def shared(path):
    return shareable("films.json", path.read_bytes())


def test_a_path_of_this_machine_stays_here(path):
    found = shared(path)
    assert found.left_out == {"corpus": "./index"}
    assert found.saved.ours["corpus"] is None
    assert found.saved.ours["retriever"].startswith("bm25-")
    assert b"./index" not in found.file


def test_what_is_shared_is_loaded_as_the_file_is(path, tmp_path, program):
    (tmp_path / "shared.json").write_bytes(shared(path).file)
    rebuilt = load(tmp_path / "shared.json", corpus=tmp_path / "index")
    assert rebuilt.dump_state() == load(path).dump_state()
    assert rebuilt.settings["k"] == 2


@pytest.mark.parametrize("corpus", [None, "world", "little", "hub:hotpotqa"])
def test_a_corpus_that_all_have_stays_and_so_does_every_byte(tmp_path, corpus):
    save(Direct(), tmp_path / "p.json", corpus=corpus)
    found = shared(tmp_path / "p.json")
    assert (found.file, found.left_out) == ((tmp_path / "p.json").read_bytes(), {})


@pytest.mark.parametrize(
    "corpus", ["http://me:4711-4711@here.org/wiki", "opensearch:https://here.org/wiki", "/srv/wiki"]
)
def test_any_other_corpus_is_left_out_without_its_login(path, corpus):
    forge(path, lambda _, ours: ours.update(corpus=corpus))
    found = shared(path)
    assert found.saved.ours["corpus"] is None
    assert found.left_out == {"corpus": corpus.replace("me:4711-4711@", "")}


def test_of_a_model_file_only_its_name_goes_along(path):
    def change(_, ours):
        ours["about"]["lm"] = "gguf:/home/ada/small.gguf"
        ours["settings"]["calibration"] = {"weights": {}, "bias": 0.0, "lm": "gguf:/home/ada/small.gguf"}

    forge(path, change)
    found = shared(path)
    assert found.saved.about["lm"] == found.saved.settings["calibration"]["lm"] == "gguf:small.gguf"
    assert b"/home/ada" not in found.file
    assert set(found.left_out) == {"corpus", "lm", "calibration.lm"}


def test_nor_do_the_folders_of_weights_and_of_the_lms_of_steps(path):
    settings = {"weights": "/home/ada/encoder", "lms": {"answer": "folder:/home/ada/qwen@abc", "read": "openai/gpt-5"}}
    forge(path, lambda _, ours: ours["settings"].update(settings))
    assert shared(path).saved.settings["weights"] == "encoder"
    assert shared(path).saved.settings["lms"] == {"answer": "folder:qwen@abc", "read": "openai/gpt-5"}


@pytest.mark.parametrize("where", ["lm", "lms.answer"])
def test_the_address_of_an_lm_is_refused(path, where):
    def change(_, ours):
        if where == "lm":
            ours["about"]["lm"] = "server/qwen@http://here.org/v1"
        else:
            ours["settings"]["lms"] = {"answer": "server/qwen@http://here.org/v1"}

    forge(path, change)
    with pytest.raises(
        InputError, match=f"films.json names the server server/qwen@http://here.org/v1 as its {where}, and"
    ):
        shared(path)


def test_an_lm_with_an_address_is_saved_without_it(tmp_path):
    lm = open_lm("server/qwen", api_base="http://here.org/v1", structured="text")
    save(OneStep(lambda query, k: [], lms={"answer": lm}), tmp_path / "p.json")
    assert b"here.org" not in shared(tmp_path / "p.json").file


@pytest.mark.parametrize("key", ["sk-0123456789abcdef0123", "of-the-environment", "given-in-code"])
def test_a_key_in_a_demonstration_is_refused_and_not_told(path, monkeypatch, key):
    monkeypatch.setenv("SOME_API_KEY", "of-the-environment")
    remember_secret("given-in-code")
    forge(path, lambda content, _: content["answer"]["demos"][0].update(answer=f"It is {key}."))
    with pytest.raises(InputError) as caught:
        shared(path)
    assert str(caught.value) == (
        "films.json holds a key, or what is written like one, at answer.demos.answer, and nothing was pushed; take it "
        "out, and save the program again."
    )


@pytest.mark.parametrize("name", ["about", "settings"])
def test_a_key_anywhere_else_is_refused_too(path, name):
    forge(path, lambda _, ours: ours[name].update(note="Bearer abcdefghijkl"))
    with pytest.raises(InputError, match=f"holds a key, or what is written like one, at metadata.multihop.{name}.note"):
        shared(path)


def test_a_key_that_is_a_name_is_refused_too(path):
    forge(path, lambda _, ours: ours["about"].update({"sk-0123456789abcdef0123": 1}))
    with pytest.raises(InputError, match="or what is written like one, at one of its names, and nothing was pushed"):
        shared(path)


def test_another_file_is_none(tmp_path):
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match="films.json is not a program saved by multihop."):
        shared(tmp_path / "run.json")
