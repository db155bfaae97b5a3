"""Good demonstrations against none, one-sided ones and leaking ones, for an LM that learns from what they say.

The LM is simulated: it knows the gold, errs in three decisions of ten, and less with demonstrations that are right.
This shows that the demonstrations made from gold are right, on the generated world and on the real sets; it says
nothing about any model's quality.

    python benchmarks/few_shot.py
    python benchmarks/few_shot.py --sets world --programs tor --questions 30      # a quick look
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import dspy

from multihop import BM25, World, compare, create, evaluate, open_corpus, open_questions, simulated
from multihop.optimize.prompts.choosing import ExamplePool
from multihop.optimize.prompts.steps import scenes_for, step_examples

SETS = ("world", "hotpotqa", "2wikimultihopqa", "musique")
PROGRAMS = ("tor", "resp", "mzqa")
LEARNED = 100
"""Training questions."""
SHOTS = 3


def material(name, shared, count):
    """The passages to search, the training questions and the dev questions, of real sets from their own files."""
    if name == "world":
        world = World(questions=LEARNED + count)
        questions = list(world.questions())
        return list(world.passages()), questions[:LEARNED], questions[LEARNED:]
    train = list(open_questions(shared / f"{name}.train.jsonl.gz", limit=LEARNED))
    pages = {page.id: page for question in train for page in question.passages}
    pages |= {page.id: page for page in open_corpus(shared / f"{name}.corpus.jsonl.gz")}
    return list(pages.values()), train, list(open_questions(shared / f"{name}.dev.jsonl.gz", limit=count))


def labeled(pool, name):
    """As `labeled-3` chooses them."""
    return pool.choose(SHOTS, seed=0, step=name)


def one_sided(pool, name):
    """Of the most frequent decision alone; none for a step that decides nothing."""
    if len(set(pool.decisions) - pool.optional) < 2:
        return []
    ((decision, _),) = Counter(example.decision for example in pool.examples).most_common(1)
    alike = tuple(example for example in pool.examples if example.decision == decision)
    return ExamplePool(alike, (decision,)).choose(SHOTS, seed=0, step=name)


def leaking(answers, predictor):
    """Those of `labeled-3`, with the final answer in every text; none for a step that gives no text but the answer."""
    outputs = [each for each in predictor.signature.output_fields if each != "answer"]

    def choose(pool, name):
        leaks = []
        for example in labeled(pool, name):
            texts = {each: example[each] for each in outputs if isinstance(example[each], str)}
            told = {each: f"{text} So the answer is {answers[example.question]}." for each, text in texts.items()}
            leaks += [example.copy(**told)] if told else []
        return leaks

    return choose


def taught(program, pools, choose):
    """A copy of the program with the demonstrations that `choose` takes from each step's examples."""
    copy = program.deepcopy()
    for name, predictor in copy.named_predictors():
        predictor.demos = choose(predictor)(pools[name], name)
    return copy


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="names, separated by commas")
    parser.add_argument("--questions", type=int, default=100, help="dev questions of each set, from its start")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    print(f"F1, and its paired difference to no demonstrations; {given.questions} dev questions of each set")
    for name in given.sets.split(","):
        pages, train, dev = material(name, given.shared, given.questions)
        retriever = BM25.build(pages, titles=name != "musique")
        lm = simulated([*train, *dev], pages, error_rate=0.3, known=0.0, learns=0.8)
        answers = {question.question: question.answer for question in train}
        kinds = {
            "labeled-3": lambda predictor: labeled,
            "one-sided": lambda predictor: one_sided,
            "leaking": lambda predictor, answers=answers: leaking(answers, predictor),
        }
        for method in given.programs.split(","):
            program = create(method, retriever)
            pools = step_examples(program, scenes_for(program, train))
            with tempfile.TemporaryDirectory() as scratch, dspy.context(lm=lm):
                folders = {label: Path(scratch) / label for label in ("zero-shot", *kinds)}
                zero = evaluate(program, dev, out=folders["zero-shot"], progress=False).summary["metrics"]["f1"]["mean"]
                print(f"{name:16} {method:5} zero-shot  {100 * zero:5.1f}")
                for label, choose in kinds.items():
                    run = evaluate(taught(program, pools, choose), dev, out=folders[label], progress=False)
                    change = compare(folders["zero-shot"], folders[label]).metrics["f1"].change
                    print(
                        f"{'':16} {'':5} {label:10} {100 * run.summary['metrics']['f1']['mean']:5.1f}  "
                        f"{100 * change.mean:+.1f} [{100 * change.low:+.1f}, {100 * change.high:+.1f}]",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
