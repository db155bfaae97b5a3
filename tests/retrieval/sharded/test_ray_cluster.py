import os
import sys
from types import SimpleNamespace

import pytest

from multihop.base import DamagedFileError, InputError, MismatchError, MissingExtraError, RunFailed
from multihop.retrieval.sharded.ray_cluster import RayCluster, check_versions, join_cluster, versions


def raise_it(error):
    def init(*arguments, **options):
        raise error

    return init


def pretend(monkeypatch, init=None):
    """In the place of Ray something that is asked to join clusters."""
    errors = {"RayError": Exception}
    kinds = {name: type(name, (Exception,), {}) for name in ("GetTimeoutError", "RayTaskError", "RayActorError")}
    ray = SimpleNamespace(
        init=init, is_initialized=lambda: False, shutdown=lambda: None, exceptions=SimpleNamespace(**errors, **kinds)
    )
    monkeypatch.setitem(sys.modules, "ray", ray)
    return ray


def join(address):
    with join_cluster(address) as cluster:
        return cluster


def test_without_ray_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    said = r"^a Ray cluster needs the extra \[ray\] \(.*\): pip install 'multihop\[ray\]'\.$"
    with pytest.raises(MissingExtraError, match=said):
        join("auto")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere", "'nowhere' is no address of a Ray cluster; give HOST:PORT of its head node, auto or local."),
        ("http://host:1", "'http://host:1' is no address of a Ray cluster"),
        ("127.0.0.1:1", "nobody answers at 127.0.0.1:1 (Connection refused); start a cluster with `ray start --head`"),
        ("127.0.0.1:99999", "nobody answers at 127.0.0.1:99999 ("),
    ],
)
def test_an_address_is_looked_at_before_ray_is_asked(monkeypatch, address, said):
    pretend(monkeypatch, init=raise_it(AssertionError("asked")))
    with pytest.raises(InputError) as caught:
        join(address)
    assert str(caught.value).startswith(said)


MISMATCH = """Version mismatch: The cluster was started with:
    Ray: 2.50.0
    Python: 3.12.1
This process on 10.0.0.1:1234 was started with:
    Ray: 2.60.0
    Python: 3.11.9
"""


def test_another_version_of_ray_or_of_python_is_named(monkeypatch):
    pretend(monkeypatch, init=raise_it(RuntimeError(MISMATCH)))
    said = r"^the Ray cluster at local has Ray 2.50.0 on Python 3.12.1, and here it is Ray 2.60.0 on Python 3.11.9;"
    with pytest.raises(MismatchError, match=said):
        join("local")


def test_what_else_ray_says_is_one_line(monkeypatch):
    pretend(monkeypatch, init=raise_it(ConnectionError("no\nnode")))
    with pytest.raises(InputError, match="^the Ray cluster at local cannot be joined: no node$"):
        join("local")
    with pytest.raises(InputError, match="^no Ray cluster runs on this machine; start one with `ray start --head`"):
        join("auto")


def test_nothing_is_told_to_its_makers(monkeypatch):
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    asked = []
    pretend(monkeypatch, init=lambda *arguments, **options: asked.append((arguments, options["include_dashboard"])))
    join("local")
    assert asked == [(("local",), False)]
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"


def test_a_node_must_have_what_this_process_has():
    check_versions(versions(), "node-7")
    with pytest.raises(MismatchError, match="^node-7 has Python 3.1, and here it is 3"):
        check_versions({**versions(), "Python": "3.1"}, "node-7")
    with pytest.raises(MismatchError, match="^node-7 has multihop None, and here it is"):
        check_versions({"Python": versions()["Python"]}, "node-7")


def test_errors_of_actors_are_those_of_this_library(monkeypatch):
    ray = pretend(monkeypatch)
    cluster, errors = RayCluster("10.0.0.1:6379"), ray.exceptions
    told = errors.RayTaskError("a long report")
    told.cause = DamagedFileError("mine is damaged.")
    assert cluster.reason(told) is told.cause
    missing = cluster.reason(errors.RayActorError("ModuleNotFoundError: No module named 'multihop'"))
    assert isinstance(missing, MismatchError)
    assert str(missing) == "multihop is not installed on every node of the Ray cluster at 10.0.0.1:6379."
    slow = cluster.reason(errors.GetTimeoutError())
    assert isinstance(slow, RunFailed)
    assert str(slow).startswith("the Ray cluster at 10.0.0.1:6379 has no CPU free: what was started there did not")
    dead = cluster.reason(errors.RayActorError("gone"))
    assert isinstance(dead, RunFailed)
    assert str(dead).startswith("a process on the Ray cluster at 10.0.0.1:6379 has died (RayActorError); the same")
