"""The ways to compile a program: a table of DSPy's optimizers with their settings, and of what each way needs."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from inspect import signature
from typing import Any

import dspy
from dspy.teleprompt.gepa import InstructionProposer

from ..base import InputError, missing_extra, unknown
from ..base.imports import Kind, find_by_name
from ..runtime.adapters import keeping_texts

PATIENCE = 10_000
"""Errors an optimizer may meet: a question that fails is one without a score, not a reason to give up."""
CANDIDATES, TRIALS, GEPA_RUNS = 4, 8, 8
ZERO_SHOT = "zero-shot"
"""The variant that compiles nothing."""
GIVEN, FINETUNED = "given", "finetuned"
"""Variants that need more than training questions: demonstrations, an LM that can be trained."""
_WITH_OPTUNA = ("MIPROv2", "BootstrapFewShotWithOptuna")
"""Optimizers that need the extra `optuna`."""
_OURS = ("metric", "kwargs", "_kwargs", "student", "trainset", "valset", "teacher", "teacher_settings", "prompt_model")
"""Arguments that are set by options of the compile."""
_SIZES = ("num_candidates", "num_trials", "max_metric_calls", "minibatch")
"""Arguments that say how much is done, which `auto` and `max_full_evals` say in another way."""


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
    validation: Sequence[dspy.Example] = ()
    """Examples by which an optimizer that takes such chooses; without them it chooses by those it learns from."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the optimizer, over those of the variant."""
    threads: int = 16
    """Runs that it makes at once."""
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
    seed: int = 0
    """Added to the seed of the compile: one of several runs of the same variant."""
    run_of: str = ""
    """The variant of which this is one of several runs; empty for a variant itself."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The variant of each step that has one of its own, by the step's name; other steps stay as they are."""

    @property
    def base(self) -> str:
        """The name of the variant itself, whichever of its runs this is."""
        return self.run_of or self.name

    @property
    def chooses(self) -> bool:
        """True if its optimizer chooses by validation questions."""
        return isinstance(self.optimizer, DSPyOptimizer) and "valset" in self.optimizer.takes()

    def arguments_of(self, tools: Tools) -> dict[str, Any]:
        """The arguments of the optimizer's `compile`, with the validation questions and those that were given."""
        takes = self.optimizer.takes() if isinstance(self.optimizer, DSPyOptimizer) else ()
        validation = {"valset": list(tools.validation)} if tools.validation and "valset" in takes else {}
        given = {name: value for name, value in tools.given.items() if name in takes}
        return validation | _without_clashes(self.arguments(tools), given)


@dataclass(frozen=True, slots=True)
class DSPyOptimizer:
    """Makes DSPy's optimizer of that name; a setting may be a function of the tools."""

    name: str
    settings: Mapping[str, Any]

    def __call__(self, tools: Tools) -> Any:
        """The optimizer with what is offered to all, with its settings here, and with those that were given."""
        if self.name in _WITH_OPTUNA and find_spec("optuna") is None:
            raise missing_extra(self.name, "optuna")
        if self.name == "MIPROv2" and tools.examples < 2:
            raise InputError(f"MIPROv2 needs 2 training examples or more, not {tools.examples}.")
        takes = self.takes("__init__")
        offered = {name: value for name, value in tools.offered().items() if name in takes}
        own = {name: value(tools) if callable(value) else value for name, value in self.settings.items()}
        given = {name: value for name, value in tools.given.items() if name in takes}
        return self.kind(**_without_clashes(offered | own, given))

    @property
    def kind(self) -> Any:
        """The optimizer's class."""
        return _InferRules if self.name == "InferRules" else getattr(dspy, self.name)

    def takes(self, method: str = "compile") -> list[str]:
        """The names of the arguments of a method of the optimizer."""
        return list(signature(getattr(self.kind, method)).parameters)[1:]

    def check(self, variant: str, given: Iterable[str]) -> None:
        """Refuse settings that the optimizer does not take."""
        known = [name for method in ("__init__", "compile") for name in self.takes(method) if name not in _OURS]
        for name in given:
            if name not in known:
                raise unknown(f"argument of {self.name}, the optimizer of {variant},", name, known)


class _InferRules(dspy.InferRules):  # type: ignore[misc]
    """InferRules, which in DSPy 3.4 writes the rules of every candidate into one signature, that of all programs."""

    def update_program_instructions(self, predictor: dspy.Predict, natural_language_rules: str) -> None:
        """Give the candidate a signature of its own, with the rules."""
        text = f"{predictor.signature.instructions}\n\nKeep to these rules:\n{natural_language_rules}"
        predictor.signature = predictor.signature.with_instructions(text)


