"""The job of a worker: the program, the metrics and the LMs that it needs in order to answer."""

import os
import pickle
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cloudpickle
import dspy

from ...base import InputError
from ...runtime import PriceList, Scope, current_caching, current_prices
from ..metrics import Metric

_HANDED_ON = re.compile(r"\w+_(API_KEY|API_BASE|BASE_URL)")
"""Variables of the environment that say where LMs are and let them be asked: they decide what is the same call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The work that a run's questions need, whoever does it."""

    program: dspy.Module
    """The program that answers."""
    metrics: Sequence[Metric]
    """The metrics to measure."""
    concurrency: int
    """Questions in flight at once, in each process."""
    timeout: float | None = None
    """Seconds after which a question counts as failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedJob:
    """A job as another process gets it, with the surroundings in which it was packed."""

    job: Job
    """The job."""
    lm: Any
    """The LM of the context."""
    adapter: Any
    """The adapter of the context."""
    engines: list[Any]
    """The engine objects of the LMs, by which a worker says whose kept answers it means."""
    scope: Scope | None
    """The kept answers that are used."""
    draw: int
    """The number of the draw."""
    prices: PriceList
    """The prices by which money is counted."""
    counted: bool
    """True if somebody counts the calls while they are made."""


def engines_of(job: Job) -> list[Any]:
    """The engine objects of all LMs that a job is known to ask."""
    lms = [dspy.settings.lm, *getattr(job.program, "lms", {}).values()]
    lms += [predictor.lm for predictor in job.program.predictors()]
    lms += [getattr(metric, "lm", None) for metric in job.metrics]
    found = (getattr(lm, "engine", None) for lm in lms)
    return list({id(engine): engine for engine in found if engine is not None and not isinstance(engine, str)}.values())


def pack_job(job: Job) -> bytes:
    """The job for another process, with the caller's LM, adapter and way of caching.

    Raises:
        InputError: Something of it cannot leave this process.
    """
    engines, caching = engines_of(job), current_caching.get()
    for engine in engines:
        if getattr(engine, "in_one_process", False):
            raise InputError(
                f"{type(engine).__name__} answers in the order in which it is asked, so that only one process can ask "
                "it; leave out the workers."
            )
    packed = PackedJob(
        job=job,
        lm=dspy.settings.lm,
        adapter=dspy.settings.adapter,
        engines=engines,
        scope=caching.scope,
        draw=caching.draw,
        prices=current_prices.get(),
        counted=dspy.settings.usage_tracker is not None,
    )
    variables = {name: value for name, value in os.environ.items() if _HANDED_ON.fullmatch(name)}
    try:
        return pickle.dumps((list(_folders()), variables, cloudpickle.dumps(packed)))
    except Exception as error:  # each class refuses in its own way
        raise InputError(
            f"{type(job.program).__name__} cannot be handed to a worker ({type(error).__name__}: {error}); "
            "what it holds must be picklable."
        ) from error


def unpack_job(packed: bytes) -> PackedJob:
    """The job in the process that does it, which imports what the packing one could."""
    folders, variables, inner = pickle.loads(packed)
    sys.path += [folder for folder in folders if folder not in sys.path and Path(folder).exists()]
    os.environ.update(variables)
    job: PackedJob = pickle.loads(inner)
    return job


def _folders() -> Iterator[str]:
    """From where this process imports what is not installed."""
    for folder in sys.path:
        place = Path(folder or ".").resolve()
        if not {"site-packages", "dist-packages"} & set(place.parts) and place.is_dir():
            yield str(place)
