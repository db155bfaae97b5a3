"""The recipe of weights like the built-in ones: a judge and a reader, from all-MiniLM-L6-v2, in four stages.

python benchmarks/built_in_weights.py weights                  # a day of two cores
python benchmarks/built_in_weights.py trial --lessons 200      # every stage with few lessons, some minutes

The same command goes on where it was killed: a stage that has written its folder is not made again, and one that has
not goes on from its last checkpoint. weights/reader-2 is the encoder; benchmarks/reading.py and benchmarks/dev_sets.py
measure it. The weights in the package were made by a longer recipe, that of commit 6f8d42be. This one has not been run
to its end.
"""

import argparse
from pathlib import Path

from multihop import open_corpus
from multihop.training.mix import make_lessons, open_material

HOPS = ["hotpotqa.train", "2wikimultihopqa.train", "2wikimultihopqa.extra", "musique.train", "musique.extra"]
CORPORA = ["2wikimultihopqa.corpus", "musique.corpus"]
PAGES = ["squad", "squad_unanswerable", "boolq", "nq", "nqswap", "popqa", "timeqa", "redocred_templated"]
PAGES += ["quoref_contrast", "drop_contrast"]
MORE_HOPS = ["hotpotqa_train_gold", "hotpotqa_gold_sentences", "hotpotqa_more", "2wikimultihopqa_more"]
READING = [f"reading/{name}.train" for name in (*PAGES, *MORE_HOPS)]
STAGES = {
    "judge-1": (None, HOPS, 20_000, {"part": "judge", "epochs": 2}),
    "judge-2": ("judge-1", HOPS + READING, 12_000, {"part": "judge", "learning_rate": 1e-4, "keep": 0.5, "seed": 2}),
    "reader-1": ("judge-2", HOPS + READING, 33_000, {"part": "reader", "learning_rate": 2e-4, "seed": 3}),
    "reader-2": ("reader-1", HOPS + READING, 33_000, {"part": "reader", "learning_rate": 2e-4, "keep": 0.5, "seed": 4}),
}
"""For each stage the one before it, the files it learns from, the most lessons, and how it is trained."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("to", type=Path, help="the folder of the stages")
    parser.add_argument("--lessons", type=int, help="of each stage at most, for a trial")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    from multihop.training.trainer import TrainingOptions, train_encoder  # the extra [train]

    given.to.mkdir(parents=True, exist_ok=True)
    pages = [page for name in CORPORA for page in open_corpus(given.shared / f"{name}.jsonl.gz")]
    for name, (start, files, most, chosen) in STAGES.items():
        if (given.to / name).exists():
            continue
        sources = [given.shared / f"{file}.jsonl.gz" for file in files]
        material = open_material(map(str, sources), pages)
        options = TrainingOptions(**chosen, **({"start": str(given.to / start)} if start else {}))
        few = min(most, given.lessons or most)
        lessons = make_lessons(options.part, material, most=few, seed=options.seed)
        print(f"{name}: {len(lessons):,} lessons", flush=True)
        told = [source.name for source in sources] + [f"{name}.jsonl.gz" for name in CORPORA]
        train_encoder(lessons, given.to / name, options, sources=told)


if __name__ == "__main__":
    main()
