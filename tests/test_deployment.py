"""The Dockerfile, compose.yaml and the systemd unit: what they promise, and that their commands run."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import pytest
import ujson
from deployed import ROOT, UNIT, copy_context, is_ignored, one, services, stages, unit
from small_corpus import ROWS
from time_limit import LIMIT

from multihop.cli.app import command_line
from multihop.cli.commands.serve import AddressOptions

BUILD, IMAGE = stages()
SERVER = services()["server"]


def understood(words):
    """The arguments of the command, as `multihop` reads them."""
    _, bound, _ = command_line(words).parse_args(words)
    return bound.arguments


@pytest.mark.parametrize(
    "words",
    [
        json.loads(one(IMAGE, "CMD")),
        *(service["command"] for service in services().values()),
        shlex.split(unit()["ExecStart"][0])[1:],
    ],
)
def test_every_command_is_one_of_ours(words):
    assert understood(words)


def test_nobody_is_root():
    uid = one(IMAGE, "USER")
    assert int(uid) > 0
    assert f"--uid {uid} " in next(text for name, text in IMAGE if name == "RUN" and "useradd" in text)
    assert unit()["User"] == ["multihop"]
    assert (unit()["NoNewPrivileges"], unit()["CapabilityBoundingSet"]) == (["yes"], [""])


@pytest.mark.parametrize("name", services())
def test_a_container_may_do_little(name):
    service = services()[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


def test_what_is_written_lies_in_the_volume():
    volume = one(IMAGE, "VOLUME")
    assert f"HOME={volume}" in one(IMAGE, "ENV").split()
    assert one(IMAGE, "WORKDIR") == volume
    assert f"state:{volume}" in services()["index"]["volumes"]
    assert f"state:{volume}" in SERVER["volumes"]
    assert services()["index"]["command"][-1] == SERVER["command"][SERVER["command"].index("--corpus") + 1]
    assert volume == "/var/lib/" + unit()["StateDirectory"][0] == unit()["WorkingDirectory"][0]


def test_keys_come_from_a_file_that_is_in_no_image_and_no_repository():
    assert SERVER["env_file"] == "multihop.env"
    assert is_ignored("multihop.env", ".gitignore")
    assert is_ignored("multihop.env", ".dockerignore")
    key = SERVER["command"][SERVER["command"].index("--token-env") + 1]
    assert f"\n{key}=\n" in (ROOT / "docs/deploy/multihop.env.example").read_text(encoding="utf-8")
    assert not re.search("KEY|TOKEN|SECRET", " ".join(text for stage in stages() for _, text in stage))


def test_the_port_is_the_servers_own_and_open_to_this_machine_alone():
    port = AddressOptions().port
    assert one(IMAGE, "EXPOSE") == str(port)
    assert SERVER["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_what_is_installed_is_pinned():
    (install,) = [text for name, text in BUILD if name == "RUN" and " pip install " in text]
    assert "-c constraints.txt" in install


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there to verify the unit")
def test_systemd_finds_no_fault_in_the_unit(tmp_path):
    there = tmp_path / UNIT.name  # the same, with a program that is there
    there.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/multihop/bin/multihop", sys.executable))
    verified = subprocess.run(["systemd-analyze", "verify", there], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")


class Installed:
    """What the commands of the Dockerfile make, in folders that stand for those of the image."""

    def __init__(self, root):
        self.root = root
        places = {"/opt/multihop": "opt", "/var/lib/multihop": "state", "/src": "src", "/corpus.jsonl": "corpus.jsonl"}
        self.places = {place: str(root / name) for place, name in places.items()}
        self.uid = int(one(IMAGE, "USER")) if os.geteuid() == 0 else None  # who is no user with rights stays who he is
        self.python = next(filter(self.may_run, map(shutil.which, ("python3.12", "python3", "/usr/bin/python3"))))
        for name in ("src", "state"):
            (root / name).mkdir()
        root.chmod(0o755)
        if self.uid is not None:
            os.chown(root / "state", self.uid, self.uid)
        copy_context(root / "src")
        (root / "corpus.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in ROWS))
        network = {name: text for name, text in os.environ.items() if re.match("(?i)pip_|.*_proxy$|ssl_", name)}
        for name, text in BUILD:
            if name == "RUN":
                words = [self.python if word == "python" else word for word in shlex.split(self.here(text))]
                subprocess.run(
                    words, cwd=root / "src", env={"PATH": "/usr/bin:/bin", "HOME": str(root)} | network, check=True
                )
        shutil.rmtree(root / "src")
        assignments = (word.partition("=") for word in self.here(one(IMAGE, "ENV")).split())
        self.env = {name: text.replace("$PATH", "/usr/bin:/bin") for name, _, text in assignments}

    def here(self, text):
        for place, folder in self.places.items():
            text = text.replace(place, folder)
        return text

    def may_run(self, python):
        asked = [python, "-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            return python is not None and subprocess.run(asked, check=False, **self.as_user()).returncode == 0
        except PermissionError:
            return False

    def as_user(self):
        return {} if self.uid is None else {"user": self.uid, "group": self.uid, "extra_groups": []}

    def start(self, words, **env):
        words = [self.here(word) for word in words]
        options = {"cwd": self.env["HOME"], "env": self.env | env} | self.as_user()
        if words[0] == "multihop":
            words[0] = f"{self.places['/opt/multihop']}/bin/multihop"
        return subprocess.Popen(words, **options)


@pytest.fixture(scope="module")
def installed():
    with tempfile.TemporaryDirectory(prefix="multihop-image-", dir="/tmp") as folder:
        yield Installed(Path(folder))


def health(port):
    """The command of the image's health check, asking at this port."""
    return json.loads(one(IMAGE, "HEALTHCHECK").partition(" CMD ")[2].replace("8000", str(port)))


@pytest.mark.seconds
def test_the_commands_build_an_index_and_a_healthy_server(installed):
    """As the user of the image, with no home but the volume, and no right to write anywhere else."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        free_port = server.getsockname()[1]
    entry = json.loads(one(IMAGE, "ENTRYPOINT"))
    assert installed.start([*entry, *services()["index"]["command"]]).wait(LIMIT) == 0
    words = [*entry, *SERVER["command"], "--port", str(free_port)]
    server = installed.start(words, MULTIHOP_KEY="secret")
    try:
        end = time.monotonic() + LIMIT
        while server.poll() is None and time.monotonic() < end:
            if installed.start(health(free_port)).wait(LIMIT) == 0:
                break
            time.sleep(0.2)
        address = f"http://127.0.0.1:{free_port}"
        asked = {"json": {"question": "When was Jerzy Kowal born?"}, "timeout": LIMIT}
        assert httpx.post(f"{address}/ask", **asked).status_code == 401
        record = httpx.post(f"{address}/ask", headers={"Authorization": "Bearer secret"}, **asked).json()
        assert record["answer"] == "1922"
    finally:
        server.send_signal(signal.SIGTERM)
    assert server.wait(LIMIT) == 0
    assert installed.start(health(free_port)).wait(LIMIT) != 0
