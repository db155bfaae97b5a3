"""The ways to compile a program: a table of DSPy's optimizers with their settings, and of what each way needs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import signature
from typing import Any

import dspy
from dspy.teleprompt.gepa import InstructionProposer

from ..base import InputError, missing_extra
from ..base.imports import Kind, find_by_name
from ..runtime.adapters import keeping_texts

PATIENCE = 10_000
"""Errors an optimizer may meet: a question that fails is one without a score, not a reason to give up."""
CANDIDATES, TRIALS, GEPA_RUNS = 4, 8, 8
ZERO_SHOT = "zero-shot"
"""The variant that compiles nothing."""
GIVEN, FINETUNED = "given", "finetuned"
"""Variants that need more than training questions: demonstrations, an LM that can be trained."""
GONE = {
    "better-together": "dspy.BetterTogether compiles a program as any other module",
    "ensemble": "load the files in FILE.work/variants and give them to dspy.Ensemble(reduce_fn=dspy.majority)",
}


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

    def offered(self) -> dict[str, Any]:
        """The settings that DSPy's optimizers are made with, as far as each takes them."""
        return {
            "metric": self.metric,
            "prompt_model": self.writer,
            "reflection_lm": self.writer or dspy.settings.lm,
            "teacher_settings": {} if self.teacher is None else {"lm": self.teacher},
            "max_labeled_demos": self.labels,
            "max_errors": PATIENCE,
            "max_metric_calls": GEPA_RUNS * max(1, self.examples),
            "bsize": min(16, self.examples),
            "num_threads": self.threads,
            "seed": self.seed,
            **dict.fromkeys(("num_candidates", "num_candidate_programs", "breadth"), CANDIDATES),
        }


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to compile a program."""

    name: str
    what: str
    """The variant in a line."""
    optimizer: Callable[[Tools], Any] | None = None
    """Makes the optimizer; None where nothing is searched for."""
    runs: Callable[[int], int] = lambda examples: 0
    """An estimate of the runs of the program that it takes, for so many training examples."""
    arguments: Callable[[Tools], dict[str, Any]] = lambda tools: {}
    """The arguments of the optimizer's `compile` after the program and the training examples."""
    labels: int = 0
    """Demonstrations that each step gets from gold."""


def _dspy(optimizer: str, **settings: Any) -> Callable[[Tools], Any]:
    """A function that makes DSPy's optimizer of that name; a setting may be a function of the tools."""

    def make(tools: Tools) -> Any:
        kind = getattr(dspy, optimizer)
        takes = signature(kind.__init__).parameters
        offered = {name: value for name, value in tools.offered().items() if name in takes}
        own = {name: value(tools) if callable(value) else value for name, value in settings.items()}
        return kind(**offered | own)

    return make


def _mipro(demonstrations: int) -> Callable[[Tools], Any]:
    def make(tools: Tools) -> Any:
        if find_spec("optuna") is None:
            raise missing_extra("MIPROv2", "optuna")
        if tools.examples < 2:
            raise InputError(f"MIPROv2 needs 2 training examples or more, not {tools.examples}.")
        labels = tools.labels if demonstrations else 0
        demos = {"max_bootstrapped_demos": demonstrations, "max_labeled_demos": labels}
        return _dspy("MIPROv2", **demos, auto=None, seed=tools.seed + 9)(tools)

    return make


def _mipro_arguments(tools: Tools) -> dict[str, Any]:
    return {"num_trials": TRIALS, "minibatch": False, "seed": tools.seed + 9}


def _all_right(tools: Tools) -> Callable[..., bool]:
    """A metric that only whole answers pass."""
    return lambda gold, prediction, trace=None: float(tools.metric(gold, prediction)) == 1.0


_ALL = (
    Variant(ZERO_SHOT, "the program as it is"),
    *(Variant(f"labeled-{k}", f"{k} demonstrations a step, made from gold", labels=k) for k in (1, 3, 5, 15)),
    Variant(GIVEN, "demonstrations of your own, as they are"),
    Variant(
        "bootstrapped",
        "up to 4 demonstrations a step from runs that went right",
        _dspy("BootstrapFewShot", max_bootstrapped_demos=4),
        runs=lambda examples: examples,
    ),
    Variant(
        "random-search",
        f"the best of {CANDIDATES + 3} sets of such demonstrations",
        _dspy("BootstrapFewShotWithRandomSearch", max_bootstrapped_demos=4),
        runs=lambda examples: (2 * CANDIDATES + 3) * examples,
    ),
    Variant(
        "instructions",
        "instructions searched by MIPROv2, no demonstrations",
        _mipro(0),
        runs=lambda examples: (TRIALS + 2) * examples,
        arguments=_mipro_arguments,
    ),
    Variant(
        "instructions-copro",
        "instructions searched by COPRO",
        _dspy("COPRO", depth=2),
        runs=lambda examples: 2 * CANDIDATES * examples,
        arguments=lambda tools: {"eval_kwargs": {"num_threads": tools.threads, "display_progress": False}},
    ),
    Variant(
        "instructions-gepa",
        "instructions evolved by GEPA from the metric's feedback",
        _dspy(
            "GEPA",
            instruction_proposer=lambda _: InstructionProposer(adapter=keeping_texts(dspy.JSONAdapter())),
        ),
        runs=lambda examples: GEPA_RUNS * examples,
    ),
    Variant(
        "instructions+demos",
        "instructions and demonstrations searched together by MIPROv2",
        _mipro(4),
        runs=lambda examples: (TRIALS + 2 + CANDIDATES) * examples,
        arguments=_mipro_arguments,
    ),
    Variant(
        "simba",
        "demonstrations and rules from where runs differ, by SIMBA",
        _dspy("SIMBA", max_steps=4, max_demos=4),
        runs=lambda examples: 4 * min(16, examples) * 2 * CANDIDATES + 5 * examples,
        arguments=lambda tools: {"seed": tools.seed},
    ),
    Variant(
        FINETUNED,
        "the LM itself, fine-tuned by BootstrapFinetune on every call of runs that went right",
        _dspy(
            "BootstrapFinetune",
            metric=_all_right,
            adapter=lambda _: keeping_texts(dspy.ChatAdapter()),
            exclude_demos=True,
        ),
        runs=lambda examples: examples,
    ),
)

VARIANTS = {variant.name: variant for variant in _ALL}
"""All variants by name."""
_KIND = Kind("variant", "multihop.variants", "MODULE:VARIANT")


def variant_named(name: str) -> Variant:
    """The variant: of this library, of an installed package, or a user's own as MODULE:VARIANT."""
    if name in GONE:
        raise InputError(f"'{name}' is gone: {GONE[name]}.")
    return _checked(find_by_name(_KIND, name, VARIANTS), name)


def variants_named(names: str, *, given: bool = False) -> list[str]:
    """The names in a list with commas; "all" are ours that nothing is missing for."""
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
