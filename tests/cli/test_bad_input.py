"""Whatever a command cannot use is refused in one sentence, with exit code 2, before anything is asked or written."""

import gzip
import shlex
from importlib.util import find_spec

import pytest
import ujson
from hub_server import HubServer
from small_corpus import ROWS

FILES = {
    "corpus.jsonl": "".join(f"{ujson.dumps(row)}\n" for row in ROWS).encode(),
    "malformed.jsonl": b'{"id": "1", "title": "a", "text": "b"}\n{"id": \n',
    "no_text.jsonl": b'{"id": "1", "title": "a", "prose": "b"}\n',
    "empty.jsonl": b"",
    "broken.jsonl": b'{"id": "1", "title": "a", "text": "\xff\xfe"}\n',
    "nul.jsonl": b'{"id": "1", "title": "a", "text": "x\\u0000y"}\n',
    "questions.jsonl": b'{"question": "Who wrote Emma?", "answer": "Jane Austen"}\n',
    "twice.jsonl": b'{"id": "1", "text": "b"}\n{"id": "1", "text": "c"}\n',
    "torn.jsonl.gz": gzip.compress(b'{"id": "1", "text": "b"}\n' * 1000)[:60],
    "own.csv": b"text\nThe Po is a river.\n",
    "prices.toml": b'[own]\nmodel = "server/m"\nprice = {input = -1, output = 1}\n',
}
REFUSED = {
    "a corpus": [
        ("ask Who? -c missing.jsonl", "missing.jsonl"),
        ("ask Who? -c malformed.jsonl", "line 2"),
        ("ask Who? -c no_text.jsonl", "text"),
        ("ask Who? -c empty.jsonl", "empty"),
        ("ask Who? -c broken.jsonl", "UTF-8"),
        ("ask Who? -c nul.jsonl", "NUL"),
        ("ask Who? -c twice.jsonl", "twice"),
        ("ask Who? -c torn.jsonl.gz", "torn.jsonl.gz"),
        ("ask Who? -c folder", "without a file that can be read"),
        ("ask Who? -c https://here.org/corpus.jsonl", "download the file first"),
        ("ask Who? -c no_text.jsonl --field text=words", "the fields are id, title, prose"),
        ("ask Who? -c malformed.jsonl --field txt=body", "did you mean 'text'"),
        ("ask Who? -c malformed.jsonl --field text", "name=field"),
    ],
    "a question": [
        ("ask ''", "empty"),
        (["ask", "x" * 1_000_000], "1,000,000 characters"),
        (["ask", "a\0b"], "NUL"),
        (["ask", "a\udcffb"], "UTF-8"),
        ("ask", "QUESTION"),
    ],
    "a command or an option": [
        ("nonsense", "nonsense"),
        ("ask Who? --colour red", "--colour"),
        ("programs tor mzqa", "'mzqa' is more than programs takes"),
        ("index corpus.jsonl --to index --similarity dot", "--similarity"),
    ],
    "a program": [
        ("evaluate one-step,tro --out run -q little", "unknown program 'tro'; did you mean 'tor'?"),
        ("evaluate one-step,one-step --out run -q little", "two programs are named 'one-step'"),
        ("evaluate one-step,tor --out run -q little --repeats 2", "--repeats is for one program"),
        ("programs tro", "did you mean 'tor'? Valid: cor, cot, "),
        ("ask Who? -p one_step", "did you mean 'one-step'"),
        ("ask Who? --set kk=3", "did you mean 'k'"),
        ("ask Who? --set k=0", "greater than or equal to 1"),
        ("ask Who? --set k", "name=value"),
        ("ask Who? -p resp --preset tor/table-10", "unknown preset 'tor/table-10'; did you mean 'tor/table-1'? V"),
        ("ask Who? -p resp --preset tor/table-1", "not of 'resp'; presets that fit: resp/paper."),
        ("ask Who? -p hf://ada/films", "hf://ada/films is no file: download it with huggingface_hub.hf_hub_download"),
        ("show resp --prompt jugde", "unknown step of 'resp' 'jugde'; did you mean 'judge'?"),
        ("show resp --question Who?", "name it with --prompt STEP"),
        ("show none.json", "none.json cannot be read"),
    ],
    "an LM": [
        ("ask Who? --lm openai/gpt-4o-mini", "OPENAI_API_KEY"),
        ("ask Who? --lm gibberish", "gibberish"),
        ("ask Who? --lm server/m@http://127.0.0.1:9/v1", "no server answers at http://127.0.0.1:9/v1 ("),
        ("ask Who? --lm local --lm read=local --lm openai/m", "for all twice, local and openai/m; give one by name"),
        ("ask Who? --lm-set api_key=sk-1", "--lm-set takes no api_key: a key stays in the environment; name its "),
        ("ask Who? --lm-set api-base=http://h/v1", "the server is named behind the model, as --lm MODEL@ADDRESS"),
        ("ask Who? --lm-set model=m", "--lm-set takes no model: the LM is named with --lm"),
        ("ask Who? --lms prices.toml", "prices.toml: server/m.input: input should be greater than or equal to 0; a pr"),
    ],
    "a run": [
        ("evaluate one-step --out run -q questions.jsonl", "give --corpus"),
        ("evaluate one-step --out run -q little --rules squad", "hotpotqa"),
        ("evaluate one-step --out empty.jsonl -q little", "empty.jsonl"),
        ("evaluate one-step --out run -c own.csv", "own.csv is searched, and no questions are given: name them with"),
        ("reproduce resp-table-1 --weights hotpotqa=x", "no row of resp-table-1 takes weights of its own"),
        ("reproduce efficientrag-table-6 --weights hotpot=x", "did you mean 'hotpotqa'"),
        ("compare", "compare takes the folders of 2 to 26 runs, not of 0."),
        ("compare folder folder", "not a run"),
        ("compare folder folder --to table.html", "unknown ending of a table's file '.html'. Valid: .csv, .json, .tex"),
        ("view", "give the folder of a run, such as: multihop view runs/first"),
        ("view folder", "folder is not a run: it has no run.json."),
        ("view nosuch.json", "nosuch.json does not exist."),
        ("ask Who is it", "'is it' is more than ask takes; put a question of several words into quotes."),
        ("ask Who? -k 3", "Unknown option: -k; a program's k is set with --set k=N."),
        ("view folder folder --of curve --to k.svg", "a curve is drawn of one study, the folder of `multihop reprod"),
    ],
    "what is learned from": [
        ("compile one-step --to p.json --train questions.jsonl --dev little", "two sources; give --corpus"),
        ("compile one-step --to p.json -c own.csv", "no questions are given: name them with --train FILE"),
        ("compile one-step --to p.json --dev little:dev", "nothing to learn from: name training questions with --"),
        ("clone mzqa --from-gold --out run --train questions.jsonl", "give --corpus"),
        ("clone mzqa --from-gold --out run -c own.csv", "no questions are given: name them with -q FILE"),
        ("clone mzqa --out run", "from a finished run (multihop evaluate ... --out RUN"),
        ("train --to encoder", "there is nothing to learn from: name files of training questions"),
    ],
    "an index": [
        ("index folder --to index", "text also .gz; documents: .md, "),
        ("index malformed.jsonl --to index --retriever dense", "line 2"),
        ("index corpus.jsonl --to index --one-vector", "a bm25 index takes no --one-vector; it takes --k1, --b."),
        ("index corpus.jsonl --to index --retriever dense --k1 1", "it takes --encoder, --query-prefix, --passage-"),
        ("index corpus.jsonl --to index --retriever dense --query-prefix q", "the built-in encoder takes no prefix"),
        ("index corpus.jsonl --to index --retriever colbert --bits 3", 'Invalid value "3" for --bits'),
        ("index corpus.jsonl --to http://h/wiki", "http://h/wiki can only be searched; --to takes a folder or ope"),
        ("index corpus.jsonl --to opensearch:http://h/wiki --one-vector", "an opensearch index takes no --one-vector"),
        ("index corpus.jsonl --to opensearch:http://h/wiki --retriever colbert", "by bm25, not by colbert, which"),
        ("index remove index", "name the ids of passages after the index."),
        ("index add folder corpus.jsonl", "folder is not an index"),
        ("index add http://h corpus.jsonl", "http://h takes no changes: only folders of kind bm25, dense and hybri"),
        ("index serve corpus.jsonl --retriever denes", "unknown retriever 'denes'"),
    ],
    "what is served": [
        ("serve onestep", "unknown program 'onestep'; did you mean 'one-step'?"),
        ("serve one-step one-step -c corpus.jsonl --lm local", "two programs are called 'one-step'"),
        ("serve one-step -c corpus.jsonl --token-env NOWHERE", "--token-env names NOWHERE, which is not set"),
        ("serve direct --examples nosuch.jsonl", "nosuch.jsonl"),
        ("mcp direct --token-env KEY", "--token-env is for --http; standard input and output need no key."),
    ],
    "a question set": [
        ("data get", 'Command "data get" parameter NAME requires an argument'),
        ("data get hotpot --to a", "unknown question set 'hotpot'; did you mean 'hotpotqa'? Valid: 2wiki"),
        ("data get hotpotqa --to a --split test", "unknown split of hotpotqa 'test'. Valid: dev, train"),
        ("data get hotpotqa --to .", "holds other files and no set.json; give --to an empty folder"),
        ("data get hotpotqa --to a --from nowhere", "nowhere is not a folder"),
        ("data get bamboogle --to a", "the hub has no data set chiayewken/bamboogle."),
        ("data get hotpotqa --to a --json", "Unknown option: --json"),
        ("data get little --to a", "little comes with the library; give --questions little and --corpus little"),
        ("data list hotpotqa", "'hotpotqa' is more than data takes"),
        ("data put hotpotqa", "'put hotpotqa' is more than data takes"),
    ],
    "a number": [
        ("compile one-step --train little --to x --train-limit=-3", "for --train-limit. Must be >= 1."),
        ("compile one-step --train little --to x --max-calls 0", "for --max-calls. Must be >= 1."),
        ("clone tor --out x --limit 0", "for --limit. Must be >= 1."),
        ("evaluate one-step --out x --budget-calls=-1", "for --budget-calls. Must be >= 0."),
        ("evaluate one-step --out x --repeats 0", "for --repeats. Must be >= 1."),
        ("ask why --skip-bad=-1", "for --skip-bad. Must be >= 0."),
        ("train q.jsonl --to x --learning-rate 0", "for --learning-rate. Must be > 0."),
        ("serve one-step --port 70000", "for --port. Must be <= 65535."),
        ("serve one-step --seconds 0", "for --seconds. Must be > 0."),
        ("index serve little --max-k 0", "for --max-k. Must be >= 1."),
    ],
    "the demo": [
        ("demo --to .", "which no demo made; give another folder with --to."),
        ("demo --to empty.jsonl", "empty.jsonl is a file; give a folder with --to."),
    ],
}
LATE = "index corpus.jsonl --to index --retriever colbert"
if find_spec("colbert") is not None:
    REFUSED["an index"] += [
        (LATE, "a ColBERT index needs a checkpoint and a folder"),
        (f"{LATE} --k1 1", "a colbert index takes no --k1; it takes --checkpoint, --bits."),
        (f"{LATE} --checkpoint folder", "folder is no ColBERT checkpoint: it has no artifact.metadata"),
        ("ask Who? -c corpus.jsonl --rerank-with nowhere", "nowhere holds no checkpoint"),
    ]


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_gets_one_sentence_and_exit_code_2_and_leaves_nothing(what, run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with HubServer(tmp_path / "hub") as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        for given, word in REFUSED[what]:
            code, out, err = run(*(shlex.split(given) if isinstance(given, str) else given))
            assert (code, out) == (2, ""), (given, out, err)
            assert err.startswith("multihop: ")
            assert err.count("\n") == 1, err
            assert word in " ".join(err.split()), (given, err)
            assert not {"Traceback", "sk-1"} & set(err.split())
    assert sorted(tmp_path.rglob("*")) == before
