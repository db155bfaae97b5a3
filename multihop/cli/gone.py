"""Commands and options that earlier versions had, each with what does its work now."""

from collections.abc import Sequence

from ..base import InputError

COMMANDS: dict[str, str] = {
    "adapt": "it changed recall@5 by 0.0 to 0.8 points on five sets; an index is searched as it was built.",
    "exam": "write ten questions of your own into a CSV file (question,answer) and give it with -q.",
    "diagnose": "evaluate one-step with --lm local; its recall@k is what one retrieval finds, before an LM is paid.",
    "world": "the little encyclopedia comes with the library (-q little -c little); real sets come with `data get`.",
    "push": "a saved program is one JSON file; upload it with huggingface_hub.upload_file, or send it as it is.",
    "pull": "download a program's file with huggingface_hub.hf_hub_download and give the file.",
    "calibrate": "answers have no confidence; multihop.cite(question, prediction) says which sentences bear an answer.",
    "choose": "docs/guide/evaluate.md has its table: the method to begin with, by LM and question set.",
    "sweep": "run `evaluate --set NAME=VALUE` for each value, then `compare`; docs/figures.md has the loop.",
    "lms": "ask a server what it has with `curl HOST:PORT/v1/models`.",
    "watch": "the run writes its own progress line; `tail -f RUN/questions.jsonl` shows each question as it is done.",
    "export": "in Python, multihop.evaluation.write_trec(run, folder) writes run.trec and qrels.trec.",
    "plot": "`view RUNS --to FILE.svg` (or .png, .pdf) draws them, with --of, --metric and --cost.",
    "serve-index": "it is `index serve` now, with the same options.",
    "index compact": "an index that changes is written anew, so there is nothing to compact.",
}
"""The sentence for each command that is gone."""
OPTIONS: dict[str, str] = {
    "compile --objective": "optimizers aim at F1; give dspy.GEPA(metric=...) in Python any metric of your own.",
    "compile --provider": "fine-tune with dspy.BetterTogether or `multihop clone`.",
    "compile --train-set": "fine-tune with dspy.BetterTogether or `multihop clone`.",
    "clone --lm": "run the program with `evaluate --lm LM --out RUN`, and learn from it with --from RUN.",
    "clone --best": "it learns from every path, as the paper does, or with --only-right from those to right answers.",
    "clone --model": "`evaluate PROGRAM --set cloned=STEP --lm STEP=MODEL` asks a model that was trained already.",
    "clone --provider": "openai/MODEL is trained at OpenAI, every other model here; other services take the chat file.",
    "train --world": "name files of training questions; a generated world is no longer learned from.",
    "train --teacher-lm": "labels follow from gold; let an LM write sub-questions into the file (`decomposition`).",
    "train --described": "questions are learned from as they are; name more files of them.",
    "train --composed": "questions are learned from as they are; MuSiQue's have two to four hops.",
    "train --replay": "--lessons draws from all lessons together.",
    "train --per-paragraph": "--lessons draws from all lessons together.",
    "train --as-is": "--hold-back 0.05 measures a training while it goes on, and keeps its best state.",
    "train --precision": "weights are multiplied in bytes, as the built-in ones are.",
    "train --mean-with": "--keep makes the mean of a part before and after its training.",
    "--pooling": "the encoder's own files say it; save it with sentence-transformers as it shall be used.",
    "--similarity": "the encoder's own files say it; save it with sentence-transformers as it shall be used.",
    "--otel": "trace with DSPy's own tools, MLflow or OpenInference; docs/guide/application.md shows how.",
    "--approximate": "a query is compared with every vector; with the extra [faiss] 100,000 take about 16 ms.",
    "--grounds": "`ask` and `serve` cite without it; in Python, multihop.cite(question, prediction).",
    "--abstain-below": "answers have no confidence to hold against it, and a program's own refusal stays as it is.",
    "--exact-is-right": "the judge is asked about every answer.",
    "serve --follow-up": "a question is answered as it stands where no earlier turns are sent with it.",
    "--patience": "a request's head must be whole, and at the end what is under way be done, within 30 seconds.",
    "serve --max-bytes": "a request has at most 1 MiB.",
    "--processes": "--concurrency asks many questions at once; evaluate --ray local answers on all cores.",
    "--trust": "a saved program's file names no place; give the corpus with --corpus and LMs with --lm.",
    "--workers": "--concurrency asks many questions at once; evaluate --ray local answers on all cores.",
    "index --rerank": "a hybrid index finds less with it; --rerank-with takes a ColBERT checkpoint.",
    "index --ray": "one machine builds an index; --to opensearch:... for more than one holds.",
    "--temperature": "--lm-set temperature=T does its work.",
    "--structured": "--lm-set structured=schema (json, text) does its work.",
    "--api-base": "write the server's address behind the LM, as --lm server/NAME@http://HOST:PORT/v1.",
    "--step-lm": "--lm takes the LM of a step too, as --lm STEP=LM.",
    "--actors": "every CPU of the cluster answers; `ray start --head --num-cpus N` starts one of N.",
    "--offset": "give a file with the questions that are to be asked (-q); --sample draws some of them.",
    "--timeout": "--lm-set timeout=SECONDS bounds each call; in Python, evaluate(timeout=) bounds a question.",
    **dict.fromkeys(
        ("ask --demos", "evaluate --demos", "show --demos"),
        "compile --demos FILE --variants given --to PROGRAM.json writes the program that shows them.",
    ),
    "--prices": "a file for --lms has the price of each LM, as price = {input = DOLLARS, output = DOLLARS}.",
    "reproduce --rules": "copy the table (experiment.toml) and write rules under its question sets.",
    "--sha256": "check the file with `sha256sum -c` before, or load it in Python with load(file, sha256=DIGEST).",
    "--config": "write the command with its options into a shell script; the run's run.json keeps what was asked.",
    "--budget-tokens": "--budget-calls bounds a question; in Python, budget=Budget(tokens=N) does.",
    "--budget-seconds": "--budget-calls bounds a question; in Python, budget=Budget(seconds=S) does.",
    "show --input": "what is not the question stands in the messages by its name.",
    "--sample-seed": "--sample draws the same questions everywhere; in Python, evaluate(sample_seed=) draws others.",
    "evaluate --max-errors": "a run stops by itself where the first ten questions, or twenty in a row, fail alike.",
}
"""The sentence for each option that is gone, under "--option" or, if only one command lost it, "command --option"."""


def refuse_what_is_gone(arguments: Sequence[str]) -> None:
    """Raise `InputError` with the sentence of the first command or option in these arguments that is gone."""
    if not arguments:
        return
    for command in (arguments[0], " ".join(arguments[:2])):
        if command in COMMANDS:
            raise InputError(f"'{command}' is gone: {COMMANDS[command]} (docs/versions.md)")
    for argument in arguments[1:]:
        option = argument.partition("=")[0].replace("--no-", "--", 1)
        sentence = OPTIONS.get(option) or OPTIONS.get(f"{arguments[0]} {option}")
        if sentence is not None:
            raise InputError(f"{option} is gone: {sentence} (docs/versions.md)")
