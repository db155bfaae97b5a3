"""The options that say which LMs are asked and how, and the opening of LMs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..base import InputError, reword, unknown
from .data_options import split_pairs
from .process import tell_user
from .shared_options import Several

if TYPE_CHECKING:
    import dspy

    from ..data import Question
    from ..experiments import Experiment
    from ..lms import DescribedLM
    from ..optimize.artefact import SavedProgram
    from ..retrieval import Passage

DEFAULT = "local"
LMName = Annotated[
    str | None,
    Parameter(
        help=(
            '"local" (built in: an extractive reader of 22 M parameters, no key, no network), or any model DSPy can '
            'reach; by default "local", or what the saved program was compiled for.'
        )
    ),
]
_GIVEN_OTHERWISE = {
    "api_key": "a key stays in the environment; name its variable as key_env in a file for --lms",
    "api_base": "the server is named with --api-base, or behind the model as MODEL@ADDRESS",
    "base_url": "the server is named with --api-base, or behind the model as MODEL@ADDRESS",
    "name": "the LM is named with --lm",
    "model": "the LM is named with --lm",
}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LMOptions:
    """Options for all LMs of a command, whichever they are."""

    lms: Path | None = None
    """A TOML file that describes LMs, each under a name to be used wherever an LM is named: model, api_base, key_env
    (the environment variable with the key), temperature and other parameters."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for every LM that is not built in and names no server of its own
    (NAME@ADDRESS)."""
    lm_set: Several = None
    """A parameter of the LM as name=value, such as temperature=0 or structured=schema (in which form it is asked:
    "schema", JSON that it is held to, "json" or "text"); may be given more than once."""


@dataclass(frozen=True, kw_only=True)
class ProgramLMOptions(LMOptions):
    """The LM of a program, those of single steps, and how they are reached."""

    lm: LMName = None
    step_lm: Several = None
    """Another LM for one step, as step=LM, such as read=openai/gpt-4.1, read=server/qwen3@http://host:8000/v1,
    or read=NAME with a name of --lms; may be given more than once."""


class LMs:
    """Opens the LMs that a command is given by name, and knows those that it has opened.

    Where a parameter is given twice, what the file says of the one LM counts before what `--lm-set` says of all.
    """

    def __init__(self, options: LMOptions, decoding: Mapping[str, Any] | None = None) -> None:
        """Nothing is opened yet, but the file is read; `decoding` is that of LMs that are not built in."""
        from ..lms import read_lms
        from ..runtime import parse_settings

        self.api_base = options.api_base
        self._settings = parse_settings(options.lm_set or [])
        for name, instead in _GIVEN_OTHERWISE.items():
            if name in self._settings:
                raise InputError(f"--lm-set takes no {name}: {instead}.")
        self._decoding = decoding or {}
        self._described = read_lms(options.lms) if options.lms is not None else {}
        self._address_used = options.api_base is None
        self._served: dict[tuple[str, str, str], None] = {}
        self.greedy: dict[str, None] = {}
        """The names of the LMs opened so far that decode greedily: another seed hardly changes their answers."""

    def open(self, name: str, *, alone: bool = False, on_server: bool = True) -> "dspy.LM":
        """The LM of that name.

        Args:
            name: As on the command line.
            alone: Whether it judges, teaches or writes, so that `--lm-set` does not concern it.
            on_server: Whether it is on the server that was given for all, if it names none of its own.

        Raises:
            InputError: There is no such LM, or it cannot be reached as it was given.
        """
        from ..lms import open_lm
        from ..lms.lm_by_name import runs_here
        from ..lms.own_server import PROVIDER

        found = self.find(name, on_server=on_server)
        options = found.options
        if not alone:
            built_in = runs_here(found.model)
            options = {**({} if built_in else self._decoding), **self._settings, **options}
            if built_in or options.get("temperature") == 0:
                self.greedy[found.model] = None
        lm = open_lm(found.model, api_base=found.api_base, api_key=found.key, **options)
        provider, _, model = lm.model.partition("/")
        if provider == PROVIDER:
            self._served[lm.kwargs["api_base"], model, lm.kwargs["api_key"]] = None
        return lm

    def open_for(self, saved: "SavedProgram | None", given: str | None, step_lm: Several = None) -> "dspy.LM":
        """The LM of a program: the one given, the one that a saved program was compiled for, or `local`.

        A line on the terminal says so where a saved program was compiled for another LM, or asks others for single
        steps. With `step_lm`, those are the only LMs of steps.
        """
        if saved is None:
            return self.open(given or DEFAULT)
        from ..lms.lm_by_name import split_address
        from ..lms.own_server import PROVIDER

        lm = self.open(given or DEFAULT) if given is not None or saved.lm is None else self._compiled_for(saved)
        if note := saved.note_on_other_lm(lm):
            tell_user(note)
        own = {} if step_lm else saved.step_lms
        for step, name in own.items():
            if name.startswith(f"{PROVIDER}/") and split_address(name)[1] is None:
                raise InputError(
                    f"{saved.path} asks {name} for the step {step}, on a server whose address is not stored: "
                    f"give it with --step-lm {step}={name}@http://HOST:PORT/v1."
                )
        if given is not None and (note := saved.note_on_step_lms(own, lm.model)):
            tell_user(note)
        return lm

    def _compiled_for(self, saved: "SavedProgram") -> "dspy.LM":
        if saved.on_own_server and self.api_base is None:
            raise InputError(
                f"{saved.path} was compiled for '{saved.lm}' on a server whose address is not stored: "
                "give it with --api-base, or another LM with --lm."
            )
        try:
            return self.open(saved.lm or DEFAULT)
        except InputError as error:
            message = f"{saved.path} was compiled for '{saved.lm}' (--lm names another one): {error}"
            raise reword(error, message) from None

    def steps(self, pairs: Several) -> dict[str, Any]:
        """The setting `lms` for LMs written as step=LM; nothing where there are none."""
        named = split_pairs(pairs, "the LM of a step is written step=LM")
        return {"lms": {step: self.open(name) for step, name in named.items()}} if named else {}

    def find(self, name: str, *, on_server: bool = True) -> "DescribedLM":
        """The description of the LM: that of the file, else its name and the server that was given for all."""
        from ..lms import DescribedLM
        from ..lms.lm_by_name import runs_here, split_address

        if name in self._described:
            return self._described[name]
        if not on_server:
            return DescribedLM(model=name)
        model, address = split_address(name)
        if address is None and self.api_base is not None and not runs_here(model):
            self._address_used = True
            address = self.api_base
        return DescribedLM(model=model, api_base=address)

    def check_used(self) -> None:
        """Refuse a server's address that concerns none of the LMs that were opened."""
        if not self._address_used:
            raise InputError("--api-base is for LMs that are not built in, and none of those given takes it.")

    def check_served(self, *, kept: Path | None = None) -> None:
        """Refuse, before anything is asked, servers that are down or have other models than those that were named.

        Nothing is checked where all answers may come from what was `kept` before.
        """
        from ..lms.own_server import check_served

        if kept is None or not kept.exists():
            for api_base, model, key in self._served:
                check_served(api_base, model, key)


