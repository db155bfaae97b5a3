"""A scripted LM that also tells what it might have written, with probabilities."""

from dataclasses import replace
from math import log

from dspy.lm15 import TokenLogprob, TopLogprob

from multihop.lms import Scripted, as_lm


class Weighed(Scripted):
    """Answers from a list of outputs by name; those given as probabilities are what the LM might write for them."""

    supported_params = ("logprobs", "top_logprobs", "temperature")

    def response(self, request, prompt, reply):
        tokens = list(completion(reply))
        plain = super().response(request, prompt, "".join(written for written, _ in tokens))
        if request.config.logprobs is None:
            return plain
        return replace(plain, logprobs=tuple(token(written, likely) for written, likely in tokens))


def completion(outputs):
    """The tokens of a completion, each with the probabilities at its place; the likeliest is written."""
    for name, value in outputs.items():
        yield f"[[ ## {name} ## ]]\n", {}
        likely = value if isinstance(value, dict) else {str(value): 1.0}
        yield max(likely, key=likely.get), likely
        yield "\n\n", {}
    yield "[[ ## completed ## ]]", {}


def token(written, likely):
    top = tuple(TopLogprob(each, log(probability)) for each, probability in likely.items())
    return TokenLogprob(written, log(likely.get(written, 1.0)), top=top)


def weighed(answers, **options):
    """The LM with these answers."""
    return as_lm(Weighed(answers), "weighed", **options)
