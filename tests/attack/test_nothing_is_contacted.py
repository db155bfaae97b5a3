"""Addresses in every spelling, in every field of a saved program: nobody is contacted whom the caller did not name."""

import random
import re
import socket
import sys
import warnings
from types import SimpleNamespace

import dspy
import pytest
import ujson
from forging import forge

from multihop import BM25, Dense, EfficientRAG, MultihopError, OneStep, Program, create, load, save, scripted
from multihop.lms.lm_by_name import split_address
from multihop.runtime import settings_of


def test_a_visit_is_seen(stranger):
    with socket.create_connection(stranger.listener.getsockname()) as visit:
        assert visit.recv(1) == b""  # it was accepted, counted and closed
    assert stranger.visits == 1
    assert [event for event, _ in stranger.asked] == ["socket.getaddrinfo", "socket.connect"]


WHOLE = ("http://{0}", "http://{0}/v1", "http://ada:4711@{0}/v1", "HTTP://{0}/v1", "http://{0}?a=b#c")
BROKEN = ("http://{0}%2Fv1", "http:{0}", "http:/{0}", "//{0}/v1", "{0}")
OF_OTHER_HOSTS = ("http://[::1]:{1}/v1", "http://localhost:{1}", "http://xn--bcher-kva.localhost:{1}")
OF_OTHER_HOSTS += ("http://b\u00fccher.localhost:{1}/v1",)
BLANKS = (" {}", "{} ", "\t{}", "{}\n", "\r\n{}", "\u00a0{}", "\u2028{}", "\u200b{}", "{}\u200d", "\ufeff//{}")
OF_SERVERS = ("{}", "server/m@{}", "server/m m@{}", "server/m@ {}", "server/m@\t{}", "server/m@{}@1", "server/m@v1/{}")
MISSPELT = ("SERVER/m@{}", "hosted_vllm/m@{}\x00", "server/%6D@{}", "server/m%40{}", "x@y@{}", "{}@1", "openai/m:1@{}")
OF_PROVIDERS = ("openai/gpt-4.1@{} ", "huggingface/{}", "huggingface///{}", "ollama/m@{}", "multihop/local@{}")
OF_CORPORA = ("opensearch:{}/wiki", "colbert:{}", "hub:{}", "hub:nobody/nothing", "hf://{}", "s3://{}", "ssh+{}")
OF_PATHS = ("file:{}", "local@{}", "\\\\{}", "{}/../x", "a/b//{}", "a: {}", "C:{}")
FORMS = (*BLANKS, *OF_SERVERS, *MISSPELT, *OF_PROVIDERS, *OF_CORPORA, *OF_PATHS)


@pytest.fixture
def texts(untouched, pytestconfig):
    """Addresses in every way that somebody may write one: all with `--all`, else a tenth, drawn anew each time."""
    host, option = untouched.removeprefix("http://"), pytestconfig.option
    places = [place.format(host, host.rpartition(":")[2]) for place in (*WHOLE, *BROKEN, *OF_OTHER_HOSTS)]
    found = [form.format(place) for form in FORMS for place in places]
    return found if option.all else random.Random(option.draws).sample(found, len(found) // 10)


class Own(Program):
    """A program of a package that others have installed, with settings of text."""

    retrieves = False
    server: str = ""
    servers: tuple[str, ...] = ()
    more: dict[str, object] | None = None

    def set_up(self):
        self.answer = dspy.Predict("question -> answer")

    async def aforward(self, question):
        return await self.ask(self.answer, question=question)


def test_no_setting_of_a_file_has_an_address(tmp_path, texts):
    path = tmp_path / "own.json"
    save(Own(), path)
    for number, text in enumerate(texts):
        given = {"server": text, "servers": ["x", text], "more": {"a": [{text: [text]}]}, "lms": {"answer": text}}
        also = {"corpus": text, "about": {"lm": text}}
        forge(path, lambda _, ours, given=given, also=also: ours.update(settings=given, **also))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            program = load(path, program=Own)
        used = {name for name in given if program.settings[name]}
        assert "more" in used or not used & {"server", "servers"}, text
        assert not used or not re.search(r"(?<!^C):\S|^\s*[/\\]{2}", text) or used == {"lms"}, text
        for lm in (program.settings["lms"] or {}).values():
            assert split_address(lm) == (lm, None), text
            assert "//" not in lm, text
        assert sum("is left out" in str(each.message) for each in told) == len(given) - len(used) + ("lms" not in used)
        if number % 20 == 0 and "lms" not in used:
            answers(program)


def answers(program):
    with dspy.context(lm=scripted([{"answer": "x"}])):
        assert program(question="Where was Ada born?").answer == "x"


def places_in(value, way=()):
    """The ways to all texts in a file, and to the names of its fields."""
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, dict | list):
            yield from places_in(each, (*way, name))
        yield (*way, name)


