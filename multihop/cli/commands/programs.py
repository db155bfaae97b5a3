"""`multihop programs`: every program with its paper, what it costs and what can be set; or one of them explained."""

from ..options.single import AsJSON


def programs_command(name: str | None = None, /, *, json: AsJSON = False) -> None:
    """List the programs, or explain one and its settings.

    For example:

        multihop programs
        multihop programs tor
        multihop programs --json

    Parameters
    ----------
    name
        A program's name, also of an installed package, or MODULE:CLASS of your own.
    """
    from ...base.terminal import Terminal
    from ..help.program_list import list_programs, show_programs
    from ..showing.output import print_json

    if name is None:
        listed = list_programs()
        if json:
            print_json(listed.programs)
        else:
            show_programs(listed, Terminal())
        return
    from ...programs import program_named
    from ..help.explaining import explain_program, show_explained
    from ..opening.this_process import importable_from_here

    importable_from_here(name)
    explained = explain_program(name, program_named(name))
    if json:
        print_json(explained)
    else:
        show_explained(explained, Terminal())
