"""A listener of DSPy's callbacks, for tests of what is told."""

from dspy import Retrieve
from dspy.utils.callback import BaseCallback
from dspy.utils.callback_context import ACTIVE_CALL_ID


class Ear(BaseCallback):
    """Keeps what it hears: events by their names, and of each module its inputs, outputs and what it was within."""

    def __init__(self):
        self.events, self.heard = [], {}

    def on_module_start(self, call_id, instance, inputs):
        self.events.append(type(instance).__name__)
        self.heard[call_id] = {
            "name": type(instance).__name__,
            "retriever": isinstance(instance, Retrieve),
            "inputs": inputs.get("kwargs", {}),
            "within": ACTIVE_CALL_ID.get(),
        }

    def on_module_end(self, call_id, outputs, exception=None):
        self.heard[call_id] |= {"outputs": outputs, "exception": exception}

    def on_lm_start(self, call_id, instance, inputs):
        self.events.append("asks")

    def on_lm_end(self, call_id, outputs, exception=None):
        self.events.append("answers")

    def on_adapter_format_start(self, call_id, instance, inputs):
        self.events.append("formats")

    def on_adapter_parse_end(self, call_id, outputs, exception=None):
        self.events.append("parses" if exception is None else "fails to parse")

    def pairs(self):
        """The name of each module after that of the one that it was within."""
        return [(self.heard.get(each["within"], {}).get("name"), each["name"]) for each in self.heard.values()]