def put(content, way, text):
    *way, last = way
    for name in way:
        content = content[name]
    if isinstance(content[last], dict | list) and isinstance(content, dict):
        content[text] = content.pop(last)
    else:
        content[last] = text


STEP = {OneStep: "answer", EfficientRAG: "read"}


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("kind", STEP)
def test_no_field_of_a_file_is_contacted(kind, tmp_path, texts, passages):
    corpus = tmp_path / "index"
    program = kind(BM25.build(passages, folder=corpus), lms={STEP[kind]: "openai/m"})
    getattr(program, STEP[kind]).demos = [{"question": "Who?", "passages": ["Ada | x"], "answer": "Ada"}]
    about = {"lm": "openai/gpt-4.1", "optimizer": "x", "scores": {"x": {"f1": {"mean": 1}}}, "more": ["x", {"y": "x"}]}
    path = tmp_path / "p.json"
    save(program, path, corpus=corpus, about=about)
    forge(path, lambda _, ours: (ours["settings"].update(lms=None), ours["settings"].setdefault("weights", "")))
    ways = [way for way in places_in(ujson.loads(path.read_text())) if way[-1] != "digest"]
    if kind is EfficientRAG:
        ways = [way for way in ways if "settings" in way] * 2
    assert len(ways) >= 24
    whole = path.read_text()
    ours = {("metadata", "multihop", *way) for way in (("corpus",), ("about", "lm"), ("settings", "weights"))}
    loaded = 0
    for number, way in enumerate(ways):
        for text in texts[number % 8 :: 8] if way in ours else texts[number % 30 :: 30]:
            path.write_text(whole)
            forge(path, lambda content, ours, way=way, text=text: put(content, way, text))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    program = load(path, None if way[-1] == "corpus" else program.retriever)
                except MultihopError:
                    continue
            loaded += 1
            if loaded % 25 == 0:
                answers(program)
    assert loaded >= len(texts) // 12


COMMANDS = {
    "ask": ["ask", "Where was Ada born?", "-p", "{path}"],
    "evaluate": ["evaluate", "{path}", "-q", "{questions}", "--out", "{path}.run"],
    "compile": ["compile", "{path}", "--train", "{questions}", "--dev", "{questions}", "--to", "{path}.made"],
    "clone": ["clone", "{path}", "--from-gold", "-q", "{questions}", "--out", "{path}.clone", "--step", "answer"],
    "serve": ["serve", "{path}", "--port", "0"],
    "mcp": ["mcp", "{path}"],
}
"""Every command that takes a saved program."""


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_contacts_the_corpus_that_a_file_names(command, path, tmp_path, stranger, run):
    forge(path, lambda _, ours: ours.update(corpus=stranger.url.replace("//", "//ada:4711@")))
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "question": "Where was Ada born?", "answers": ["London"]}\n')
    code, out, err = run(*(each.format(path=path, questions=questions) for each in COMMANDS[command]))
    assert (code, out) == (2, "")
    assert f"p.json names the corpus '{stranger.url}', which is no path, and nothing that a file names is" in err
    assert "give the corpus with --corpus (in Python, corpus=...)." in err
    assert "socket.connect" not in dict(stranger.asked)


