"""Programs, metrics, variants and retrievers of one's own: where they come from, and what is refused."""

import importlib
import json
import sys
from itertools import islice

import dspy
import pytest
from simulated import simulated

from multihop import BM25, InputError, Little, OneStep, compile_variants, create, load, save, scripted
from multihop.__main__ import main
from multihop.data import write_questions
from multihop.evaluation import metric_named
from multihop.optimize.variants import variant_named
from multihop.retrieval.named_retrievers import retriever_named

METHODS = '''
import dspy

from multihop import Program
from multihop.optimize import Variant
from multihop.retrieval import BM25, Hit, Passage
from multihop.signatures import AnswerFromPassages


class TwoHops(Program):
    """Retrieves for the question, then for what the first answer says."""

    k: int = 3

    def set_up(self):
        self.answer = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question):
        hits = await self.find(question, self.k)
        draft = await self.attempt(self.ask(self.answer, passages=hits, question=question))
        if draft is not None:
            hits += await self.attempt(self.find(f"{question} {draft.answer}", self.k)) or []
        return await self.ask(self.answer, passages=hits, question=question)


class Checked(TwoHops):
    def __init__(self, retriever, **limits):
        super().__init__(retriever, **limits)
        self.check = dspy.Predict("passages: list[str], question -> enough: bool")


class Impostor(TwoHops):
    name = "tor"


def brief(example, prediction, trace=None):
    return len(prediction.answer.split()) <= 3


TWO_LABELS = Variant(name="two-labels", what="2 demonstrations a step, made from gold", labels=2)
ZERO = Variant(name="zero-shot", what="mine", labels=2)


class Shelf:
    def search(self, queries, k):
        return [[Hit(Passage("s", "Shelf", "Shelf is a town."), 1.0)] for _ in queries]


class Folders(BM25):
    @classmethod
    def build(cls, passages, folder=None):
        (folder / "mine.txt").write_text("\\n".join(f"{page.id}\\t{page.title}\\t{page.text}" for page in passages))

    @classmethod
    def load(cls, folder):
        with open(f"{folder}/mine.txt") as file:
            return BM25.build([Passage(*line.rstrip("\\n").split("\\t")) for line in file])
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The module, as the only one of its name, in the current folder."""
    (tmp_path / "mymethods.py").write_text(METHODS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("mymethods", None)


@pytest.fixture
def methods(mine, monkeypatch):
    monkeypatch.syspath_prepend(mine)
    return importlib.import_module("mymethods")


@pytest.fixture(scope="module")
def questions():
    return list(islice(Little().questions(), 10))


@pytest.fixture(scope="module")
def retriever():
    return BM25.build(Little().passages())


def test_it_learns_step_by_step_from_its_own_runs_and_keeps_its_instructions(methods, mine, questions):
    retriever = BM25.build(Little().passages(), folder=mine / "index")
    program = methods.TwoHops(retriever, k=4)
    # an optimizer may have given other instructions
    program.answer.signature = program.answer.signature.with_instructions("Answer in one word.")
    known = {"train": questions[:6], "dev": questions[6:], "corpus": "index"}
    with dspy.context(lm=simulated(questions, Little().passages(), error_rate=0.0, known=0.0)):
        compile_variants(program, ["bootstrapped"], steps=True, to="steps.json", **known)
    stepwise = load("steps.json", allow=["mymethods"])
    assert (stepwise.name, stepwise.k) == ("two-hops", 4)
    assert stepwise.answer.signature.instructions == "Answer in one word."
    assert stepwise.answer.demos


def test_a_file_never_makes_a_class_be_imported_by_itself(methods, mine, retriever):
    save(methods.TwoHops(retriever), "two.json")
    assert json.loads((mine / "two.json").read_text())["metadata"]["multihop"]["class"] == "mymethods:TwoHops"
    del sys.modules["mymethods"]
    wanted = (
        r'two\.json holds mymethods:TwoHops, .* never imported unasked: .*program=TwoHops, or allow=\["mymethods"\]'
    )
    for allowed in ([], ["mymethod"], ["os"]):
        with pytest.raises(InputError, match=wanted):
            load("two.json", retriever, allow=allowed)
    assert "mymethods" not in sys.modules
    assert load("two.json", retriever, allow="mymethods").name == "two-hops"
    with pytest.raises(InputError, match="holds the program 'two-hops', not 'one-step'"):
        load("two.json", retriever, program=OneStep)
    (mine / "mymethods.py").write_text("TwoHops = 1")
    del sys.modules["mymethods"]
    with pytest.raises(InputError, match="holds the program 'two-hops', and mymethods:TwoHops is not that any more"):
        load("two.json", retriever, allow=["mymethods"])
    methods.TwoHops.__module__ = "__main__"  # as a class of the running script, which can only be handed over
    save(methods.TwoHops(retriever), "two.json")
    with pytest.raises(InputError, match=r"never imported unasked: give load program=TwoHops\.$"):
        load("two.json", retriever, allow=["__main__"])


def test_a_step_that_gold_says_nothing_about_is_refused_by_name_before_any_call(methods, mine, questions, retriever):
    program = methods.Checked(retriever)
    told = "step 'check' of Checked has a signature of its own, and gold does not say what is right there"
    for options in ({"variants": ["labeled-1"]}, {"variants": ["bootstrapped"], "steps": True}):
        with dspy.context(lm=scripted([])), pytest.raises(InputError, match=told):
            compile_variants(program, train=questions[:6], dev=questions[6:], to="x.json", **options)
    assert not (mine / "x.json.work").exists()


def test_a_name_of_ours_is_refused_to_others(methods, retriever):
    said = "mymethods:Impostor calls itself 'tor', as a program of multihop is called"
    for use in (lambda: save(methods.Impostor(retriever), "tor.json"), lambda: create("mymethods:Impostor", retriever)):
        with pytest.raises(InputError, match=said):
            use()


@pytest.fixture
def run(mine, questions, capsys, tiny_encoder):
    """The command line, in the folder of the module."""
    write_questions(mine / "questions.jsonl", questions)

    def run(line, *more):
        code = main([*line.split(), *more])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_command_line_takes_variants(run):
    asked = "--corpus little --train-limit 3 --dev-limit 2 --variants mymethods:TWO_LABELS --to two.json"
    code, out, _ = run(f"compile mymethods:TwoHops {asked}")
    assert (code, "two-labels" in out) == (0, True)


def test_the_command_line_takes_retrievers_of_the_current_folder(run, mine):
    (mine / "c.jsonl").write_text('{"id": "a", "title": "Po", "text": "The Po is a river."}\n')
    code, out, err = run("index c.jsonl --retriever mymethods:Folders --to own")
    assert (code, err) == (0, "")
    code, _, err = run("ask --corpus own", "What is the Po?")
    assert code == 2
    assert "own was made by mymethods:Folders, a class of one's own, which is never imported unasked" in err
    code, out, _ = run("ask --corpus own --retriever mymethods:Folders --json", "What is the Po?")
    assert (code, [page["id"] for page in json.loads(out)["passages"]]) == (0, ["a"])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ask Who? --program mymethods:ThreeHops", "unknown program in module mymethods: 'ThreeHops'"),
        ("ask Who? --program nowhere:TwoHops", "cannot be imported: No module named 'nowhere'"),
        ("ask Who? --program mymethods:brief", "'mymethods:brief' is not a program"),
        ("ask Who? --program broken:TwoHops", "cannot be imported: ZeroDivisionError: division by zero"),
        ("evaluate direct --metric mymethods:TWO_LABELS --out x", "a metric is a name, a Metric, or"),
        (
            "compile direct --train little --variants mymethods:ZERO --to x --quiet",
            "as a variant of multihop is called",
        ),
        ("ask Who? --retriever mymethods:nothing", "unknown retriever in module mymethods: 'nothing'"),
        ("index little --retriever mymethods:Shelf --to x", "'mymethods:Shelf' makes no index"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(run, mine, command, said):
    (mine / "broken.py").write_text("1 / 0")
    code, _, err = run(command)
    assert (code, err.count("\n")) == (2, 1)
    assert said in err


def install(site, package, entry_points):
    """What a package leaves on disk that says what it offers."""
    folder = site / f"{package}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def site(mine, monkeypatch):
    """The module as an installed package that offers what it has."""
    offered = {
        "programs": "two-hops = mymethods:TwoHops",
        "metrics": "brief = mymethods:brief",
        "variants": "two-labels = mymethods:TWO_LABELS",
        "retrievers": "shelf = mymethods:Shelf",
    }
    install(mine / "site", "mymethods", "".join(f"[multihop.{at}]\n{line}\n" for at, line in offered.items()))
    (mine / "mymethods.py").rename(mine / "site" / "mymethods.py")
    monkeypatch.syspath_prepend(mine / "site")
    return mine / "site"


@pytest.mark.usefixtures("site")
def test_what_an_installed_package_offers_is_found_by_its_name(run, mine, retriever):
    program = create("two-hops", retriever, k=2)
    save(program, "two.json")
    assert "class" not in json.loads((mine / "two.json").read_text())["metadata"]["multihop"]
    assert load("two.json", retriever).settings == program.settings
    assert metric_named("brief").name == "brief"
    assert variant_named("two-labels").labels == 2
    assert retriever_named("shelf").__name__ == "Shelf"
    _, out, _ = run("programs --json")
    assert next(row for row in json.loads(out) if row["name"] == "two-hops")["what"].startswith("Retrieves for")


def test_a_name_that_two_packages_offer_and_a_package_that_is_broken_are_refused(site):
    (site / "mymethods.py").unlink()
    with pytest.raises(InputError, match="'two-hops' of the package 'mymethods' cannot be imported: No module named"):
        create("two-hops")
    install(site, "theirs", "[multihop.programs]\ntwo-hops = theirs:TwoHops\n")
    with pytest.raises(InputError, match=r"two installed packages offer a program 'two-hops': .*uninstall one of them"):
        create("two-hops")
