"""The beginnings of trainings in tests: a tiny transformer, and the lessons of a few questions."""

import pytest
from little_lessons import PAGES, QUESTIONS
from tokenizers import BertWordPieceTokenizer

from multihop.training.lessons import make_lessons


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A transformer of two small layers that knows two thousand word pieces, in a folder as hubs lay them out."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = BertWordPieceTokenizer()
    tokenizer.train_from_iterator([page.text for page in PAGES], vocab_size=2000)
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
    )
    made.save_pretrained(folder)
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    torch.manual_seed(0)
    transformers.BertModel(transformers.BertConfig(vocab_size=2000, **shape)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def lessons():
    return make_lessons("judge", QUESTIONS[:8], PAGES)
