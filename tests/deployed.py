"""The files of a deployment: instructions of the Dockerfile, services of compose.yaml, settings of the unit."""

import fnmatch
import shutil
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
UNIT = ROOT / "docs/deploy/multihop.service"


def stages():
    """The stages of the Dockerfile, each a list of its instructions with their texts."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            instruction, _, rest = line.partition(" ")
            found += [[]] if instruction == "FROM" else []
            found[-1].append((instruction, rest.strip()))
    return found


def one(stage, instruction):
    """The text of the stage's only instruction of this kind."""
    (text,) = [text for name, text in stage if name == instruction]
    return text


def services():
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]


def unit():
    """The settings of the systemd unit, each with all its values."""
    found = {}
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def copy_context(to):
    """What `COPY . .` copies: all that .dockerignore lets through, links as links."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    allowed = [line[1:] for line in lines if line.startswith("!")]
    assert "*" in lines  # all else stays out
    for name in allowed:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, to / name)
    return allowed


def is_ignored(name, file):
    """True if a line of the file of patterns keeps the name out."""
    return any(fnmatch.fnmatch(name, line.strip("/")) for line in (ROOT / file).read_text(encoding="utf-8").split())
