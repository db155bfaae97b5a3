"""The LMs that a command names: built in, a provider's, on a server of one's own, or described in a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError

if TYPE_CHECKING:
    import dspy

    from ...lms import DescribedLM

_GIVEN_OTHERWISE = {
    "api_key": "a key stays in the environment; name its variable as key_env in a file for --lms",
    "api_base": "the server is named with --api-base, or behind the model as MODEL@ADDRESS",
    "base_url": "the server is named with --api-base, or behind the model as MODEL@ADDRESS",
    "name": "the LM is named with --lm",
    "model": "the LM is named with --lm",
}


class LMs:
    """Opens LMs by the names that a command is given.

    Where a parameter is given twice, what the file says of the one LM counts before what `--lm-set` and `--temperature`
    say of all.
    """

    def __init__(
        self,
        *,
        api_base: str | None = None,
        lm_set: list[str] | None = None,
        temperature: float | None = None,
        structured: str = "auto",
        decoding: Mapping[str, Any] | None = None,
        file: Path | None = None,
    ) -> None:
        """Nothing is opened yet, but the file is read.

        Args:
            api_base: The server of those that name none of their own.
            lm_set: Parameters as name=value.
            temperature: The temperature of those that are not built in.
            structured: The form in which those that are not built in are asked for their answers.
            decoding: Parameters for those that are not built in, where nothing else says otherwise.
            file: Describes LMs under names.

        Raises:
            InputError: The file cannot be used, the temperature is given twice, or a parameter is none of these.
        """
        from ...lms import read_lms
        from ...runtime import parse_settings

        self.api_base = api_base
        self._settings = parse_settings(lm_set or [])
        for name, instead in _GIVEN_OTHERWISE.items():
            if name in self._settings:
                raise InputError(f"--lm-set takes no {name}: {instead}.")
        if temperature is not None and "temperature" in self._settings:
            raise InputError("the temperature is given with --temperature and with --lm-set; give it once.")
        given = {"temperature": temperature, "structured": None if structured == "auto" else structured}
        self._not_built_in = {name: value for name, value in given.items() if value is not None}
        self._decoding = decoding or {}
        self._described = read_lms(file) if file is not None else {}
        self.greedy: dict[str, None] = {}
        """The names of the LMs opened so far that decode greedily: another seed hardly changes their answers."""
        self._served: dict[tuple[str, str, str], None] = {}
        """The models on servers of one's own that were opened so far: each with its address and its key."""
        self._unused = {f"--{name}" for name in self._not_built_in} | (
            {"--api-base"} if api_base is not None else set()
        )

    def open(self, name: str) -> "dspy.LM":
        """The LM of that name, as on the command line.

        Raises:
            InputError: There is no such LM, or it cannot be reached as it was given.
        """
        from ...lms.hosted import runs_here

        self.expect(name)
        found = self._find(name)
        options = {**self._settings, **found.options}
        if not runs_here(found.model):
            options = {**self._decoding, **self._settings, **self._not_built_in, **found.options}
        if runs_here(found.model) or options.get("temperature") == 0:
            self.greedy[found.model] = None
        return self._open(found, options)

    def open_alone(self, name: str | None, *, on_server: bool = True) -> "dspy.LM | None":
        """An LM that judges, teaches or writes, which `--lm-set` and `--temperature` do not concern; None without a
        name.

        Args:
            name: As on the command line.
            on_server: Whether it is on the server that was given for all, if it names none of its own.

        Raises:
            InputError: There is no such LM, or it cannot be reached as it was given.
        """
        from ...lms import DescribedLM

        if name is None:
            return None
        found = self._find(name) if on_server or name in self._described else DescribedLM(model=name)
        return self._open(found, found.options)

    def model_of(self, name: str) -> str:
        """The model that is asked under a name."""
        return self._find(name).model

    def expect(self, name: str) -> None:
        """Note that this LM will be opened later, and so which options are of use."""
        from ...lms.hosted import runs_here

        if not runs_here(self._find(name).model):
            self._unused -= {"--temperature", "--structured"}

    def check_used(self) -> None:
        """Refuse options that concern none of the LMs that were opened.

        Raises:
            InputError: One does; the message names it.
        """
        for option in sorted(self._unused):
            raise InputError(f"{option} is for LMs that are not built in, and none of those given takes it.")

    def check_served(self, *, kept: Path | None = None) -> None:
        """Refuse, before anything is asked, servers that are down or have other models than those that were named.

        Args:
            kept: A file or folder of what was answered before, if all of it may come from there.

        Raises:
            InputError: A server is one of these.
        """
        from ...lms.own_server import check_served

        if kept is None or not kept.exists():
            for api_base, model, key in self._served:
                check_served(api_base, model, key)

    def _open(self, found: "DescribedLM", options: Mapping[str, Any]) -> "dspy.LM":
        from ...lms import open_lm
        from ...lms.own_server import PROVIDER

        lm = open_lm(found.model, api_base=found.api_base, api_key=found.key, **options)
        provider, _, model = lm.model.partition("/")
        if provider == PROVIDER:
            self._served[lm.kwargs["api_base"], model, lm.kwargs["api_key"]] = None
        return lm

    def _find(self, name: str) -> "DescribedLM":
        """The description of the LM: that of the file, else its name and the server that was given for all."""
        from ...lms import DescribedLM
        from ...lms.hosted import runs_here, split_address

        if name in self._described:
            return self._described[name]
        model, address = split_address(name)
        if address is None and self.api_base is not None and not runs_here(model):
            self._unused.discard("--api-base")
            address = self.api_base
        return DescribedLM(model=model, api_base=address)
