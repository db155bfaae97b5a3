"""An LM that reviews the paths of a tree as a test says, by the names of their pages."""

import shelf
from shelf import GARBAGE, by_field, inputs

from multihop import TreeOfReviews


def names(given):
    """The path that a prompt shows: "a d"."""
    return " ".join(shown.partition(" | ")[0].lower() for shown in given["path"])


def reviewing(verdicts, queries=None):
    """An LM that finds each path "no", "more", GARBAGE, or enough for the analysis that it gives."""

    def review(given):
        verdict = verdicts.get(names(given), "no")
        enough = verdict not in ("no", "more")
        said = {"relevant": verdict != "no", "enough": enough, "analysis": verdict if enough else ""}
        return GARBAGE if verdict == GARBAGE else {**said, "query": "" if enough else query_after(given, "")}

    def query_after(given, unsaid):
        return (queries or {}).get(names(given), unsaid)

    def complete(given):
        return {"information": query_after(given, f"missing after {names(given)}"), "likely_answer": "…"}

    return by_field(relevant=review, information=complete, answer="read")


def run(found, lm, program=TreeOfReviews, **settings):
    return shelf.run(program(found, **settings), lm)


def reviewed(prompts):
    return [names(given) for given in inputs(prompts, "relevant")]
