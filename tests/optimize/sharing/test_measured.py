import dspy
import pytest
from forging import forge

from multihop import Direct, InputError, MismatchError, OneStep, RunFailed, evaluate, lexical, load, scripted
from multihop.optimize.saved_program import SavedProgram
from multihop.optimize.sharing.measured import measured_run


@pytest.fixture
def made(questions):
    def made(program, folder):
        with dspy.context(lm=lexical()):
            evaluate(program, questions, out=folder, progress=False)
        return folder

    return made


def test_a_run_of_the_program_in_memory(path, run):
    found = measured_run(run, SavedProgram.read(path))
    assert found.summary["n_ok"] == 2
    assert found.source == "questions of its own"


def test_a_run_of_the_file(path, tmp_path, made):
    assert measured_run(made(load(path), tmp_path / "again"), SavedProgram.read(path)).summary["n_ok"] == 2


def test_a_run_of_another_program(path, tmp_path, made):
    folder = made(Direct(), tmp_path / "direct")
    with pytest.raises(MismatchError, match="direct is a run of 'direct', and .*films.json holds 'one-step'."):
        measured_run(folder, SavedProgram.read(path))


def test_a_run_with_other_settings(path, tmp_path, made):
    folder = made(load(path, settings={"k": 1}), tmp_path / "k1")
    with pytest.raises(
        MismatchError, match=r"k1 was made with k = 1, and .*films.json has 2; give --run a run of the file"
    ):
        measured_run(folder, SavedProgram.read(path))


def test_a_run_with_other_prompts(path, tmp_path, program, made):
    folder = made(OneStep(program.retriever, k=2), tmp_path / "bare")
    with pytest.raises(MismatchError, match="bare was made with other prompts than those of .*films.json; give --run"):
        measured_run(folder, SavedProgram.read(path))


def test_a_run_that_was_stopped(path, tmp_path, program, questions):
    def fails(prompt):
        raise ValueError("no")

    with dspy.context(lm=scripted(fails)), pytest.raises(RunFailed):
        evaluate(program, questions, out=tmp_path / "stopped", max_errors=1, progress=False)
    with pytest.raises(
        InputError, match="stopped is not finished; give the command that began it again, and then push."
    ):
        measured_run(tmp_path / "stopped", SavedProgram.read(path))


def test_no_run(path, tmp_path):
    with pytest.raises(InputError, match="is not a run: it has no run.json."):
        measured_run(tmp_path, SavedProgram.read(path))


def test_a_folder_of_weights_is_known_by_what_it_holds(path, run, tmp_path):
    def change(_, ours):
        ours["settings"]["k"] = "somewhere"
        ours["fingerprints"] = {"k": 2}

    forge(path, change)
    assert measured_run(run, SavedProgram.read(path)).summary["n_ok"] == 2