@dataclass(frozen=True, slots=True)
class LMOfStudy:
    """An LM of a study, opened when a row asks it."""

    name: str
    """The LM, as on the command line."""
    lms: LMs
    """The opener of LMs."""

    @property
    def model(self) -> str:
        """The LM's own name, which a file of LMs may have under another."""
        return self.lms.find(self.name).model

    def __call__(self, questions: "Iterable[Question]", passages: "Iterable[Passage]") -> "dspy.LM":
        """The LM, open; it is one for all question sets."""
        return self.lms.open(self.name)


def study_lms(given: Several, experiment: "Experiment", lms: LMs) -> tuple[LMOfStudy | None, dict[str, LMOfStudy]]:
    """The LM for all rows of a study, written LM, and those written NAME=LM, by what the experiment calls them."""
    names, for_all = experiment.lm_names, [each for each in given or [DEFAULT] if "=" not in each]
    if len(for_all) > 1:
        others = f", such as {names[0]}={for_all[1]}" if names else ""
        raise InputError(f"--lm is given for all rows twice, {for_all[0]} and {for_all[1]}; give one by name{others}.")
    named = split_pairs([each for each in given or () if "=" in each], "an LM by name is written NAME=LM")
    for name in named:
        if name not in names:
            raise unknown(f"LM of {experiment.name}", name, names)
    for name in [*for_all, *named.values()]:
        lms.find(name)  # which says whether --api-base is of use
    by_name = {name: LMOfStudy(lm, lms) for name, lm in named.items()}
    return (LMOfStudy(for_all[0], lms) if for_all else None), by_name


def tell_same_answers(lms: Iterable[str], *, seed: int, repeats: int | None) -> None:
    """Say which LMs will hardly answer otherwise with another seed, where another seed was asked for."""
    names = list(lms)
    if names and (seed or (repeats or 1) > 1):
        whose = " and ".join(names)
        tell_user(f"{whose}: decoded greedily, so that another seed asks anew and is likely to get the same answers.")
