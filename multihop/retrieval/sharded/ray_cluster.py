"""A Ray cluster joined for a while: its address looked at first, its nodes compared with this process.

Ray is imported only here and by what was handed the cluster. Nothing is told to Ray's makers.
"""

import logging
import os
import platform
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ...base.errors import InputError, MismatchError, MultihopError, RunFailed, missing_extra

SECONDS = 60.0
"""The seconds that a cluster may take to answer, or to give what is asked of it a CPU."""
_ANSWER = 5.0
"""Seconds within which the address must take a connection; Ray itself would try for minutes."""


@contextmanager
def join_cluster(address: str) -> Iterator["RayCluster"]:
    """The cluster at an address, for as long as the block lasts.

    Args:
        address: HOST:PORT of the head node, "auto" for the cluster that runs on this machine, or "local" for one of
            this machine alone, which ends with the block.

    Raises:
        MissingExtraError: Ray is not installed.
        InputError: Nobody answers there, or it is no address.
        MismatchError: The cluster has another version of Python or of Ray.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise missing_extra("a Ray cluster", "ray", error) from error
    if ray.is_initialized():  # by whoever calls this from a program of their own
        yield RayCluster(address)
        return
    _check_address(address)
    options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except Exception as error:  # Ray has one of every kind
        raise _refusal(address, error) from error
    try:
        yield RayCluster(address)
    finally:
        ray.shutdown()


class RayCluster:
    """A joined cluster, and what its actors answer in the errors of this library."""

    def __init__(self, address: str) -> None:
        """The cluster that Ray is connected with."""
        self.address = address

    @property
    def ray(self) -> Any:
        """Ray, in whichever process this is."""
        import ray

        return ray

    @property
    def cpus(self) -> int:
        """The number of CPUs of all its nodes together, 1 at least."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def start(self, kind: type, *arguments: Any, cpus: float, **options: Any) -> Any:
        """An actor of a class, spread over the nodes; it is there once it has answered."""
        made = self.ray.remote(kind).options(num_cpus=cpus, scheduling_strategy="SPREAD", **options)
        return made.remote(*arguments)

    def collect(self, references: Sequence[Any], *, seconds: float | None = None) -> list[Any]:
        """Collect the answers of the actors.

        Raises:
            MultihopError: One raised it.
            RunFailed: One has died, or did not answer in time.
        """
        try:
            answers: list[Any] = self.ray.get(list(references), timeout=seconds)
        except Exception as error:
            raise self.reason(error) from error
        return answers

    def reason(self, error: BaseException) -> BaseException:
        """The error that an error of Ray's stands for; any other error as it is."""
        cause = getattr(error, "cause", None)
        if isinstance(cause, MultihopError):
            return cause
        errors = self.ray.exceptions
        if isinstance(error, errors.GetTimeoutError):
            return RunFailed(
                f"the Ray cluster at {self.address} has no CPU free: what was started there did not begin within "
                f"{SECONDS:.0f} seconds; wait for others to end, or ask for fewer workers or shards."
            )
        if isinstance(error, errors.RayTaskError | errors.RayActorError) and "No module named 'multihop" in str(error):
            return MismatchError(f"multihop is not installed on every node of the Ray cluster at {self.address}.")
        if isinstance(error, errors.RayError) and not isinstance(error, errors.RayTaskError):
            return RunFailed(
                f"a process on the Ray cluster at {self.address} has died ({type(error).__name__}); the same command "
                "again goes on, or begins anew where nothing was finished."
            )
        return error


def versions() -> dict[str, str]:
    """The versions that must be the same on every node, by the name of what has them."""
    try:
        ours = version("multihop")
    except PackageNotFoundError:
        ours = "not installed"
    return {"Python": ".".join(platform.python_version_tuple()[:2]), "multihop": ours}


def check_versions(found: Mapping[str, str], where: str) -> None:
    """Refuse a node that runs something else than this process.

    Raises:
        MismatchError: It does.
    """
    for name, ours in versions().items():
        if found.get(name) != ours:
            raise MismatchError(
                f"{where} has {name} {found.get(name)}, and here it is {ours}; install the same on every node."
            )


def _check_address(address: str) -> None:
    if address in ("auto", "local"):
        return
    found = re.fullmatch(r"(?:ray://)?\[?([^/\[\]]+?)\]?:(\d{1,5})", address)
    if not found:
        raise InputError(f"'{address}' is no address of a Ray cluster; give HOST:PORT of its head node, auto or local.")
    try:
        socket.create_connection((found[1], int(found[2])), timeout=_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"nobody answers at {address} ({getattr(error, 'strerror', None) or error}); start a cluster with "
            "`ray start --head`, or give the address that it prints."
        ) from error


def _refusal(address: str, error: Exception) -> InputError:
    text = str(error)
    if found := re.search(r"Version mismatch.*?Ray: (\S+)\s+Python: (\S+).*?Ray: (\S+)\s+Python: (\S+)", text, re.S):
        return MismatchError(
            f"the Ray cluster at {address} has Ray {found[1]} on Python {found[2]}, and here it is Ray {found[3]} on "
            f"Python {found[4]}; use the same on both."
        )
    if address == "auto":
        return InputError("no Ray cluster runs on this machine; start one with `ray start --head`, or give HOST:PORT.")
    return InputError(
        f"the Ray cluster at {address} cannot be joined: {' '.join(text.split()) or type(error).__name__}"
    )
