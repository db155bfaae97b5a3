"""Checks that the tests notice faults: each of mutants.toml is made in a copy of the project, where a test must fail.

    python benchmarks/mutants.py            # all of them, with the tests that `make test` would take of those folders
    python benchmarks/mutants.py budget     # those with "budget" in their description or folder
    python benchmarks/mutants.py --check    # only whether the text of each fault is still in the project

Prints a line for each fault, with the test that noticed it. What was found is kept in build/mutants.jsonl, so that the
same command goes on where it was stopped; a fault is tried again once a file of its folder or of its tests has changed.
The exit code is 1 if a fault was not noticed.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOUND = ROOT / "build" / "mutants.jsonl"
PATIENCE = 300
"""Seconds after which tests that have not ended count as failed."""
SURVIVED = "SURVIVED"
"""The outcome of a fault that no test noticed."""


class Mutant(NamedTuple):
    """One fault."""

    fault: str
    """The kind of fault."""
    folder: str
    """The folder in one of whose files the text is, once."""
    text: str
    """The text that is right."""
    becomes: str
    """The text that takes its place."""
    tests: str
    """The folders and files of the tests that are to notice."""


MUTANTS = [Mutant(**fault) for fault in tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["faults"]]


def main() -> int:
    """Try the faults; 1 if one was not noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only faults with one of these words in description or folder")
    parser.add_argument("--check", action="store_true", help="run no tests")
    options = parser.parse_args()
    chosen = [each for each in MUTANTS if any(word in f"{each.fault} {each.folder}" for word in options.words or [""])]
    places = {each: place_of(each) for each in chosen}  # all are looked up before the first is tried
    if options.check:
        print(f"{len(chosen)} faults can be made")
        return 0
    outcomes: dict[Mutant, str] = {}
    earlier = dict(read_outcomes())
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch)
        copy_project(project)
        for number, mutant in enumerate(chosen, 1):
            key = key_of(mutant)
            outcome = outcomes[mutant] = earlier.get(key) or try_fault(mutant, places[mutant], project)
            keep_outcome(key, outcome)
            print(f"{number:2d}/{len(chosen)} {places[mutant]}: {mutant.fault}: {outcome}", flush=True)
        noticed = {outcome for outcome in outcomes.values() if outcome != SURVIVED}
        failing = failing_tests(project, *noticed) if noticed else []  # without any fault, all of them must pass
    survivors = [mutant for mutant, outcome in outcomes.items() if outcome == SURVIVED or outcome in failing]
    for test in failing:
        print(f"fails without a fault as well: {test}")
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} faults were noticed")
    return int(bool(survivors))


def place_of(mutant: Mutant) -> Path:
    """The file with the text, relative to the project.

    Raises:
        SystemExit: There is none, or the text is there more than once.
    """
    files = [path for path in (ROOT / mutant.folder).rglob("*.py") if "__pycache__" not in path.parts]
    counts = {path: path.read_text(encoding="utf-8").count(mutant.text) for path in files}
    found = [path for path, count in counts.items() if count]
    if sum(counts.values()) != 1:
        sys.exit(f"{mutant.fault}: {mutant.folder} has its text {sum(counts.values())} times instead of once.")
    return found[0].relative_to(ROOT)


def copy_project(folder: Path) -> None:
    """Copy the files that git knows, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def key_of(mutant: Mutant) -> str:
    """A hash of the fault, its folder and its tests."""
    digest = hashlib.blake2b(repr(mutant).encode(), digest_size=16)
    for place in (mutant.folder, *mutant.tests.split()):
        top = ROOT / place
        for path in sorted([top] if top.is_file() else top.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def read_outcomes() -> Iterator[tuple[str, str]]:
    """The tests that noticed faults, by the faults' keys."""
    if FOUND.exists():
        for line in FOUND.read_text(encoding="utf-8").splitlines():
            kept = json.loads(line)
            if kept["outcome"] != SURVIVED:
                yield kept["key"], kept["outcome"]


def keep_outcome(key: str, outcome: str) -> None:
    """Write an outcome down."""
    FOUND.parent.mkdir(exist_ok=True)
    with open(FOUND, "a", encoding="utf-8") as file:
        file.write(json.dumps({"key": key, "outcome": outcome}) + "\n")


def try_fault(mutant: Mutant, place: Path, project: Path) -> str:
    """Make the fault in the copy and run its tests: the first test that fails, or SURVIVED."""
    file = project / place
    right = file.read_text(encoding="utf-8")
    file.write_text(right.replace(mutant.text, mutant.becomes), encoding="utf-8")
    try:
        failing = failing_tests(project, "-x", *mutant.tests.split())
    finally:
        file.write_text(right, encoding="utf-8")
    return failing[0] if failing else SURVIVED


def failing_tests(project: Path, *arguments: str) -> list[str]:
    """The tests that fail, of those that pytest selects by default."""
    environment = {**os.environ, "PYTHONPATH": str(project), "HYPOTHESIS_PROFILE": "unsimplified"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pytest", "--tb=no", "-rfE", *arguments]
    try:
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return [arguments[-1]]
    if done.returncode not in (0, 1, 2):
        sys.exit(f"pytest could not run {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    return re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
