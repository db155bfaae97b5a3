"""The conversations that later requests may go on from, each by its last response."""

from collections import OrderedDict
from collections.abc import Sequence

from ....programs import Turn
from ....programs.shared.follow_up import LONGEST, TURNS
from ...refusal import Refusal

_MOST = 4096


class UnknownResponse(Refusal):
    """No conversation is kept by that name."""

    code = "previous_response_not_found"
    param = "previous_response_id"


class KeptTurns:
    """As much of the latest conversations as a program would read of them, in memory."""

    def __init__(self, most: int = _MOST) -> None:
        """Nothing is kept yet.

        Args:
            most: Conversations that are kept; the one that was longest not gone on from is forgotten first.
        """
        self._most = most
        self._kept: OrderedDict[str, tuple[Turn, ...]] = OrderedDict()

    def keep(self, id_: str, turns: Sequence[Turn]) -> None:
        """Keep the last turns of a conversation.

        Args:
            id_: The response that ended it.
            turns: All of its turns, the latest last.
        """
        shortened = [Turn(*(" ".join(text.split())[:LONGEST] for text in turn)) for turn in turns[-TURNS:]]
        self._kept[id_] = tuple(shortened)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def get(self, id_: str | None) -> list[Turn]:
        """The turns up to that response, the latest last; none where none is named.

        Raises:
            UnknownResponse: It is not kept, or not any more.

        Examples:
            >>> from multihop import Turn
            >>> from multihop.serve.web.responses.kept_turns import KeptTurns
            >>> kept = KeptTurns()
            >>> kept.keep("resp_1", [Turn("Who made it?", "Ada.")])
            >>> kept.get("resp_1")
            [Turn(question='Who made it?', answer='Ada.')]
        """
        if id_ is None:
            return []
        if id_ not in self._kept:
            raise UnknownResponse(
                400, f"no response '{id_:.60}' is kept here; send the messages before the question instead."
            )
        self._kept.move_to_end(id_)
        return list(self._kept[id_])
