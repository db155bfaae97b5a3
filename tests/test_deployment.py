"""The Dockerfile, compose.yaml and the systemd unit: what they promise, and that their commands run."""

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
import yaml
from small_corpus import ROWS
from time_limit import LIMIT

from multihop.cli.app import command_line
from multihop.cli.commands.serve import AddressOptions

ROOT = Path(__file__).resolve().parents[1]
UNIT = ROOT / "docs/deploy/multihop.service"


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def stages():
    """The stages of the Dockerfile, each a list of its instructions with their texts."""
    found = []
    for line in read("Dockerfile").replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            instruction, _, rest = line.partition(" ")
            found += [[]] if instruction == "FROM" else []
            found[-1].append((instruction, rest.strip()))
    return found


def one(instruction):
    """The text of the image's only instruction of this kind."""
    (text,) = [text for name, text in IMAGE if name == instruction]
    return text


BUILD, IMAGE = stages()
SERVICES = yaml.safe_load(read("compose.yaml"))["services"]
SERVER = SERVICES["server"]
SETTINGS = dict(line.split("=", 1) for line in read(UNIT).splitlines() if "=" in line and not line.startswith("#"))


@pytest.mark.parametrize(
    "words",
    [
        json.loads(one("CMD")),
        *(service["command"] for service in SERVICES.values()),
        shlex.split(SETTINGS["ExecStart"])[1:],
    ],
)
def test_every_command_is_one_of_ours(words):
    _, bound, _ = command_line(words).parse_args(words)
    assert bound.arguments


def test_nobody_is_root_and_a_container_may_do_little():
    assert int(one("USER")) > 0
    assert f"--uid {one('USER')} " in next(text for name, text in IMAGE if name == "RUN" and "useradd" in text)
    named = {"User": "multihop", "NoNewPrivileges": "yes", "CapabilityBoundingSet": ""}
    assert named.items() <= SETTINGS.items()
    for service in SERVICES.values():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "privileged" not in service


def test_what_is_written_lies_in_the_volume_and_the_port_is_open_to_this_machine_alone():
    volume, port = one("VOLUME"), AddressOptions().port
    assert f"HOME={volume}" in one("ENV").split()
    assert one("WORKDIR") == volume == "/var/lib/" + SETTINGS["StateDirectory"] == SETTINGS["WorkingDirectory"]
    assert SERVER["volumes"] == [f"state:{volume}", f"./documents:{SERVER['command'][1]}:ro"]
    assert (one("EXPOSE"), SERVER["ports"]) == (str(port), [f"127.0.0.1:{port}:{port}"])


def test_keys_come_from_a_file_that_is_in_no_image_and_no_repository():
    assert SERVER["env_file"] == "multihop.env"
    for file in (".gitignore", ".dockerignore"):
        assert any(fnmatch.fnmatch("multihop.env", line.strip("/")) for line in read(file).split())
    key = SERVER["command"][SERVER["command"].index("--token-env") + 1]
    assert f"\n{key}=\n" in read("docs/deploy/multihop.env.example")
    assert not re.search("KEY|TOKEN|SECRET", " ".join(text for _, text in BUILD + IMAGE))


def test_what_is_installed_is_pinned():
    (install,) = [text for name, text in BUILD if name == "RUN" and " pip install " in text]
    assert "-c constraints.txt" in install


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there to verify the unit")
def test_systemd_finds_no_fault_in_the_unit(tmp_path):
    there = tmp_path / UNIT.name  # the same, with a program that is there
    there.write_text(read(UNIT).replace("/opt/multihop/bin/multihop", sys.executable))
    verified = subprocess.run(["systemd-analyze", "verify", there], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_build_sees_what_the_package_is_made_of_and_nothing_else():
    kept = [line for line in read(".dockerignore").splitlines() if not line.startswith("#")]
    linked = {path.resolve().name for path in (ROOT / "multihop").iterdir() if path.is_symlink()}
    made_of = {"LICENSE", "README.md", "constraints.txt", "pyproject.toml", "multihop"} | linked
    assert set(kept) == {"*", "**/__pycache__"} | {f"!{name}" for name in made_of}


@pytest.mark.seconds
def test_the_commands_are_a_healthy_server_of_a_folder_that_it_follows(tmp_path):
    """The program is the one that is installed here; folders stand for the volumes, and the environment is empty."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    documents = tmp_path / "documents"
    documents.mkdir()

    def write(row):
        (documents / f"{row['id']}.md").write_text(f"# {row['title']}\n\n{row['text']}\n")

    programs = {"multihop": [sys.executable, "-m", "multihop"], "python": [sys.executable]}

    def start(words, **env):
        here = [str(documents) if word == "/documents" else word for word in words[1:]]
        home = {"PATH": os.defpath, "HOME": str(tmp_path / "state"), "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen([*programs[words[0]], *here], cwd=tmp_path, env=home | env)

    entry, address = json.loads(one("ENTRYPOINT")), f"http://127.0.0.1:{port}"
    health = json.loads(one("HEALTHCHECK").partition(" CMD ")[2].replace("8000", str(port)))
    asked = {"json": {"question": "When was Jerzy Kowal born?"}, "timeout": LIMIT}
    write(ROWS[0])
    server = start([*entry, *SERVER["command"], "--port", str(port)], MULTIHOP_KEY="secret")
    try:
        end = time.monotonic() + LIMIT
        while server.poll() is None and time.monotonic() < end and start(health).wait(LIMIT) != 0:
            time.sleep(0.2)
        assert httpx.post(f"{address}/ask", **asked).status_code == 401
        write(ROWS[1])
        record = {"passages": []}
        while time.monotonic() < end and len(record["passages"]) < 2:
            record = httpx.post(f"{address}/ask", headers={"Authorization": "Bearer secret"}, **asked).json()
        assert record["answer"] == "1922"
    finally:
        server.send_signal(signal.SIGTERM)
    assert server.wait(LIMIT) == 0
    assert start(health).wait(LIMIT) != 0