def _without_clashes(settings: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with those that were given, without the ones that a given way to say how much is done replaces."""
    clash = _SIZES if not given.keys().isdisjoint(("auto", "max_full_evals")) else ()
    return {name: value for name, value in settings.items() if name not in clash} | dict(given)


def _dspy(optimizer: str, **settings: Any) -> DSPyOptimizer:
    return DSPyOptimizer(optimizer, settings)


def _mipro(demonstrations: int) -> DSPyOptimizer:
    return _dspy(
        "MIPROv2",
        max_bootstrapped_demos=demonstrations,
        max_labeled_demos=lambda tools: tools.labels if demonstrations else 0,
        auto=None,
        seed=lambda tools: tools.seed + 9,
    )


def _mipro_arguments(tools: Tools) -> dict[str, Any]:
    return {"num_trials": TRIALS, "minibatch": False, "seed": tools.seed + 9}


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
        "optuna-search",
        f"the best of {CANDIDATES} choices among such demonstrations, by Optuna",
        _dspy("BootstrapFewShotWithOptuna", max_bootstrapped_demos=4),
        runs=lambda examples: (CANDIDATES + 1) * examples,
        arguments=lambda tools: {"max_demos": 4},
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
        "rules",
        "demonstrations, and rules that an LM reads out of the examples, by InferRules",
        _dspy(
            "InferRules",
            metric=lambda tools: tools.metric,
            max_bootstrapped_demos=4,
            max_labeled_demos=lambda tools: tools.labels,
            max_errors=PATIENCE,
        ),
        runs=lambda examples: (CANDIDATES + 1) * examples,
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
        "a model fine-tuned on what each step should answer",
        runs=lambda examples: examples,
    ),
)

VARIANTS = {variant.name: variant for variant in _ALL}
"""All variants by name."""
_OPTIMIZERS = {each.optimizer.name: each.name for each in _ALL if isinstance(each.optimizer, DSPyOptimizer)}
_OPTIMIZERS["BootstrapFinetune"] = FINETUNED
"""The variants by what DSPy calls their optimizers, as well."""
_KIND = Kind("variant", "multihop.variants", "MODULE:VARIANT")


def variant_named(name: str) -> Variant:
    """The variant: of this library, of an installed package, or a user's own as MODULE:VARIANT."""
    return _checked(find_by_name(_KIND, _OPTIMIZERS.get(name, name), VARIANTS), name)


def variants_named(names: str, *, given: bool = False) -> list[str]:
    """The names in a list with commas; "all" are ours that nothing is missing for."""
    if names.strip() != "all":
        return [name.strip() for name in names.split(",")]
    return [name for name in VARIANTS if name != FINETUNED and (given or name != GIVEN)]


def chosen_variants(variants: Iterable[str | Variant], seeds: int = 1) -> list[Variant]:
    """The variants, each once; one that draws anything so many times, with seeds of its own.

    No two may have the same name, under which their work is kept.
    """
    chosen: dict[str, Variant] = {}
    for each in variants:
        if isinstance(each, str):
            variant = in_parts(each) if "=" in each else variant_named(each)
        else:
            variant = _checked(each, repr(each))
        if chosen.setdefault(variant.name, variant) is not variant:
            raise InputError(f"two variants are called '{variant.name}'; their work would be kept in the same place.")
    found: list[Variant] = []
    for each in chosen.values():
        if seeds > 1 and (each.labels or each.optimizer is not None or each.name == FINETUNED):
            found += [replace(each, name=f"{each.name}.{n}", run_of=each.name, seed=n) for n in range(seeds)]
        else:
            found.append(each)
    return found


def in_parts(name: str) -> Variant:
    """Different variants for different steps, as `STEP=VARIANT/STEP=VARIANT`."""
    pairs = [part.partition("=") for part in name.split("/")]
    parts = {step: variant_named(variant).name for step, _, variant in pairs}
    if len(parts) < len(pairs):
        raise InputError(f"'{name}' names a step twice.")
    return Variant(name.replace("=", ".").replace("/", "_"), name, parts=parts)


def with_parts(variants: Sequence[Variant]) -> list[Variant]:
    """The variants, and those that any of them puts together."""
    return [*variants, *(variant_named(part) for each in variants for part in each.parts.values())]


def check_settings(variants: Iterable[Variant], settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse arguments of optimizers that nobody takes."""
    optimizers = {each.base: each.optimizer for each in variants}
    for name, given in settings.items():
        optimizer = optimizers.get(name)
        if not isinstance(optimizer, DSPyOptimizer):
            with_arguments = [each for each, made in optimizers.items() if isinstance(made, DSPyOptimizer)]
            raise unknown("variant with arguments", name, with_arguments)
        optimizer.check(name, given)


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
