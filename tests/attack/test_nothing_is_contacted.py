"""Addresses in every spelling, in every field of a saved program: nobody is contacted whom the caller did not name."""

import random
import re
import socket
import sys
import warnings
from threading import Thread
from types import SimpleNamespace

import dspy
import pytest
import ujson
from forging import forge

from multihop import BM25, Dense, EfficientRAG, MultihopError, OneStep, Passage, Program, create, load, save, scripted
from multihop.__main__ import main
from multihop.experiments import open_experiment
from multihop.lms.lm_by_name import split_address
from multihop.runtime import settings_of

PAGES = [Passage("p1", "Ada", "Ada was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]
seen = []
"""What this process has asked of the network, as the interpreter tells it."""
sys.addaudithook(lambda event, given: event in EVENTS and seen.append((event, str(given[-1]))))
EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")


class Stranger:
    """A server that counts who connects to it."""

    def __init__(self, listener):
        self.listener, self.visits = listener, 0
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        Thread(target=self._count, daemon=True).start()

    def _count(self):
        while True:
            try:
                visitor, _ = self.listener.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()


@pytest.fixture
def stranger():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Stranger(listener)
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def untouched(stranger):
    """The server's address, for a test in which nothing is contacted."""
    seen.clear()
    yield stranger.url
    assert (seen, stranger.visits) == ([], 0)


def test_a_visit_is_seen(stranger):
    seen.clear()
    with socket.create_connection(stranger.listener.getsockname()) as visit:
        assert visit.recv(1) == b""  # it was accepted, counted and closed
    assert stranger.visits == 1
    assert [event for event, _ in seen] == ["socket.getaddrinfo", "socket.connect"]


def spellings(url):
    """Addresses in every way that somebody may write one, and a hub's names."""
    host = url.removeprefix("http://")
    port = host.rpartition(":")[2]
    places = [
        url,
        f"{url}/v1",
        f"http://ada:4711@{host}/v1",
        f"http://[::1]:{port}/v1",
        f"http://localhost:{port}",
        f"HTTP://{host}/v1",
        f"http://{host}%2Fv1",
        f"http:{host}",
        f"http:/{host}",
        f"//{host}/v1",
        host,
        f"http://xn--bcher-kva.localhost:{port}",
        f"http://b\u00fccher.localhost:{port}/v1",
        f"{url}?a=b#c",
    ]
    forms = [
        "{}",
        " {}",
        "{} ",
        "\t{}",
        "{}\n",
        "\r\n{}",
        "\u00a0{}",
        "\u2028{}",
        "server/m@{}",
        "server/m m@{}",
        "openai/gpt-4.1@{} ",
        "server/m@ {}",
        "server/m@\t{}",
        "huggingface/{}",
        "huggingface///{}",
        "ollama/m@{}",
        "hosted_vllm/m@{}\x00",
        "SERVER/m@{}",
        "opensearch:{}/wiki",
        "colbert:{}",
        "hub:{}",
        "hub:nobody/nothing",
        "hf://{}",
        "s3://{}",
        "file:{}",
        "multihop/local@{}",
        "local@{}",
        "\\\\{}",
        "{}/../x",
        "ssh+{}",
        "x@y@{}",
        "server/m@{}@1",
        "{}@1",
        "a/b//{}",
        "server/%6D@{}",
        "server/m%40{}",
        "\u200b{}",
        "{}\u200d",
        "\ufeff//{}",
        "a: {}",
        "C:{}",
        "openai/m:1@{}",
        "server/m@v1/{}",
    ]
    return [form.format(place) for form in forms for place in places]


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


@pytest.fixture
def texts(untouched, pytestconfig):
    """All spellings with `--all`, else a tenth of them, drawn anew each time."""
    found, option = spellings(untouched), pytestconfig.option
    assert len(found) > 500
    return found if option.all else random.Random(option.draws).sample(found, len(found) // 10)


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
            with dspy.context(lm=scripted([{"answer": "x"}])):
                assert program(question="Where?").answer == "x"


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
def test_no_field_of_a_file_is_contacted(kind, tmp_path, texts):
    corpus = tmp_path / "index"
    program = kind(BM25.build(PAGES, folder=corpus), lms={STEP[kind]: "openai/m"})
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
                with dspy.context(lm=scripted([{"answer": "x"}])):
                    assert program(question="Where was Ada born?").answer == "x"
    assert loaded >= len(texts) // 12


@pytest.mark.usefixtures("tiny_encoder")
def test_no_command_contacts_what_a_file_names_and_show_opens_no_lm(tmp_path, untouched, capsys, monkeypatch):
    path = tmp_path / "p.json"
    save(OneStep(BM25.build(PAGES, folder=tmp_path / "index")), path, corpus=tmp_path / "index")
    texts = [f"server/m m@{untouched}/v1", f"server/m@{untouched}/v1 ", f"SERVER/m@{untouched.upper()}\n"]
    for text in texts:
        forge(
            path,
            lambda _, ours, text=text: (
                ours["settings"].update(lms={"answer": text}),
                ours.update(about={"lm": text, "scores": {"x": text}}),
            ),
        )
        assert main(["show", str(path), "--json"]) == 0
        assert ujson.loads(capsys.readouterr().out)["left_out"] == {"lms.answer": text, "about.lm": text}
        assert main(["show", str(path)]) == 0
        assert main(["ask", "Where was Ada born?", "-p", str(path), "--lm", "local"]) == 0
        assert capsys.readouterr().err.count("which is no plain name of an LM and is left out") == 4
    forge(path, lambda _, ours: ours.update(settings={"lms": {"answer": "openai/gpt-4.1"}}, about={"lm": "openai/m"}))
    monkeypatch.setattr(dspy, "LM", None)  # none can be made
    assert main(["show", str(path)]) == 0
    assert "asked with openai/gpt-4.1" in " ".join(capsys.readouterr().out.split())


TOO_MUCH = {"retries": 11, "concurrency": 1025, "k": 10_001, "budget": {"calls": -1}}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_every_door_refuses_a_setting_out_of_its_range_in_one_sentence(name, tmp_path, capsys):
    path, value = tmp_path / "p.json", TOO_MUCH[name]
    with pytest.raises(MultihopError, match=f"^setting '{name}' of OneStep cannot be .*: Input should be [^.]*[.]$"):
        create("one-step", lambda query, k: [], **{name: value})
    save(OneStep(lambda query, k: []), path)
    forge(path, lambda _, ours: ours["settings"].update({name: value}))
    form = {"concurrency": "damaged, .*settings.concurrency: input should be null"}.get(
        name, f"p.json cannot be {value}"
    )
    with pytest.raises(MultihopError, match=re.sub(r"([{}])", r"\\\1", form)):
        load(path, lambda query, k: [])
    assert main(["ask", "Q?", "-p", "one-step", "--set", f"{name}={ujson.dumps(value)}"]) == 2
    assert f"setting '{name}' of one-step cannot be {value}: Input should be" in " ".join(
        capsys.readouterr().err.split()
    )
    assert main(["evaluate", "one-step", "--concurrency", "1025", "--out", str(tmp_path / "run")]) == 2
    assert "1024" in capsys.readouterr().err


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
    makes = {
        "bool": lambda: False,
        "list[str]": lambda: [f"part {next(number)}"],
        "int": lambda: 5,
        "float": lambda: 0.5,
    }

    def answer(prompt):
        return {each.name: makes.get(each.type, lambda: f"x {next(number)}")() for each in prompt.output_fields}

    with dspy.context(lm=scripted(answer)):
        prediction = program(question="Where?")
    assert prediction.over_budget
    assert prediction.cost["calls"] <= 50 + 11


def test_the_hub_is_not_asked_for_what_an_index_names(tmp_path, monkeypatch, untouched, capsys):
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=None))
    index = tmp_path / "index"
    Dense.build(PAGES, folder=index)
    for manifest in {each.resolve() for each in index.rglob("index.json")}:
        content = ujson.loads(manifest.read_text())
        manifest.write_text(ujson.dumps({**content, "encoder_folder": "stranger/encoder"}))
    assert main(["ask", "Where was Ada born?", "--lm", "local", "-c", str(index)]) == 2
    assert "stranger/encoder is no folder here, and is not fetched because a file names it" in capsys.readouterr().err


def test_an_experiment_names_no_lm_by_an_address(tmp_path, untouched):
    table = 'title = "x"\npaper = "x"\nplace = "Table 1"\ncolumns = [{ set = "little", metric = "em" }]\n'
    table += '[sets.little]\nquestions = "little"\n[[rows]]\nname = "r"\nprogram = "one-step"\n'
    (tmp_path / "e.toml").write_text(f'{table}settings = {{ lms = {{ answer = "huggingface/{untouched}" }} }}\n')
    with pytest.raises(MultihopError, match=r"e.toml, rows\[1\].settings: unknown setting of one-step 'lms'"):
        open_experiment(tmp_path / "e.toml")
