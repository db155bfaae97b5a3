"""Measures the page of a large run: to write, on the disk, and to open in Chromium where Playwright is installed.

python benchmarks/pages.py --questions 10000 --steps 40
python benchmarks/pages.py --questions 1000 --steps 20   # what the first paint is measured on

The first paint is the browser's own figure. Beside it stands that of a page of one question, which has the same styles
and fonts, measured in turn with it, and how many times as long it takes.
"""

import argparse
import importlib.util
import random
import shutil
import tempfile
import time
from pathlib import Path

from multihop.evaluation.journal import Journal
from multihop.view import write_run_page

COST = {"calls": 30, "cached": 0, "estimated": 0, "retrievals": 10, "parse_failures": 0, "chain": 30, "seconds": 1.0}
BY_STEP = {"calls_by_role": {"summarize": 30}, "tokens": {"m": {"in": 9000, "out": 900}}, "tokens_by_role": {}}
IDENTITY = {
    "program": {"name": "resp", "settings": {}, "prompts": {}},
    "lm": {},
    "adapter": "ChatAdapter",
    "retriever": "bm25",
    "data": {"questions": 0, "fingerprint": ""},
    "metrics": {"em": 1},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, page = Path(folder) / "run", Path(folder) / "page.html"
        with Journal(run, IDENTITY, {}) as journal:
            for start in range(0, arguments.questions, 500):
                these = range(start, min(start + 500, arguments.questions))
                journal.append(row(place, arguments.steps) for place in these)
        begun = time.process_time()
        write_run_page([run], page)
        took = time.process_time() - begun
        sizes = [path.stat().st_size / 1e6 for path in (run / "questions.jsonl", page)]
        print(f"journal {sizes[0]:.0f} MB, page {sizes[1]:.0f} MB, written in {took:.1f} s of one core")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        if chromium and importlib.util.find_spec("playwright"):
            open_page(page, chromium, f"q{arguments.questions - 1}")
            write_run_page([write_small(Path(folder) / "small", arguments.steps)], small := Path(folder) / "small.html")
            measure_paint(page, small, chromium)


def open_page(page: Path, chromium: str, last: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1440, "height": 900})
        begun = time.perf_counter()
        shown.goto(page.as_uri(), wait_until="commit")
        shown.wait_for_selector("#row-0")
        table = time.perf_counter() - begun
        shown.wait_for_load_state("load")
        whole = time.perf_counter() - begun
        begun = time.perf_counter()
        shown.evaluate(f"location.hash = 'q={last}'")
        shown.wait_for_selector("#question h1")
        opened = time.perf_counter() - begun
        print(f"table after {table:.1f} s, whole after {whole:.1f} s, a question opens in {opened:.2f} s")
        browser.close()


def write_small(run: Path, steps: int) -> Path:
    """A run of one question."""
    with Journal(run, IDENTITY, {}) as journal:
        journal.append([row(0, steps)])
    return run


def measure_paint(page: Path, small: Path, chromium: str, times: int = 5) -> None:
    """Print when the page is painted first, and when that of one question is: the fastest of cold starts in turn."""
    from playwright.sync_api import sync_playwright

    found: dict[Path, list[float]] = {page: [], small: []}
    with sync_playwright() as playwright:
        for path in [page, small] * times:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            shown = browser.new_page(viewport={"width": 1280, "height": 900})
            shown.goto(path.as_uri())
            found[path].append(shown.evaluate(PAINT))
            browser.close()
    large, little = (min(found[path]) for path in (page, small))
    print(f"first paint after {large:.0f} ms, of one question after {little:.0f} ms: {large / little:.2f} times")


PAINT = """() => new Promise((done) => {
  const tell = (list) => list.getEntriesByName("first-contentful-paint").forEach((each) => done(each.startTime));
  new PerformanceObserver(tell).observe({ type: "paint", buffered: true });
})"""


def row(place: int, steps: int) -> dict:
    """A question of so many steps: searches, summaries, verdicts and plans in turn, in words drawn at random."""
    dice = random.Random(place)

    def text(count: int) -> str:
        return " ".join(dice.choice(WORDS) for _ in range(count))

    trajectory, evidence, question = [], [], text(14)
    for turn in range(steps):
        if turn % 4 == 0:
            hits = [{"id": f"p{dice.randrange(5_000_000)}", "title": text(2), "score": dice.random()} for _ in range(5)]
            trajectory.append({"step": "find", "query": text(10), "k": 5, "hits": hits})
        elif turn % 4 == 1:
            evidence = [*evidence, text(30)]
            inputs = {"passages": [hit["id"] for hit in hits], "question": question}
            trajectory.append({"step": "summarize", "inputs": inputs, "outputs": {"summary": evidence[-1]}})
        else:
            outputs = {"enough": False} if turn % 4 == 2 else {"sub_question": text(10)}
            inputs = {"evidence": evidence, "pathway": [], "question": question}
            trajectory.append({"step": "judge" if turn % 4 == 2 else "plan", "inputs": inputs, "outputs": outputs})
    answer = text(2)
    return {
        "id": f"q{place}",
        "question": question,
        "type": "bridge",
        "hops": 2,
        "answers": [answer],
        "supporting": ["p1"],
        "status": "ok",
        "error": None,
        "answer": answer,
        "matched_by": "id",
        "metrics": {"em": float(place % 3 > 0)},
        "passages": [["p1", 1.0]],
        "evidence": [],
        "trajectory": trajectory,
        "cost": {**COST, **BY_STEP},
        "run_seconds": 1.0,
    }


WORDS = ["".join(random.Random(seed).choices("aeioudklmnrst", k=3 + seed % 7)) for seed in range(4000)]

if __name__ == "__main__":
    main()
