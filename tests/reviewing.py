"""A shelf of pages, and an LM that reviews paths of them as a test says."""

import dspy

from multihop import TreeOfReviews, scripted
from multihop.retrieval import Hit, Passage

PAGES = {name: Passage(name, f"Title {name}", f"text of {name}") for name in ("a", "b", "c", "d", "e", "x", "y")}


class Shelf:
    """Returns the pages that its script names for a query, and remembers what it was asked."""

    def __init__(self, **found):
        self.found, self.asked = found, []

    def search(self, queries, k):
        self.asked += [(query, k) for query in queries]
        return [
            [Hit(PAGES[name], 1.0) for name in self.found.get(query, "").split("|") if name][:k] for query in queries
        ]


def ids(prompt):
    return [shown.split(" | ")[0].removeprefix("Title ") for shown in prompt.inputs["path"]]


def reviewing(verdicts, queries=None):
    """An LM that reviews each path by its pages: "no", "more", or the analysis if it is enough."""

    def reply(prompt):
        outputs = {field.name for field in prompt.output_fields}
        thought = {"reasoning": "…"} if "reasoning" in outputs else {}
        if "information" in outputs:
            information = (queries or {}).get(" ".join(ids(prompt)), f"missing after {' '.join(ids(prompt))}")
            answer = {"likely_answer": "…"} if "likely_answer" in outputs else {}
            return {**thought, "information": information, **answer}
        if "relevant" not in outputs:
            return {**thought, "answer": "read"}
        verdict = verdicts.get(" ".join(ids(prompt)), "no")
        if verdict == "garbage":
            return "no fields at all"
        said = {"relevant": verdict != "no", "enough": verdict not in ("no", "more")}
        said["analysis"] = verdict if said["enough"] else ""
        if "query" in outputs:
            said["query"] = "" if said["enough"] else (queries or {}).get(" ".join(ids(prompt)), "")
        return {**thought, **said}

    return scripted(reply)


def run(shelf, lm, program=TreeOfReviews, **settings):
    with dspy.context(lm=lm, trace=[]):
        prediction = program(shelf, **settings)(question="q")
        learned = [inputs for _, inputs, _ in dspy.settings.trace]
    return prediction, lm.engine.prompts, learned


def reviewed(prompts):
    return [" ".join(ids(prompt)) for prompt in prompts if any(f.name == "relevant" for f in prompt.output_fields)]


def tree(prediction):
    return next(step["tree"] for step in prediction.trajectory if step["step"] == "tree")
