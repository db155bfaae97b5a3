"""A ColBERT checkpoint without training: MiniLM's own token vectors, along the directions in which they differ most.

python benchmarks/late_checkpoint.py minilm-late --corpus data/hotpotqa.corpus.jsonl.gz

Needs the extras [colbert] and [train]. It is for tries without a download: a trained checkpoint ranks better.
"""

import argparse
import json
from itertools import islice
from pathlib import Path

DIMENSIONS = 128
SAMPLE = 512
TRAINED = {"dim": DIMENSIONS, "doc_maxlen": 180, "query_maxlen": 32, "mask_punctuation": True}


def write_late_checkpoint(folder, texts):
    """Fill the folder; the directions are those of the tokens of some texts."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModel, AutoTokenizer

    from multihop.training.encoder_folder import minilm

    model, tokenizer = AutoModel.from_pretrained(minilm()).eval(), AutoTokenizer.from_pretrained(minilm())
    width = model.config.hidden_size
    products = torch.zeros(width, width)
    with torch.inference_mode():
        for start in range(0, len(texts), 32):
            batch = tokenizer(
                texts[start : start + 32], padding=True, truncation=True, max_length=180, return_tensors="pt"
            )
            tokens = model(**batch).last_hidden_state[batch["attention_mask"].bool()]
            tokens = torch.nn.functional.normalize(tokens, dim=-1)
            products += tokens.T @ tokens
    axes = torch.linalg.eigh(products).eigenvectors[:, -DIMENSIONS:]
    weights = {f"bert.{name}": value for name, value in model.state_dict().items() if not name.startswith("pooler.")}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(
        {**weights, "linear.weight": axes.T.contiguous()}, folder / "model.safetensors", metadata={"format": "pt"}
    )
    model.config.architectures = ["HF_ColBERT"]
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "artifact.metadata").write_text(json.dumps(TRAINED))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", required=True, help="whose passages decide the directions; no question is read")
    given = parser.parse_args()

    from multihop import open_corpus

    write_late_checkpoint(given.folder, [str(passage) for passage in islice(open_corpus(given.corpus), SAMPLE)])
    print(f"wrote {given.folder}")


if __name__ == "__main__":
    main()
