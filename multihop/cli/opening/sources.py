"""Programs as commands open them: by name or file, with `--step-lm` and `--set`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .inputs import Inputs, split_pairs, tell_user
from .this_process import importable_from_here

if TYPE_CHECKING:
    import dspy

    from ...optimize.artefact import SavedProgram
    from ...retrieval import Retriever
    from ...runtime import Program


def open_step_lms(pairs: list[str] | None, open_lm: Callable[[str], "dspy.LM"]) -> dict[str, Any]:
    """The setting `lms` for LMs written as step=LM; nothing where there are none."""
    named = split_pairs(pairs, "the LM of a step is written step=LM")
    return {"lms": {step: open_lm(name) for step, name in named.items()}} if named else {}


def is_artefact(program: str) -> bool:
    """True if this is a saved program's file rather than a program's name; one on a hub is refused when it is read."""
    return program.endswith(".json") or program.startswith("hf://") or Path(program).is_file()


def corpus_to_search(program: str, saved: "SavedProgram | None", inputs: Inputs, *, needed: bool = False) -> str:
    """The corpus that a run of the program searches: the one given, the one a saved program names, or what fits the
    questions.

    A program that does not retrieve needs none, unless `needed` says that something else does.

    Raises:
        InputError: The one that a saved program names is not there, or is no path.
    """
    from ...data.little.little import LITTLE
    from ...programs import program_named

    importable_from_here(program)
    if inputs.corpus is None and saved is not None:
        return LITTLE if inputs.needs_no_corpus and not needed else saved.corpus or LITTLE
    if not (needed or inputs.corpus or saved is not None or program_named(program).retrieves):
        return LITTLE
    return inputs.corpus_to_search(needed=needed)


def open_program(
    name: str,
    corpus: str,
    settings: list[str] | None,
    inputs: Inputs | None,
    *,
    saved: "SavedProgram | None" = None,
    preset: str | None = None,
    allow: list[str] | None = None,
    demos: Path | None = None,
    concurrency: int | None = None,
    **limits: Any,
) -> "Program":
    """The program by name, or the saved one that was read, with its settings as written on the command line.

    With a `preset`, those of a paper's table are below them; a line on the terminal says what else the paper has.
    A saved program searches the corpus it names unless another, or another retriever, was given. `allow` names the
    modules from which the class of a saved program may be imported. With `demos`, the program shows the demonstrations
    of that file. Without inputs it searches nothing: it is there to be looked at.
    """
    from ...programs import create, program_named
    from ...runtime import Budget, check_setting, parse_settings, settings_of

    def retriever() -> "Retriever":
        from ...retrieval import as_retriever

        return as_retriever(_finds_nothing) if inputs is None else inputs.retriever(corpus)

    values = {**parse_settings(settings or []), **{name: limit for name, limit in limits.items() if limit != Budget()}}
    if saved is not None:
        from ...optimize.loading import class_of, rebuild

        importable_from_here(*(f"{module}:allowed" for module in allow or ()))
        kind = class_of(name, saved.block, None, allow or ())
        values = preset_settings(preset, kind.name) | values | _accepted_settings(kind, concurrency=concurrency)
        searching = retriever() if inputs is None or inputs.says_what_searches else None
        for note in saved.notes(values):
            tell_user(note)
        program = rebuild(saved, searching, settings=values, allow=allow or ())
    else:
        importable_from_here(name)
        kind = program_named(name)
        values = preset_settings(preset, kind.name) | values | _accepted_settings(kind, concurrency=concurrency)
        for setting, value in values.items():  # before the corpus is opened, which may take long
            check_setting(name, setting, value, settings_of(kind))
        program = create(name, retriever() if kind.retrieves else None, **values)
    if demos is None:
        return program
    from ...optimize import with_demonstrations

    return with_demonstrations(program, demos)


def preset_settings(name: str | None, program: str) -> dict[str, Any]:
    """The settings of the preset for the program; a line on the terminal says what else its paper has.

    Raises:
        InputError: There is no such preset, or it does not have the program.
    """
    if name is None:
        return {}
    from ...programs.presets import open_preset, preset_for

    preset, part = open_preset(name), preset_for(name, program)
    shows = f"{part.shots.value} demonstrations a step" if part.shots.value else "no demonstrations"
    others = [text for each in (preset.lm, preset.retriever, preset.corpus) if (text := each.value)]
    tell_user(f"{name}: settings and decoding are the paper's; besides, it shows {shows}, and has {', '.join(others)}.")
    return part.values()


def _finds_nothing(query: str, k: int) -> list[str]:
    return []


def _accepted_settings(program: "type[Program]", **settings: Any) -> dict[str, Any]:
    """The settings that the program takes of those that every command chooses; a program of one's own may have none."""
    from ...runtime import settings_of

    return {name: value for name, value in settings.items() if value is not None and name in settings_of(program)}
