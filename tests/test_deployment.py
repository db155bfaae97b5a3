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
import tempfile
import time
from pathlib import Path

import httpx
import pytest
import ujson
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
    assert all(f"state:{volume}" in service["volumes"] for service in SERVICES.values())
    assert SERVICES["index"]["command"][-1] == SERVER["command"][SERVER["command"].index("--corpus") + 1]
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


class Installed:
    """What the commands of the Dockerfile make, in folders that stand for those of the image."""

    def __init__(self, root):
        places = {"/opt/multihop": "opt", "/var/lib/multihop": "state", "/src": "src", "/corpus.jsonl": "corpus.jsonl"}
        self.places = {place: str(root / name) for place, name in places.items()}
        uid = int(one("USER"))
        self.user = {"user": uid, "group": uid, "extra_groups": []} if os.geteuid() == 0 else {}
        pythons = map(shutil.which, ("python3.12", "python3", "/usr/bin/python3"))
        self.python = next(python for python in pythons if python is not None and self.may_run(python))
        root.chmod(0o755)
        (root / "state").mkdir()
        if self.user:
            os.chown(root / "state", uid, uid)
        copy_context(root / "src")
        (root / "corpus.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in ROWS))
        for name, text in BUILD:
            if name == "RUN":
                subprocess.run(self.build_step(text), cwd=root / "src", check=True)
        shutil.rmtree(root / "src")
        assignments = (word.partition("=") for word in self.here(one("ENV")).split())
        self.env = {name: text.replace("$PATH", "/usr/bin:/bin") for name, _, text in assignments}

    def here(self, text):
        for place, folder in self.places.items():
            text = text.replace(place, folder)
        return text

    def may_run(self, python):
        asked = [python, "-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            return subprocess.run(asked, check=False, **self.user).returncode == 0
        except PermissionError:
            return False

    def build_step(self, text):
        """The words of a command; where there is uv, it installs in the place of pip, which takes a minute longer."""
        words = [self.python if word == "python" else word for word in shlex.split(self.here(text))]
        if words[1:4] == ["-m", "pip", "install"] and (uv := shutil.which("uv")):
            wanted = [word for word in words[4:] if word != "--no-cache-dir"]
            return [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", words[0], *wanted]
        return words

    def start(self, words, **env):
        words = [self.here(word) for word in words]
        if words[0] == "multihop":
            words[0] = f"{self.places['/opt/multihop']}/bin/multihop"
        return subprocess.Popen(words, cwd=self.env["HOME"], env=self.env | env, **self.user)


def copy_context(to):
    """What `COPY . .` copies: all that .dockerignore lets through, links as links."""
    to.mkdir()
    lines = read(".dockerignore").split("\n")
    assert "*" in lines  # all else stays out
    for name in (line[1:] for line in lines if line.startswith("!")):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, to / name)


@pytest.mark.seconds
def test_the_commands_build_an_index_and_a_healthy_server():
    """As the user of the image, with no home but the volume, and no right to write anywhere else."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    entry, address = json.loads(one("ENTRYPOINT")), f"http://127.0.0.1:{port}"
    health = json.loads(one("HEALTHCHECK").partition(" CMD ")[2].replace("8000", str(port)))
    asked = {"json": {"question": "When was Jerzy Kowal born?"}, "timeout": LIMIT}
    with tempfile.TemporaryDirectory(prefix="multihop-image-", dir="/tmp") as folder:
        installed = Installed(Path(folder))
        assert installed.start([*entry, *SERVICES["index"]["command"]]).wait(LIMIT) == 0
        server = installed.start([*entry, *SERVER["command"], "--port", str(port)], MULTIHOP_KEY="secret")
        try:
            end = time.monotonic() + LIMIT
            while server.poll() is None and time.monotonic() < end:
                if installed.start(health).wait(LIMIT) == 0:
                    break
                time.sleep(0.2)
            assert httpx.post(f"{address}/ask", **asked).status_code == 401
            record = httpx.post(f"{address}/ask", headers={"Authorization": "Bearer secret"}, **asked).json()
            assert record["answer"] == "1922"
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(LIMIT) == 0
        assert installed.start(health).wait(LIMIT) != 0
