"""`multihop lms`: the LMs that this machine can ask now."""

from typing import Annotated

from cyclopts import Parameter

from ..options.single import AsJSON


def lms_command(
    *,
    api_base: Annotated[list[str] | None, Parameter(negative=())] = None,
    json: AsJSON = False,
) -> None:
    """List the LMs that this machine can ask now.

    These are servers that answer, and providers with a key.

    For example:

        multihop lms
        multihop lms --api-base http://10.0.0.5:8000/v1

    Parameters
    ----------
    api_base
        A server to ask beside those on this machine's usual ports; may be given more than once.
    """
    from dataclasses import asdict

    from ...lms.own_server import check_address
    from ...lms.usable import find_usable
    from ..showing.output import print_json
    from ..showing.usable_lms import show_usable

    for address in api_base or ():
        check_address(address)
    found = find_usable(addresses=api_base or ())
    if json:
        print_json(asdict(found))
        return
    from ...base.terminal import Terminal

    show_usable(found, Terminal())
