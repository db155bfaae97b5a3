"""The calls of a run, one by one, where some are made at once and may reach whoever answers in any order."""


class AtOnce(tuple):
    """Calls made at once, each of them whole."""

    def __new__(cls, *calls):
        return super().__new__(cls, calls)


class InTurn(list):
    """Calls one after the other, and where an `AtOnce` is among them, those it holds in any order.

    It equals a list of as many calls: those at once at the places of their group, all others at their own.
    """

    def __init__(self, *calls):
        self.groups = [call if isinstance(call, AtOnce) else AtOnce(call) for call in calls]
        super().__init__(call for group in self.groups for call in group)

    def __eq__(self, made):
        left = list(made)
        for group in self.groups:
            here, left = left[: len(group)], left[len(group) :]
            for call in group:
                if call not in here:
                    return False
                here.remove(call)
        return not left

    def __ne__(self, made):
        return not self == made
