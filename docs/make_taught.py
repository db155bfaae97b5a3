"""Write the digests of the questions that taught the built-in networks, from the files that they learned from.

    python docs/make_taught.py TRAINING.jsonl.gz ...

Run it again with every file whenever networks that ship have learned from one more. It prints how many questions each
file has, and how large what it wrote is.
"""

import gzip
import re
import sys
from pathlib import Path

import ujson

from multihop.encoder.taught import FILE, packed, words_of
from multihop.encoder.weights import BUILT_IN

OFFICIAL = re.compile(r"[0-9a-f]{24}|[0-9a-f]{32}|\dhop\d?__[\d_]+")
"""Ids of HotpotQA, of 2WikiMultiHopQA and of MuSiQue; other files count their questions in their own way."""
MOST = 200_000
"""Bytes of the file."""


def main(files: list[str]) -> None:
    """Write the file, if it is not too large."""
    keys: set[str] = set()
    for name in files:
        with gzip.open(name, "rt", encoding="utf-8") as lines:
            questions = [ujson.loads(line) for line in lines]
        keys.update(words_of(each["question"]) for each in questions)
        keys.update(str(each["id"]) for each in questions if OFFICIAL.fullmatch(str(each["id"])))
        sys.stdout.write(f"{len(questions):>6,}  {Path(name).name}\n")
    content = packed(keys)
    sys.stdout.write(f"{len(keys):,} texts and ids, {len(content):,} bytes\n")
    if not files or len(content) > MOST:
        sys.exit(f"nothing is written: there are no files, or more than {MOST:,} bytes")
    (BUILT_IN / FILE).write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1:])
