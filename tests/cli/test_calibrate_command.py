import pytest
import ujson
from openai_server import OpenAIServer

from multihop import load
from multihop.lms import Lexical


@pytest.fixture(scope="module")
def dev(tmp_path_factory):
    """Forty questions of a passage each, of which every third is not what the passage says."""
    folder = tmp_path_factory.mktemp("dev")
    pages = [{"id": f"p{n}", "title": f"Island{n}", "text": f"Island{n} lies in Sea{n}."} for n in range(40)]
    rows = [
        {
            "id": str(n), "question": f"In which sea does Island{n} lie?", "supporting": [f"p{n}"],
            "answer": f"Sea{n}" if n % 3 else f"nowhere that is known {n}",
        }
        for n in range(40)
    ]  # fmt: skip
    for name, lines in (("corpus", pages), ("dev", rows)):
        (folder / f"{name}.jsonl").write_text("".join(ujson.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def calibrate(run, dev, tiny_encoder):
    def calibrate(program, *options):
        files = ("--dev", dev / "dev.jsonl", "--corpus", dev / "corpus.jsonl", "--lm", "lexical", "--set", "k=1")
        return run("calibrate", program, *files, *options)

    return calibrate


def test_a_program_is_saved_with_its_confidence_and_what_it_is_worth(calibrate, tmp_path):
    to = tmp_path / "sure.json"
    code, table, _ = calibrate("one-step", "--to", to, "--abstain-below", 0.1)
    assert code == 0
    assert [
        word for word in ("uncalibrated", "calibrated", "auroc", "abstain below", "answered") if word not in table
    ] == []
    assert "40 answers of multihop/lexical@1, 26 right" in table
    assert f"{to} withholds answers below 0.10" in table
    program = load(to)
    assert (program.grounds, program.abstain_below) == (True, 0.1)
    assert (program.calibration.questions, program.calibration.lm) == (40, "multihop/lexical@1")
    about = ujson.loads(to.read_text())["metadata"]["multihop"]["about"]
    assert about["lm"] == "multihop/lexical@1"
    assert about["confidence"]["dev"]["questions"] == 40
    assert about["confidence"]["after"]["ece"] < about["confidence"]["before"]["ece"] + 0.2


def test_the_same_command_asks_nothing_again_and_a_finished_run_is_asked_nothing(calibrate, tmp_path):
    to, again = tmp_path / "sure.json", tmp_path / "again.json"
    calibrate("one-step", "--to", to, "--json")
    rows = (tmp_path / "sure.json.calibration" / "questions.jsonl").read_text()
    code, told, _ = calibrate("one-step", "--to", to, "--json")
    assert code == 0
    assert (tmp_path / "sure.json.calibration" / "questions.jsonl").read_text() == rows
    code, told_of_run, _ = calibrate("one-step", "--to", again, "--json", "--run", tmp_path / "sure.json.calibration")
    assert code == 0
    told, told_of_run = ujson.loads(told), ujson.loads(told_of_run)
    assert told_of_run["after"] == told["after"]
    assert (told["questions"], told["abstain_below"]) == (40, 0.0)
    assert [each["below"] for each in told["thresholds"]][:3] == [0.0, 0.1, 0.2]
    assert not (tmp_path / "again.json.calibration").exists()


def test_a_saved_program_is_calibrated_in_its_place_and_again(calibrate, tmp_path):
    path = tmp_path / "sure.json"
    calibrate("one-step", "--to", path, "--abstain-below", 0.3)
    first = load(path)
    code, _, said = calibrate(path)
    assert (code, said.count("asked for")) == (0, 0)
    second = load(path)
    assert second.calibration == first.calibration
    assert second.abstain_below == 0.3  # as the file had it


def test_a_share_of_right_answers_chooses_the_threshold(calibrate, tmp_path):
    code, told, _ = calibrate("one-step", "--to", tmp_path / "sure.json", "--right", 0.6, "--json")
    told = ujson.loads(told)
    chosen = next(each for each in told["thresholds"] if each["below"] == told["abstain_below"])
    assert code == 0
    assert chosen["right"] >= 0.6
    assert load(tmp_path / "sure.json").abstain_below == told["abstain_below"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "multihop: one-step is no saved program; say with --to where the calibrated one is written."),
        (
            ("--to", "TO", "--limit", 20),
            "a calibration takes 30 answers or more that have an F1; there are 20.",
        ),
        (("--to", "TO", "--right", 0.5, "--abstain-below", 0.5), "multihop: --right chooses the threshold that"),
        (("--to", "TO", "--right", 1.5), 'multihop: Invalid value "1.5" for --right. Must be <= 1.'),
        (("--to", "TO", "--run", "nowhere"), "multihop: nowhere is not a run: it has no run.json."),
    ],
)
def test_what_cannot_be_calibrated_is_refused_in_a_sentence(calibrate, tmp_path, options, message):
    options = [str(tmp_path / "sure.json") if each == "TO" else each for each in options]
    code, _, said = calibrate("one-step", *options)
    assert code == 2
    assert message in said
    assert not (tmp_path / "sure.json").exists()


def test_another_lm_than_the_one_it_was_fitted_on_is_told_of(calibrate, run, dev, tmp_path):
    calibrate("one-step", "--to", tmp_path / "sure.json")
    with OpenAIServer(Lexical().reply) as server:
        lm = ("--lm", f"server/other@{server.url}")
        code, _, said = run("ask", "In which sea does Island1 lie?", "-p", tmp_path / "sure.json", *lm)
    assert code == 0
    assert "was fitted on answers of multihop/lexical@1, not of server/other" in said