@pytest.mark.usefixtures("tiny_encoder")
def test_no_command_contacts_an_lm_that_a_file_names_and_show_opens_none(path, untouched, run, monkeypatch):
    for text in (f"server/m m@{untouched}/v1", f"server/m@{untouched}/v1 ", f"SERVER/m@{untouched.upper()}\n"):
        named = {"settings": {"lms": {"answer": text}}, "about": {"lm": text, "scores": {"x": text}}}
        forge(path, lambda _, ours, named=named: ours.update(named))
        assert ujson.loads(run("show", path, "--json")[1])["left_out"] == {"lms.answer": text, "about.lm": text}
        for command in (["show", path], ["ask", "Where was Ada born?", "-p", path, "--lm", "local"]):
            code, _, err = run(*command)
            assert (code, err.count("which is no plain name of an LM and is left out")) == (0, 2)
    forge(path, lambda _, ours: ours.update(settings={"lms": {"answer": "openai/gpt-4.1"}}, about={"lm": "openai/m"}))
    monkeypatch.setattr(dspy, "LM", None)  # none can be made
    assert "asked with openai/gpt-4.1" in " ".join(run("show", path)[1].split())


TOO_MUCH = {"retries": 11, "concurrency": 1025, "k": 10_001, "budget": {"calls": -1}}


@pytest.mark.parametrize(("name", "value"), TOO_MUCH.items())
def test_a_setting_out_of_its_range_is_refused_in_code_in_a_file_and_in_a_command(name, value, path, run):
    with pytest.raises(MultihopError, match=f"^setting '{name}' of OneStep cannot be .*: Input should be [^.]*[.]$"):
        create("one-step", lambda query, k: [], **{name: value})
    forge(path, lambda _, ours: ours["settings"].update({name: value}))
    told = "settings.concurrency: input should be null" if name == "concurrency" else f"p.json cannot be {value}"
    with pytest.raises(MultihopError, match=re.escape(told)):
        load(path)
    assert run("ask", "Q?", "-p", "one-step", "--set", f"{name}={ujson.dumps(value)}")[0] == 2


def numbers_in(kind):
    """The largest whole number that the type of a setting takes, if it is one."""
    return max(
        (each.le for part in getattr(kind, "__metadata__", ()) for each in part.metadata if hasattr(each, "le")),
        default=0,
    )


@pytest.mark.parametrize("name", ["mzqa", "tot-dfs", "rap", "iter-retgen"])
def test_no_settings_let_one_question_ask_without_end(name, monkeypatch):
    monkeypatch.setattr("multihop.runtime.cost.MOST_CALLS", 50)
    declared = settings_of(create(name, lambda query, k: []).__class__)
    largest = {setting: most for setting, each in declared.items() if (most := numbers_in(each.type)) > 1}
    del largest["concurrency"]
    assert set(largest.values()) <= {10, 10_000, 10_000_000}
    program = create(name, lambda query, k: [f"Ada | {query}"], **largest, stops=())
    number = iter(range(10**9))

    def answer(prompt):
        made = {"bool": False, "list[str]": [f"part {next(number)}"], "int": 5, "float": 0.5}
        return {each.name: made.get(each.type, f"x {next(number)}") for each in prompt.output_fields}

    with dspy.context(lm=scripted(answer)):
        prediction = program(question="Where?")
    assert prediction.over_budget
    assert prediction.cost["calls"] <= 50 + 11


def test_the_hub_is_not_asked_for_what_an_index_names(tmp_path, monkeypatch, untouched, run, passages):
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=None))
    index = tmp_path / "index"
    Dense.build(passages, folder=index)
    for manifest in {each.resolve() for each in index.rglob("index.json")}:
        content = ujson.loads(manifest.read_text())
        manifest.write_text(ujson.dumps({**content, "encoder_folder": "stranger/encoder"}))
    code, _, err = run("ask", "Where was Ada born?", "--lm", "local", "-c", index)
    assert code == 2
    assert "stranger/encoder is no folder here, and is not fetched because a file names it" in err
