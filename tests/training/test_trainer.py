"""Trainings from lessons to folders; they need the extra [train], and are skipped where PyTorch is not installed."""

import json
from itertools import count

import pytest
from little_lessons import PAGES, QUESTIONS
from tokenizers import BertWordPieceTokenizer, Tokenizer

from multihop.__main__ import main
from multihop.base import InputError, MismatchError
from multihop.data import write_questions
from multihop.encoder import Encoder, Pages, Pair
from multihop.encoder.encoder import _run
from multihop.encoder.layout import layout
from multihop.training.gold_ways import LabelledPassage, Lesson
from multihop.training.lessons import make_lessons

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from multihop.training import trainer  # noqa: E402
from multihop.training.encoder_folder import Beginning  # noqa: E402
from multihop.training.network import IGNORED, collate  # noqa: E402
from multihop.training.trainer import LessonTrainer, TrainingOptions, losses_of, train_encoder, verdicts_on  # noqa: E402

pytestmark = pytest.mark.extra("train")

PAIRS = [
    Pair("Who directed the film?", "A film | The film was directed by someone."),
    Pair("Where was she born?", "A village | It lies by a river.", ("She | She was born there.",)),
    Pair("Where?", "word " * 400),
]
FILES = ("judge.onnx", "reader.onnx", "labeler.onnx", "filter.onnx", "embed.onnx")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A transformer of two small layers that knows two thousand word pieces, in a folder as hubs lay them out."""
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


def trained(start, lessons, folder, *, held_back=(), sources=(), **options):
    told = TrainingOptions(start=str(start), **options)
    train_encoder(lessons, folder, told, held_back=held_back, sources=sources, quiet=True)
    return Encoder(folder)


def parts_of(encoder):
    return {name: (encoder.folder / name).read_bytes() for name in FILES if (encoder.folder / name).exists()}


def loss_on(encoder, lessons):
    network, tokenizer = Beginning.open(str(encoder.folder)).network("judge")
    batch = collate(lessons, tokenizer)
    with torch.inference_mode():
        return float(sum(losses_of(*verdicts_on(network.eval(), network.word_vectors(), batch), batch).values()))


class Killed(Exception):
    pass


@pytest.fixture
def stops(monkeypatch):
    """A function by which the next training breaks off at its nth batch; it returns the number of batches so far."""

    def break_off(at=None):
        taken = count(1)

        def collated(*given):
            if next(taken) == at:
                raise Killed
            return collate(*given)

        monkeypatch.setattr(trainer, "collate", collated)
        return lambda: next(taken) - 1

    monkeypatch.setattr(trainer, "SAVE_EVERY", 2)
    return break_off


@pytest.mark.parametrize("part", ["judge", "filter"])
def test_a_training_that_was_killed_goes_on_and_ends_in_the_same_network(tiny, tmp_path, stops, part):
    lessons = make_lessons(part, QUESTIONS, PAGES[:60])[: 6 * trainer.BATCH[part]]
    options = {"part": part, "epochs": 2, "seed": 3}
    stops()
    whole = trained(tiny, lessons, tmp_path / "whole", **options)
    for at in (5, 4):  # after the second of twelve steps, and again after the fourth
        stops(at)
        with pytest.raises(Killed):
            trained(tiny, lessons, tmp_path / "killed", **options)
    with pytest.raises(MismatchError, match="holds another training"):
        trained(tiny, lessons[1:], tmp_path / "killed", **options)
    (tmp_path / "killed.training" / "checkpoint-99").mkdir()  # killed while it was written
    batches = stops()
    resumed = trained(tiny, lessons, tmp_path / "killed", **options)
    assert batches() < 12
    assert parts_of(resumed) == parts_of(whole)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed", "whole"]
    assert parts_of(trained(tiny, lessons, tmp_path / "other", **options | {"seed": 4})) != parts_of(whole)


def test_what_onnx_says_is_what_pytorch_says_and_the_losses_have_fallen(tiny, lessons, tmp_path):
    first = trained(tiny, lessons[:4], tmp_path / "first")
    encoder = trained(first.folder, lessons[:12], tmp_path / "encoder", epochs=8, learning_rate=2e-3)
    assert loss_on(encoder, lessons[:12]) < 0.7 * loss_on(first, lessons[:12])
    network, tokenizer = Beginning.open(str(encoder.folder)).network("judge")
    vectors = network.eval().word_vectors()
    windows = [window for windows in layout(tokenizer, PAIRS) for window in windows]
    assert len(windows) == 4
    for window, (pooled, tokens) in zip(windows, _run(encoder._judge, windows), strict=True):
        ids = torch.tensor([window.ids])
        types = (torch.arange(ids.shape[1]) >= window.first).long()[None]
        with torch.inference_mode():
            expected = network(torch.nn.functional.embedding(ids, vectors), types)
        assert pooled == pytest.approx(expected[0][0].numpy(), abs=0.15)  # PyTorch rounds no states
        assert tokens[: len(window.ids)] == pytest.approx(expected[1][0].numpy(), abs=0.15)


def test_each_part_begins_as_the_judge_and_learns_apart_and_the_card_says_so(tiny, tmp_path):
    encoder = trained(tiny, make_lessons("labeler", QUESTIONS[:2], PAGES), tmp_path / "labeler", part="labeler")
    assert parts_of(encoder).keys() == {"judge.onnx", "labeler.onnx", "embed.onnx"}
    assert encoder.manifest["trained"] == ["labeler"]
    assert encoder.embed(["a river"]).shape == (1, 64)
    for part in ("reader", "filter"):
        made = make_lessons(part, QUESTIONS[:8], PAGES, most=40)
        options = {"part": part, "learning_rate": 2e-3, "sources": [f"{part}.jsonl"]}
        further = trained(encoder.folder, made, tmp_path / part, **options)
        before, after = parts_of(encoder), parts_of(further)
        assert after.keys() - before.keys() == {f"{part}.onnx"}
        assert {name: after[name] for name in before} == before
        assert after[f"{part}.onnx"] not in before.values()
        assert further.fingerprint != encoder.fingerprint
        encoder = further
    assert encoder.manifest["trained"] == ["filter", "labeler", "reader"]
    assert encoder.manifest["start"] == str(tiny)
    assert encoder.label(PAIRS) != encoder.judge(PAIRS)
    assert encoder.read([Pages("Where?", ("A | One.", "B | Two."))])[0].helpful
    card = (encoder.folder / "CARD.md").read_text()
    assert "\n- reader.jsonl, in an earlier training\n- filter.jsonl\n" in card
    assert "trained are `filter.onnx`, `labeler.onnx`, `reader.onnx`." in card


def test_with_lessons_held_back_the_best_state_is_kept_and_a_training_that_gets_worse_ends(
    tiny, lessons, tmp_path, stops, monkeypatch
):
    """The losses of the lessons held back are given, so that no rounding decides when the training ends."""
    told, loss_of, states, kept = [3.0, 2.0, 2.5, 2.25, 2.0], LessonTrainer.compute_loss, {}, {}

    def compute_loss(self, network, inputs, return_outputs=False, **more):
        result, step = loss_of(self, network, inputs, return_outputs, **more), self.state.global_step
        if network.training:
            return result
        states.setdefault(step, {name: value.clone() for name, value in network.state_dict().items()})
        return torch.tensor(told[step // 5 - 1]), result[1]

    monkeypatch.setattr(LessonTrainer, "compute_loss", compute_loss)
    monkeypatch.setattr(Beginning, "write", lambda self, folder, network, *more: kept.update(network.state_dict()))
    batches, options = stops(), TrainingOptions(start=str(tiny), epochs=10)
    train_encoder(lessons[:20], tmp_path / "e", options, held_back=lessons[40:60], quiet=True)
    assert batches() == 25 + 5 * 5  # of fifty steps; each fifth is followed by a measurement with five batches
    assert [all(torch.equal(kept[name], value) for name, value in each.items()) for each in states.values()] == [
        step == 10 for step in (5, 10, 15, 20, 25)
    ]


def test_inputs_say_the_same_in_parts_as_in_one_padded_batch(tiny, lessons):
    network, tokenizer = Beginning.open(str(tiny)).network("judge")
    vectors, batch = network.eval().word_vectors(), collate(lessons[:4], tokenizer)
    assert len(batch.ids) > trainer.ABREAST
    with torch.inference_mode():
        pooled, tokens = verdicts_on(network, vectors, batch)
        whole = network(torch.nn.functional.embedding(batch.ids, vectors), batch.types, batch.mask)
    assert torch.allclose(pooled, whole[0], atol=1e-5)
    assert torch.allclose(tokens[batch.mask.bool()], whole[1][batch.mask.bool()], atol=1e-5)


def test_targets_point_at_the_answer_and_the_marks(tiny):
    text = "The Po | The Po is in Italy."
    answered = LabelledPassage(Pair("Where is the Po?", text), True, enough=True, useful=((22, 27),), answer=(22, 27))
    wrong = LabelledPassage(Pair("Where is the Po?", "The Ebro | It is in Spain."), False)
    tokenizer = Encoder.load()._tokenizer
    batch = collate([Lesson((answered, wrong)), Lesson((wrong,))], tokenizer)
    assert (batch.group.tolist(), batch.answer.tolist()) == ([0, 0, 1], [1, 0, 0])
    assert batch.verdicts.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0]]
    start, end = batch.start[0], batch.end[0]
    assert tokenizer.decode(batch.ids[0][start : end + 1].tolist()) == "italy"
    assert batch.useful[0].tolist().index(1) == start
    assert batch.types[0, start] == 1
    assert (batch.start[1:] == IGNORED).all()
    assert (batch.useful[1:] == IGNORED).all()


def test_of_pages_read_together_every_word_is_told_by_whether_its_page_helps():
    text, tokenizer = "aa bb [SEP] cc dd", Encoder.load()._tokenizer
    given = [
        LabelledPassage(Pair("Who?", text), True, helpful=((12, 17),)),
        LabelledPassage(Pair("Who?", text), False, helpful=()),
        LabelledPassage(Pair("Who?", text), False),
    ]
    told = [collate([Lesson((each,))], tokenizer).useful[0].tolist() for each in given]
    assert [[value for value in row if value != IGNORED] for row in told] == [[0, 0, 0, 1, 1], [0] * 5, []]


BLANK = (IGNORED, IGNORED, IGNORED)
ALL = {"useful", "kept", "ranking", "verdicts", "answer", "span"}


@pytest.mark.parametrize(
    ("part", "verdicts", "losses"),
    [
        ("judge", {(0, 0, 0), (1, 1, 0), (1, 0, 1), BLANK}, ALL),
        ("labeler", {(0, 0, 0), (1, 1, 0)}, ALL - {"span"}),
        ("filter", {BLANK}, {"useful", "kept"}),
        (None, {(0, 0, 0)}, ALL - {"span"}),  # where nothing is right
    ],
)
def test_each_part_has_the_targets_and_the_losses_of_what_it_learns(tiny, part, verdicts, losses):
    network, tokenizer = Beginning.open(str(tiny)).network("judge")
    nothing_right = [Lesson((LabelledPassage(pair, False),)) for pair in PAIRS[:2]]
    batch = collate(make_lessons(part, QUESTIONS[:8], PAGES) if part else nothing_right, tokenizer)
    assert {tuple(each) for each in batch.verdicts.tolist()} == verdicts
    with torch.inference_mode():
        told = losses_of(*verdicts_on(network, network.word_vectors(), batch), batch)
    assert told.keys() == losses
    if part:
        assert (told["kept"] > 0) == (part != "labeler")
    else:
        assert told["ranking"] == 0.0
        assert 0 < told["verdicts"] < 2


def test_what_is_no_beginning_is_refused(tiny, lessons, tmp_path):
    with pytest.raises(InputError, match="is no transformer to start from"):
        trained(tmp_path, lessons[:1], tmp_path / "e")
    assert list(tmp_path.iterdir()) == []
    first = trained(tiny, lessons[:4], tmp_path / "first")
    manifest = json.loads((first.folder / "encoder.json").read_text())
    manifest["start"] = "sentence-transformers/all-MiniLM-L6-v2"
    (first.folder / "encoder.json").write_text(json.dumps(manifest))
    with pytest.raises(MismatchError, match="of another shape than the transformer|has no weights for"):
        trained(first.folder, lessons[:1], tmp_path / "e")


def test_the_command_trains_and_prints_what_it_wrote_alone(tiny, tmp_path, capsys):
    write_questions(tmp_path / "mine.jsonl", QUESTIONS[:8])
    places = [tmp_path / "mine.jsonl", "--corpus", "little", "--start", tiny, "--to", tmp_path / "e"]
    assert main(["train", *map(str, places), "--part", "labeler", "--hold-back", "0.2", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["folder"] == str(tmp_path / "e")
    assert "from 8 questions" in said.err
    assert "eval_loss" in said.err
    assert Encoder(tmp_path / "e").label(PAIRS[:1])
    assert "from\n\n- mine.jsonl\n- little\n" in (tmp_path / "e" / "CARD.md").read_text()
    assert Tokenizer.from_file(str(tmp_path / "e" / "tokenizer.json"))
