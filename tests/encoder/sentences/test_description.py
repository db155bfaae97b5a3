import json

import pytest
from tiny_sentences import modules

from multihop.base import DamagedFileError, InputError
from multihop.encoder.sentences.description import Description, read_description

ALL = modules("Transformer", "Pooling", "Normalize")
BARE = Description("mean", "cosine", "", "", 512, False, "")


def read(folder, given=None, **files):
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_description(folder, **(given or {}))


def modes(**on):
    names = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
    return {"word_embedding_dimension": 8, **{f"pooling_mode_{name}": on.get(name, False) for name in names}}


def test_a_bare_folder(tmp_path):
    assert read(tmp_path) == BARE


def test_contriever_compares_by_the_product(tmp_path):
    config = {"architectures": ["Contriever"], "max_position_embeddings": 512}
    assert read(tmp_path, config=config) == BARE._replace(similarity="dot")


@pytest.mark.parametrize(
    ("config", "pooling"),
    [
        (modes(cls_token=True), "cls"),
        (modes(mean_tokens=True), "mean"),
        (modes(max_tokens=True), "max"),
        (modes(lasttoken=True), "last"),
        ({"embedding_dimension": 8, "pooling_mode": "lasttoken", "include_prompt": True}, "last"),
        ({"pooling_mode": ["cls"]}, "cls"),
    ],
)
def test_how_tokens_are_pooled(tmp_path, config, pooling):
    assert read(tmp_path, modules=ALL, **{"1_Pooling__config": config}).pooling == pooling
    assert read(tmp_path, {"pooling": "max"}).pooling == "max"


@pytest.mark.parametrize(
    ("parts", "named", "similarity"),
    [
        (ALL, None, "cosine"),
        (ALL, "dot", "cosine"),
        (ALL[:2], None, "cosine"),
        (ALL[:2], "dot", "dot"),
        (ALL[:2], "cosine", "cosine"),
    ],
)
def test_how_vectors_are_compared(tmp_path, parts, named, similarity):
    files = {"modules": parts, "1_Pooling__config": modes(cls_token=True)}
    assert read(tmp_path, **files, config_sentence_transformers={"similarity_fn_name": named}).similarity == similarity
    assert read(tmp_path, {"similarity": "dot"}).similarity == "dot"


@pytest.mark.parametrize(
    ("settings", "prefixes"),
    [
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, ("query: ", "passage: ")),
        ({"prompts": {"query": "q ", "document": "d ", "passage": "p "}}, ("q ", "d ")),
        ({"prompts": {"query": "q "}}, ("q ", "")),
        ({"prompts": {"all": "x "}, "default_prompt_name": "all"}, ("x ", "x ")),
        ({"prompts": {"all": "x "}, "default_prompt_name": None}, ("", "")),
        ({"prompts": {}}, ("", "")),
    ],
)
def test_what_is_put_before_texts(tmp_path, settings, prefixes):
    said = read(tmp_path, config_sentence_transformers=settings)
    assert (said.query_prefix, said.passage_prefix) == prefixes
    other = read(tmp_path, {"query_prefix": "", "passage_prefix": "mine "})
    assert (other.query_prefix, other.passage_prefix) == ("", "mine ")


@pytest.mark.parametrize(
    ("files", "window"),
    [
        ({"sentence_bert_config": {"max_seq_length": 128}, "config": {"max_position_embeddings": 512}}, 128),
        ({"config": {"max_position_embeddings": 514, "model_type": "xlm-roberta"}}, 512),
        ({"config": {"max_position_embeddings": 8192}, "tokenizer_config": {"model_max_length": 10**30}}, 8192),
        ({"config": {"max_position_embeddings": 512}, "tokenizer_config": {"model_max_length": 256}}, 256),
        ({"sentence_bert_config": {"max_seq_length": None}}, 512),
    ],
)
def test_how_much_is_read(tmp_path, files, window):
    assert read(tmp_path, **files).window == window


