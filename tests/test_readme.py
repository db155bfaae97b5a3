"""README as a newcomer meets it: every command and every block, in order, in an empty folder."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path

import dspy
import pytest
from fake_provider import FakeProvider  # noqa: F401 - named on a command line below
from openai_server import OpenAIServer

from multihop.__main__ import main
from multihop.models import Lexical

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.S)
ELSEWHERE = ("make demo", "make test", "pip install", "multihop demo", "export ", "multihop train")
"""What the checks before a change lands run by themselves: installing, the demo, the suite, and training."""
QUICK = ("hybrid", "compile ", "compile_variants", "clone ", "indexes/both", "weights=encoder")
"""Commands that take minutes with the built-in encoder: they run with a tiny one, and what they answer is not asked."""


@pytest.fixture
def newcomer(tmp_path_factory, tiny_encoder_folder):
    """Runs README's blocks; LMs that are paid for are played by a server here, and large files by small ones."""
    folder = tmp_path_factory.mktemp("empty")
    with OpenAIServer(Lexical().reply) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("OPENAI_API_KEY", "none")
        patch.setenv("COLUMNS", "80")
        Path("psgs_w100.tsv").write_text("id\ttext\ttitle\n1\tAda Lovelace wrote the first program.\tAda Lovelace\n")
        (folder / "encoder").symlink_to(tiny_encoder_folder)
        yield Newcomer(server.url, tiny_encoder_folder, patch)


class Newcomer:
    def __init__(self, url, tiny, patch):
        self.url, self.tiny, self.patch, self.shown = url, tiny, patch, ""

    def shell(self, block):
        """Run the block's commands; `shown` is what the last of them printed."""
        for line in block.replace("\\\n", " ").splitlines():
            for command in line.partition("  #")[0].split(" && "):
                if command.strip() and not command.startswith(ELSEWHERE):
                    self.command(command.strip())

    def command(self, command):
        if cut := re.fullmatch(r"(head|tail) -(\d+) (\S+) > (\S+)", command):
            lines = Path(cut[3]).read_text().splitlines(keepends=True)
            Path(cut[4]).write_text("".join(lines[: int(cut[2])] if cut[1] == "head" else lines[-int(cut[2]) :]))
            return
        words = shlex.split(command.replace("http://localhost:8000/v1", self.url))
        assert words[0] == "multihop", command
        if "--lm openai/" in command and "--api-base" not in words:
            words += ["--api-base", self.url]
        if "--finetune" in words:
            words += ["--provider", "fake_provider:FakeProvider"]
        if words[1] == "compile":
            words += ["--train-limit", "4", "--dev-limit", "4"]
        if words[1] == "clone":
            words += ["--set", "iterations=3"]
        if "k=10" in command and words[1] == "evaluate":
            words += ["--limit", "100"]
        if "clones/" in command and words[1] == "evaluate":
            words += ["--lm", "openai/m", "--api-base", self.url, "--limit", "2", "--step-lm", "plan=openai/m"]
        if "weights=encoder" in command:
            words += ["--limit", "2"]
        self.run(lambda: main(words[1:]) == 0 or pytest.fail(f"{command}: {self.shown}"), command)

    def python(self, block):
        """Run the block; what it configures holds for the block alone."""
        names, chosen = {}, {}
        before, configured, after = re.match(r"(.*?)(dspy\.configure\([^\n]*\n|$)(.*)", block, flags=re.S).groups()

        def work():
            self.patch.setattr(dspy, "configure", lambda lm: chosen.update(lm=lm))
            exec(before + configured, names)
            with dspy.context(**chosen):
                exec(after, names)

        self.run(work, block)

    def run(self, work, what):
        screen = io.StringIO()
        with redirect_stdout(screen), pytest.MonkeyPatch.context() as patch:
            if any(word in what for word in QUICK):
                patch.setattr("multihop.encoder.encoder.BUILT_IN", self.tiny)
            try:
                work()
            finally:
                self.shown = screen.getvalue()


def plain(text):
    """Without what differs from run to run: seconds, and blanks at the ends of lines."""
    lines = (re.sub(r"\d+\.\d\d s\b", "_ s", line.rstrip()) for line in text.strip().splitlines())
    return "\n".join(line for line in lines if line)


@pytest.mark.seconds
def test_every_block_works_in_order_and_shows_what_readme_shows(newcomer):
    for language, block in BLOCKS:
        if language == "bash":
            newcomer.shell(block)
        elif language == "python":
            newcomer.python(block)
        else:
            assert language == "text"
            assert plain(newcomer.shown) == plain(block)


def test_the_ten_lines_are_ten():
    assert len([line for line in next(b for name, b in BLOCKS if name == "python").splitlines() if line.strip()]) <= 10


def test_the_first_answer_of_readme_is_right():
    shown = next(block for name, block in BLOCKS if name == "text")
    assert "gold:\nNorth Veremveira\n" in shown
    assert "answer='North Veremveira'" in shown


def test_the_method_of_your_own_reads_what_it_has_when_the_budget_ends():
    from multihop import BM25, Budget, World, lexical

    names = {}
    exec(next(block for _, block in BLOCKS if "class TwoHops" in block), names)
    world = World(questions=3)
    question = next(world.questions()).question
    with dspy.context(lm=lexical()):
        whole, cut = (
            names["TwoHops"](BM25.build(world.passages()), k=2, budget=budget)(question=question)
            for budget in (None, Budget(calls=1))
        )
    assert whole.cost["calls"] == whole.cost["retrievals"] == 2
    assert (cut.cost["calls"], cut.cost["retrievals"], cut.over_budget) == (1, 1, True)
    assert len(cut.passages) == 2
    with pytest.raises(ValueError, match="unknown setting of TwoHops 'depth'"):
        names["TwoHops"](None, depth=3)
