"""The options that say which LMs are asked and how, and the opening of LMs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..base import InputError
from .data_options import split_pairs
from .process import tell_user
from .shared_options import Several

if TYPE_CHECKING:
    import dspy

    from ..data import Question
    from ..lms import DescribedLM
    from ..optimize.artefact import SavedProgram
    from ..retrieval import Passage

DEFAULT = "local"
LM_HELP = (
    '"local" (built in: an extractive reader of 33 M parameters, taught on parts of the public sets; no key, no '
    "network), any model DSPy can reach, "
    "NAME@ADDRESS on a server that speaks as OpenAI's does (server/qwen3-8b@http://HOST:8000/v1), or a name of --lms; "
    'by default "local", or what the saved program was compiled for.'
)
LMName = Annotated[str | None, Parameter(help=LM_HELP)]
_GIVEN_OTHERWISE = {
    "api_key": "a key stays in the environment; name its variable as key_env in a file for --lms",
    "api_base": "the server is named behind the model, as --lm MODEL@ADDRESS",
    "base_url": "the server is named behind the model, as --lm MODEL@ADDRESS",
    "name": "the LM is named with --lm",
    "model": "the LM is named with --lm",
}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LMOptions:
    """Options for all LMs of a command, whichever they are."""

    lms: Path | None = None
    """A TOML file that describes LMs, each under a name to be used wherever an LM is named: model, api_base, key_env
    (the environment variable with the key), price (of a million tokens, as {input = DOLLARS, output = DOLLARS}; by
    default that which comes with DSPy), temperature and other parameters."""
    lm_set: Several = None
    """A parameter of the LM as name=value, such as temperature=0 or structured=schema (in which form it is asked:
    "schema", JSON that it is held to, "json" or "text"); may be given more than once."""


@dataclass(frozen=True, kw_only=True)
class ProgramLMOptions(LMOptions):
    """The LM of a program, those of single steps, and how they are reached."""

    lm: Annotated[
        Several, Parameter(help=f"{LM_HELP} As STEP=LM, the LM of one step; may be given more than once.")
    ] = None


class LMs:
    """Opens LMs by name, and knows those it opened; what the file says of one counts before `--lm-set`, of all."""

    def __init__(self, options: LMOptions, decoding: Mapping[str, Any] | None = None) -> None:
        """Nothing is opened yet, but the file is read; `decoding` is that of LMs that are not built in."""
        from ..lms import read_lms
        from ..runtime import PriceList, parse_settings

        self._settings = parse_settings(options.lm_set or [])
        for name, instead in _GIVEN_OTHERWISE.items():
            if name in self._settings:
                raise InputError(f"--lm-set takes no {name}: {instead}.")
        self._decoding = decoding or {}
        self._described = read_lms(options.lms) if options.lms is not None else {}
        prices = {each.priced_model: each.price for each in self._described.values() if each.price is not None}
        self.prices = PriceList(prices, where=str(options.lms))
        """The prices that the file has, before those that come with DSPy."""
        self._served: dict[tuple[str, str, str], None] = {}
        self.greedy: dict[str, None] = {}
        """The names of the LMs opened so far that decode greedily: another seed hardly changes their answers."""

    def open(self, name: str, *, alone: bool = False) -> "dspy.LM":
        """The LM of that name; `--lm-set` does not concern one that is `alone`: it judges, teaches or writes."""
        from ..lms import open_lm
        from ..lms.lm_by_name import runs_here
        from ..lms.own_server import PROVIDER

        found = self.find(name)
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

    def open_all(self, saved: "SavedProgram | None", given: Several) -> "tuple[dspy.LM, dict[str, Any]]":
        """The LM of a program, the one given, the one that a saved one was compiled for, or `local`; and its `lms`.

        A line on the terminal says so where a saved program was compiled for another LM, or asks others for single
        steps. LMs given as STEP=LM are the only ones of steps; without, the LM given must be the one that steps ask on
        a server of one's own, where some do.
        """
        for_all, steps = split_lms(given)
        if saved is None:
            return self.open(for_all or DEFAULT), self._of_steps(steps)
        served = {} if steps else saved.served
        if served and for_all is None:
            raise InputError(saved.note_on_server())
        lm = self.open(for_all or DEFAULT) if for_all is not None or saved.lm is None else self._compiled_for(saved)
        if any(name != lm.model for name in served.values()):
            raise InputError(saved.note_on_server())
        if note := saved.note_on_other_lm(lm):
            tell_user(note)
        if for_all is not None and not steps and (note := saved.note_on_step_lms(lm)):
            tell_user(note)
        return lm, {"lms": saved.step_lms | dict.fromkeys(served, lm)} if served else self._of_steps(steps)

    def _of_steps(self, names: Mapping[str, str]) -> dict[str, Any]:
        return {"lms": {step: self.open(name) for step, name in names.items()}} if names else {}

    def _compiled_for(self, saved: "SavedProgram") -> "dspy.LM":
        if saved.about.get("own server") is True:
            raise InputError(
                f"{saved.path} was compiled for '{saved.lm}' on a server whose address is not stored: "
                f"give it with --lm {saved.lm}@http://HOST:PORT/v1, or name another LM."
            )
        try:
            return self.open(saved.lm or DEFAULT)
        except InputError as error:
            message = f"{saved.path} was compiled for '{saved.lm}' (--lm names another one): {error}"
            raise type(error)(message) from None

    def find(self, name: str) -> "DescribedLM":
        """The description of the LM: that of the file, else its name and its server."""
        from ..lms import DescribedLM
        from ..lms.lm_by_name import split_address

        if name in self._described:
            return self._described[name]
        model, address = split_address(name)
        return DescribedLM(model=model, api_base=address)

    def check_served(self, *, kept: Path | None = None) -> None:
        """Refuse servers that are down or lack a model, unless all answers may come from what was `kept` before."""
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


def split_lms(given: Several) -> tuple[str | None, dict[str, str]]:
    """The LM for all steps or rows, if one is given, and those written NAME=LM, by their names."""
    named = [each for each in given or () if re.match("[^/@=]+=", each)]  # there is a "=" in queries too
    for_all = [each for each in given or () if each not in named]
    if len(for_all) > 1:
        raise InputError(
            f"--lm is given for all twice, {for_all[0]} and {for_all[1]}; give one by name, as NAME={for_all[1]}."
        )
    return next(iter(for_all), None), split_pairs(named, "an LM by name is written NAME=LM")


def tell_same_answers(lms: Iterable[str], *, seed: int, repeats: int | None) -> None:
    """Say which LMs will hardly answer otherwise with another seed, where another seed was asked for."""
    names = list(lms)
    if names and (seed or (repeats or 1) > 1):
        whose = " and ".join(names)
        tell_user(f"{whose}: decoded greedily, so that another seed asks anew and is likely to get the same answers.")