def test_the_transformer_may_have_a_folder_of_its_own(tmp_path):
    parts = [{**ALL[0], "path": "0_Transformer"}, ALL[1]]
    lower = {"max_seq_length": 64, "do_lower_case": True}
    files = {"0_Transformer__sentence_bert_config": lower, "1_Pooling__config": modes(mean_tokens=True)}
    assert read(tmp_path, modules=parts, **files) == BARE._replace(
        window=64, lower_case=True, transformer="0_Transformer"
    )


def test_layers_behind_the_pooling(tmp_path):
    parts = modules("Transformer", "Pooling", "Dense", "Dense", "Normalize")
    parts[3]["path"] = "3_Dense"
    told = read(tmp_path, modules=parts, **{"1_Pooling__config": modes(cls_token=True)})
    assert told == BARE._replace(pooling="cls", layers=("2_Dense", "3_Dense"))


@pytest.mark.parametrize(
    ("files", "error", "said"),
    [
        (
            {"modules": modules("Transformer", "Pooling", "WeightedLayerPooling")},
            InputError,
            "a part that is not run here, WeightedLayerPooling;",
        ),
        (
            {"modules": modules("Transformer", "Pooling", "Normalize", "Dense")},
            InputError,
            "in an order that is not run here, Transformer, Pooling, Normalize, Dense; it can be Transformer, Pooling,",
        ),
        ({"modules": ALL, "1_Pooling__config": modes(mean_sqrt_len_tokens=True)}, InputError, "mean_sqrt_len_tokens"),
        (
            {"modules": ALL, "1_Pooling__config": modes(cls_token=True, mean_tokens=True)},
            InputError,
            "cls_token and mean",
        ),
        ({"modules": ALL}, InputError, "pools by nothing"),
        (
            {"modules": ALL, "1_Pooling__config": {**modes(cls_token=True), "include_prompt": False}},
            InputError,
            "leaves its prompt out",
        ),
        ({"modules": {}}, DamagedFileError, "modules.json is not a list of modules."),
        ({"modules": "x"}, DamagedFileError, "modules.json is not JSON"),
        ({"config": []}, DamagedFileError, "config.json is not a JSON object."),
    ],
)
def test_what_cannot_be_run_is_named(tmp_path, files, error, said):
    with pytest.raises(error, match=said):
        read(tmp_path, **files)


@pytest.mark.parametrize("given", [{"pooling": "meen"}, {"similarity": "cos"}])
def test_names_nobody_knows(tmp_path, given):
    with pytest.raises(InputError, match=f"unknown {next(iter(given))}"):
        read(tmp_path, given)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"config_sentence_transformers": {"prompts": ["query: "]}}, "the prompts in .* are not texts by name"),
        ({"config_sentence_transformers": {"prompts": {"query": 5}}}, "the prompts in .* are not texts by name"),
        ({"config": {"max_position_embeddings": "many"}}, "has no number as max_position_embeddings, but 'many'"),
        ({"sentence_bert_config": {"max_seq_length": [512]}}, r"has no number as length of a text, but \[512\]"),
        ({"tokenizer_config": {"model_max_length": "512"}}, "has no number as length of a text, but '512'"),
    ],
)
def test_values_of_another_kind_are_damage(tmp_path, files, reason):
    with pytest.raises(DamagedFileError, match=reason):
        read(tmp_path, **files)


def test_names_of_another_kind_are_unknown_names(tmp_path):
    files = {"config": {"model_type": ["bert"]}, "config_sentence_transformers": {"default_prompt_name": ["query"]}}
    assert read(tmp_path, **files) == BARE
    assert read(tmp_path, config={"architectures": 5}) == BARE
    with pytest.raises(InputError, match=r"pools by \['cls'\], which is not done here"):
        read(tmp_path, modules=ALL, **{"1_Pooling__config": {"pooling_mode": [["cls"]]}})
