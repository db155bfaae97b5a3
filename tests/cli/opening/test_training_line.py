import io
import time

from multihop.base.terminal import Terminal
from multihop.cli.opening.work_line import TrainingLine
from multihop.evaluation.progress import Progress


def test_on_a_terminal_the_training_stands_below_the_run(monkeypatch):
    monkeypatch.setattr("multihop.cli.opening.work_line.LIVE_SECONDS", 0.0)
    out = io.StringIO()
    console = Terminal(file=out, force_terminal=True, width=90)
    with Progress("mzqa", 3, console) as progress, TrainingLine(progress.console) as line:
        assert "training" not in out.getvalue()
        line.show_due("step 1/9  loss 2.000")
        for _ in range(200):  # it is drawn four times a second
            if "step 1/9" in (shown := out.getvalue()):
                break
            time.sleep(0.05)
    assert shown.rindex("mzqa 0/3") < shown.rindex("step 1/9  loss 2.000")


def test_elsewhere_it_is_told_now_and_then(monkeypatch):
    out = io.StringIO()
    with TrainingLine(Terminal(file=out, width=90)) as line:
        line.show_due("step 1/9  loss 2.000")
        monkeypatch.setattr("multihop.cli.opening.work_line.PLAIN_SECONDS", 0.0)
        line.show_due("step 2/9  loss 1.000")
    assert out.getvalue() == "step 2/9  loss 1.000\n"
