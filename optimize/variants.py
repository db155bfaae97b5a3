"""The ways to compile a program, each a small record: which of DSPy's optimizers, with what, and what it needs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import dspy
from dspy.teleprompt.gepa import InstructionProposer

from ..base import InputError, missing_extra
from ..base.imports import Kind, find_by_name
from ..runtime.adapters import keeping_texts

PATIENCE = 10_000
"""Errors an optimizer may meet: a question that fails is one without a score, not a reason to give up."""
ZERO_SHOT = "zero-shot"
"""The variant that compiles nothing."""
GIVEN, ENSEMBLE, FINETUNED = "given", "ensemble", "finetuned"
"""Variants that need more than training questions: demonstrations, other variants, an LM that can be trained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The tools that an optimizer is handed."""

    metric: Callable[..., Any]
    writer: dspy.LM | None = None
    """The LM that writes instructions; the configured one unless given."""
    teacher: dspy.LM | None = None
    """The LM that makes demonstrations; the configured one unless given."""
    examples: int = 0
    """The number of training examples."""
    labels: int = 0
    """Examples that may serve as demonstrations as they are; only a step's own examples say all that it answers."""
    threads: int = 8
    seed: int = 0

    @property
    def teaching(self) -> dict[str, Any]:
        """The settings under which demonstrations are made."""
        return {"lm": self.teacher} if self.teacher is not None else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to compile a program."""

    name: str
    what: str
    """The variant in a line."""
    optimizer: Callable[[Tools], Any] | None = None
    """Makes the optimizer; None where nothing is searched for."""
    arguments: Callable[[Tools], dict[str, Any]] = lambda tools: {}
    """The arguments of its `compile` after the program and the training examples."""
    labels: int = 0
    """Demonstrations that each step gets from gold."""
    runs: Callable[[int], int] = lambda examples: 0
    """An estimate of the runs of the program that it takes, for so many training examples."""


def _bootstrap(tools: Tools) -> Any:
    return dspy.BootstrapFewShot(
        metric=tools.metric,
        max_bootstrapped_demos=4,
        max_labeled_demos=tools.labels,
        teacher_settings=tools.teaching,
        max_errors=PATIENCE,
    )


def _random_search(tools: Tools) -> Any:
    return dspy.BootstrapFewShotWithRandomSearch(
        metric=tools.metric,
        max_bootstrapped_demos=4,
        max_labeled_demos=tools.labels,
        num_candidate_programs=CANDIDATES,
        num_threads=tools.threads,
        teacher_settings=tools.teaching,
        max_errors=PATIENCE,
    )


def _mipro(demonstrations: int) -> Callable[[Tools], Any]:
    def make(tools: Tools) -> Any:
        if find_spec("optuna") is None:
            raise missing_extra("MIPROv2", "optuna")
        if tools.examples < 2:
            raise InputError(f"MIPROv2 needs 2 training examples or more, not {tools.examples}.")
        return dspy.MIPROv2(
            metric=tools.metric,
            prompt_model=tools.writer,
            teacher_settings=tools.teaching,
            max_bootstrapped_demos=demonstrations,
            max_labeled_demos=tools.labels if demonstrations else 0,
            auto=None,
            num_candidates=CANDIDATES,
            num_threads=tools.threads,
            max_errors=PATIENCE,
            seed=tools.seed + 9,
        )

    return make


def _mipro_arguments(tools: Tools) -> dict[str, Any]:
    return {"num_trials": TRIALS, "minibatch": False, "seed": tools.seed + 9}


def _copro(tools: Tools) -> Any:
    return dspy.COPRO(metric=tools.metric, prompt_model=tools.writer, breadth=CANDIDATES, depth=2)


def _gepa(tools: Tools) -> Any:
    return dspy.GEPA(
        metric=tools.metric,
        max_metric_calls=GEPA_RUNS * max(1, tools.examples),
        reflection_lm=tools.writer or dspy.settings.lm,
        instruction_proposer=InstructionProposer(adapter=keeping_texts(dspy.JSONAdapter())),
        num_threads=tools.threads,
        seed=tools.seed,
    )


def _simba(tools: Tools) -> Any:
    return dspy.SIMBA(
        metric=tools.metric,
        bsize=min(16, tools.examples),
        num_candidates=CANDIDATES,
        max_steps=4,
        max_demos=4,
        prompt_model=tools.writer,
        teacher_settings=tools.teaching,
        num_threads=tools.threads,
    )


def _finetune(tools: Tools) -> Any:
    return dspy.BootstrapFinetune(
        metric=lambda gold, prediction, trace=None: float(tools.metric(gold, prediction)) == 1.0,
        adapter=keeping_texts(dspy.ChatAdapter()),
        exclude_demos=True,
        num_threads=tools.threads,
    )


CANDIDATES = 4
TRIALS = 8
GEPA_RUNS = 8

_ALL = (
    Variant(name=ZERO_SHOT, what="the program as it is"),
    *(Variant(name=f"labeled-{k}", what=f"{k} demonstrations a step, made from gold", labels=k) for k in (1, 3, 5, 15)),
    Variant(name=GIVEN, what="demonstrations of your own, as they are"),
    Variant(
        name="bootstrapped",
        what="up to 4 demonstrations a step from runs that went right",
        optimizer=_bootstrap,
        runs=lambda examples: examples,
    ),
    Variant(
        name="random-search",
        what=f"the best of {CANDIDATES + 3} sets of such demonstrations",
        optimizer=_random_search,
        runs=lambda examples: (2 * CANDIDATES + 3) * examples,
    ),
    Variant(
        name="instructions",
        what="instructions searched by MIPROv2, no demonstrations",
        optimizer=_mipro(0),
        arguments=_mipro_arguments,
        runs=lambda examples: (TRIALS + 2) * examples,
    ),
    Variant(
        name="instructions-copro",
        what="instructions searched by COPRO",
        optimizer=_copro,
        arguments=lambda tools: {"eval_kwargs": {"num_threads": tools.threads, "display_progress": False}},
        runs=lambda examples: 2 * CANDIDATES * examples,
    ),
    Variant(
        name="instructions-gepa",
        what="instructions evolved by GEPA from the metric's feedback",
        optimizer=_gepa,
        runs=lambda examples: GEPA_RUNS * examples,
    ),
    Variant(
        name="instructions+demos",
        what="instructions and demonstrations searched together by MIPROv2",
        optimizer=_mipro(4),
        arguments=_mipro_arguments,
        runs=lambda examples: (TRIALS + 2 + CANDIDATES) * examples,
    ),
    Variant(
        name="simba",
        what="demonstrations and rules from where runs differ, by SIMBA",
        optimizer=_simba,
        arguments=lambda tools: {"seed": tools.seed},
        runs=lambda examples: 4 * min(16, examples) * 2 * CANDIDATES + 5 * examples,
    ),
    Variant(
        name=FINETUNED,
        what="the LM itself, fine-tuned by BootstrapFinetune on every call of runs that went right",
        optimizer=_finetune,
        runs=lambda examples: examples,
    ),
    Variant(name=ENSEMBLE, what="the answer that most of the other variants give"),
)

VARIANTS = {variant.name: variant for variant in _ALL}
"""All variants by name."""
_KIND = Kind("variant", "multihop.variants", "MODULE:VARIANT")


def variant_named(name: str) -> Variant:
    """The variant: of this library, of an installed package, or one's own as MODULE:VARIANT.

    Raises:
        InputError: There is none of that name; the message lists all.
    """
    if name == "better-together":
        raise InputError("'better-together' is gone: dspy.BetterTogether compiles a program as any other module.")
    return _checked(find_by_name(_KIND, name, VARIANTS), name)


def variants_named(names: str, *, given: bool = False) -> list[str]:
    """The names in a list with commas; "all" are ours that nothing is missing for.

    Args:
        names: As on the command line.
        given: True if there are demonstrations of one's own.
    """
    if names.strip() != "all":
        return [name.strip() for name in names.split(",")]
    return [name for name in VARIANTS if name != FINETUNED and (given or name != GIVEN)]


def chosen_variants(variants: Sequence[str | Variant]) -> list[Variant]:
    """The variants, each once; no two may have the same name, under which their work is kept."""
    chosen: dict[str, Variant] = {}
    for each in variants:
        variant = variant_named(each) if isinstance(each, str) else _checked(each, repr(each))
        if chosen.setdefault(variant.name, variant) is not variant:
            raise InputError(f"two variants are called '{variant.name}'; their work would be kept in the same place.")
    return list(chosen.values())


def _checked(variant: object, name: str) -> Variant:
    if not isinstance(variant, Variant):
        raise InputError(f"'{name}' is not a variant, but a {type(variant).__name__}; make one with Variant(...).")
    if VARIANTS.get(variant.name, variant) is not variant:
        raise InputError(
            f"'{name}' calls itself '{variant.name}', as a variant of multihop is called; give it another name."
        )
    if not re.fullmatch(r"\w[\w.+-]*", variant.name):
        raise InputError(f"a variant's name is made of letters, digits and . + - _, unlike '{variant.name}'.")
    return variant
