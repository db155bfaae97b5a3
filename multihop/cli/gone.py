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
OPTIONS = {
    "compile --objective": "optimizers aim at F1; give dspy.GEPA(metric=...) in Python any metric of your own.",
    "compile --provider --train-set": "fine-tune with dspy.BetterTogether or `multihop clone`.",
    "clone --lm": "run the program with `evaluate --lm LM --out RUN`, and learn from it with --from RUN.",
    "clone --best": "it learns from every path, as the paper does, or with --only-right from those to right answers.",
    "clone --model": "`evaluate PROGRAM --set cloned=STEP --lm STEP=MODEL` asks a model that was trained already.",
    "clone --provider": "openai/MODEL is trained at OpenAI, every other model here; other services take the chat file.",
    "train --world --teacher-lm --described --composed": "files of questions are learned from as they are.",
    "train --replay --per-paragraph": "--lessons draws from all lessons together.",
    "train --as-is": "--hold-back 0.05 measures a training while it goes on, and keeps its best state.",
    "train --precision": "weights are multiplied in bytes, as the built-in ones are.",
    "train --keep --mean-with": "--hold-back 0.05 keeps a training's best state; a lower --learning-rate changes less.",
    "--pooling --similarity": "the encoder's own files say it; save it with sentence-transformers as it shall be used.",
    "--otel": "trace with DSPy's own tools, MLflow or OpenInference; docs/guide/application.md shows how.",
    "--approximate": "a query is compared with every vector; with the extra [faiss] 100,000 take about 16 ms.",
    "--grounds --abstain-below": "answers have no confidence; in Python, multihop.cite(question, prediction) cites.",
    "--exact-is-right": "the judge is asked about every answer.",
    "serve --follow-up": "a question is answered as it stands where no earlier turns are sent with it.",
    "serve --patience --max-bytes": "a request has at most 1 MiB, and 30 seconds to come and to end.",
    "--processes --workers": "--concurrency asks many questions at once; evaluate --ray local answers on all cores.",
    "--trust": "a saved program's file names no place; give the corpus with --corpus and LMs with --lm.",
    "index --rerank": "a hybrid index finds less with it; --rerank-with takes a ColBERT checkpoint.",
    "index --ray": "one machine builds an index; --to opensearch:... for more than one holds.",
    "--temperature --structured --timeout": "--lm-set does it: temperature=T, structured=schema, timeout=SECONDS.",
    "--api-base": "write the server's address behind the LM, as --lm server/NAME@http://HOST:PORT/v1.",
    "--step-lm": "--lm takes the LM of a step too, as --lm STEP=LM.",
    "--actors": "every CPU of the cluster answers; `ray start --head --num-cpus N` starts one of N.",
    "--offset": "give a file with the questions that are to be asked (-q); --sample draws some of them.",
    "ask evaluate show --demos": "compile --demos FILE --variants given --to PROGRAM.json writes the program.",
    "--prices": "a file for --lms has the price of each LM, as price = {input = DOLLARS, output = DOLLARS}.",
    "reproduce --rules": "copy the table (experiment.toml) and write rules under its question sets.",
    "--sha256": "check the file with `sha256sum -c` before, or load it in Python with load(file, sha256=DIGEST).",
    "--config": "write the command with its options into a shell script; the run's run.json keeps what was asked.",
    "--budget-tokens --budget-seconds": "--budget-calls bounds a question; Python has Budget(tokens=N, seconds=S).",
    "show --input": "what is not the question stands in the messages by its name.",
    "--sample-seed": "--sample draws the same questions everywhere; in Python, evaluate(sample_seed=) draws others.",
    "evaluate --max-errors": "a run stops by itself where the first ten questions, or twenty in a row, fail alike.",
}
"""The sentence for options that are gone; if only some commands lost them, their names stand before."""


def refuse_what_is_gone(arguments: Sequence[str]) -> None:
    """Raise `InputError` with the sentence of the first command or option in these arguments that is gone."""
    if not arguments:
        return
    for command in (arguments[0], " ".join(arguments[:2])):
        if command in COMMANDS:
            raise InputError(f"'{command}' is gone: {COMMANDS[command]} (docs/versions.md)")
    for argument in arguments[1:]:
        option = argument.partition("=")[0].replace("--no-", "--", 1)
        for names, sentence in OPTIONS.items():
            lost = names.split()
            if option[:2] == "--" and option in lost and (names.startswith("--") or arguments[0] in lost):
                raise InputError(f"{option} is gone: {sentence} (docs/versions.md)")
