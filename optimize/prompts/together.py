"""Prompts and weights in turn: DSPy's BetterTogether on a program or a step, with any provider that fine-tunes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy.teleprompt import Teleprompter

from ...base import InputError
from ...base.muting import muted_prints
from ...runtime import NO_LM, Program
from ..finetuning.finetuning import PROVIDERS, provider_named, provider_of

STRATEGY = "p -> w -> p"
"""Demonstrations, then weights, then demonstrations for the new weights, as in the optimizer's paper."""
HELD = 0.25
"""The share of the training examples that decides between the stages."""


@dataclass(frozen=True, slots=True)
class Finetuner:
    """The provider that fine-tunes the LM that a program is compiled for."""

    provider: dspy.Provider
    options: dict[str, Any] = field(default_factory=dict)
    """The provider's options, such as `{"n_epochs": 3}`."""


def finetuner_for(lm: Any, provider: str | None, options: dict[str, Any] | None = None) -> Finetuner:
    """Choose the provider that fine-tunes the LM: the one named, or the one that is responsible for it.

    Raises:
        InputError: Nobody is known who does, or nobody would serve what was trained.
    """
    if provider == "local":
        raise InputError(
            "better-together asks the model as soon as it is trained, and what 'local' trains is served by nobody yet; "
            "train with `multihop clone` instead, or name another provider."
        )
    named = provider_named(provider) if provider else provider_of(lm)
    if not named.finetunable:
        raise InputError(
            f"better-together fine-tunes the LM, and nobody is known who fine-tunes '{lm.model}'; "
            f"leave the variant out, or name a provider: {', '.join(PROVIDERS)}, or MODULE:CLASS."
        )
    return Finetuner(named, dict(options or {}))


class Together:
    """An optimizer like DSPy's own: prompts, weights, prompts, and the best of the stages.

    DSPy's optimizers of prompts forget which LM a predictor has; here the fine-tuned one stays in its place while
    demonstrations are looked for again.
    """

    def __init__(
        self,
        *,
        metric: Callable[..., Any],
        prompts: Teleprompter,
        finetuner: Finetuner,
        threads: int,
        max_errors: int,
        seed: int,
        trained: dict[type[dspy.Signature], str],
    ) -> None:
        """Set it up; `trained` is filled with the model of each signature that one was trained for."""
        self.metric, self.prompts, self.finetuner = metric, prompts, finetuner
        self.threads, self.max_errors, self.seed, self.trained = threads, max_errors, seed, trained

    def compile(self, student: dspy.Module, *, trainset: list[dspy.Example]) -> dspy.Module:
        """The student with demonstrations, each predictor with the LM it is best asked with.

        Raises:
            InputError: The fine-tuning failed.
        """
        signatures = [predictor.signature for predictor in student.predictors()]
        before = self._give_lms(student)
        weights = _Weights(self.metric, self.finetuner.options, self.threads)
        both = dspy.BetterTogether(metric=self.metric, p=_Prompts(self.prompts), w=weights)
        with muted_prints():  # providers print their progress
            best: dspy.Module = both.compile(
                student,
                trainset=list(trainset),
                num_threads=self.threads,
                max_errors=self.max_errors,
                seed=self.seed,
                valset_ratio=HELD,
                strategy=STRATEGY,
            )
        if weights.failure is not None:
            raise InputError(f"fine-tuning '{before[0].model}' failed: {weights.failure}") from weights.failure
        for signature, base, predictor in zip(signatures, before, best.predictors(), strict=True):
            if predictor.lm.model != base.model:
                self.trained[signature] = predictor.lm.model
        return best

    def _give_lms(self, student: dspy.Module) -> list[dspy.LM]:
        """Every predictor gets the LM it is asked with, in the provider's hands; equal ones stay one."""
        own: dict[int, dspy.LM] = {}
        for name, predictor in student.named_predictors():
            lm = student.lm_of(name) if isinstance(student, Program) else predictor.lm or dspy.settings.lm
            if lm is None:
                raise InputError(NO_LM)
            predictor.lm = own.setdefault(id(lm), lm.copy(provider=self.finetuner.provider))
        return [predictor.lm for predictor in student.predictors()]


class _Prompts(Teleprompter):  # type: ignore[misc]
    """The optimizer of prompts, with the LMs of the predictors in force although it takes them off."""

    def __init__(self, optimizer: Teleprompter) -> None:
        super().__init__()
        self.optimizer = optimizer

    def compile(
        self, student: dspy.Module, *, trainset: list[dspy.Example], valset: list[dspy.Example] | None = None
    ) -> dspy.Module:
        lms = {name.partition(".")[0]: predictor.lm for name, predictor in student.named_predictors()}
        if isinstance(student, Program):
            student.lms = lms
        with dspy.context(lm=next(iter(lms.values()))):
            return self.optimizer.compile(student, trainset=trainset, valset=valset)


class _Weights(dspy.BootstrapFinetune):  # type: ignore[misc]
    """DSPy's fine-tuning on right runs, which remembers why it failed: BetterTogether only logs it."""

    def __init__(self, metric: Callable[..., Any], options: dict[str, Any], threads: int) -> None:
        super().__init__(metric=metric, train_kwargs=options or None, num_threads=threads)
        self.failure: Exception | None = None

    def compile(self, student: dspy.Module, trainset: list[dspy.Example], teacher: Any = None) -> dspy.Module:
        try:
            return super().compile(student, trainset, teacher)
        except Exception as error:
            self.failure = error
            raise

    @staticmethod
    def finetune_lms(finetune_dict: dict[Any, dict[str, Any]]) -> dict[Any, dspy.LM]:
        if not all(job["train_data"] for job in finetune_dict.values()):
            raise InputError("no training run went right, so there is nothing to learn from.")
        trained: dict[Any, dspy.LM] = dspy.BootstrapFinetune.finetune_lms(finetune_dict)
        return trained
