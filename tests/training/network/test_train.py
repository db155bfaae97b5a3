"""The training side: it needs the extra [train], and is skipped where PyTorch is not installed."""

import random
import subprocess
import sys

import numpy as np
import pytest
from little_lessons import PAGES, QUESTIONS
from tokenizers import Tokenizer

from multihop.base import InputError, MismatchError
from multihop.data import write_questions
from multihop.encoder import Encoder, Pages, Pair
from multihop.encoder.encoder import _run
from multihop.encoder.layout import layout
from multihop.encoder.weights import READER
from multihop.training.encoder_training import train_encoder, write_checkpoint
from multihop.training.lessons.lesson import LabelledPassage, Lesson
from multihop.training.mix import Material, make_lessons

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from multihop.training.network.batches import IGNORED, batches  # noqa: E402
from multihop.training.network.checkpoint import CHECKPOINT, note_training  # noqa: E402
from multihop.training.network.network import Network, in_bytes  # noqa: E402
from multihop.training.network.restore import restore  # noqa: E402
from multihop.training.network.steps import ABREAST  # noqa: E402
from multihop.training.network.train import train_network, verdicts_on  # noqa: E402
from multihop.training.trainee import Trainee  # noqa: E402


def trained(tiny, lessons, folder, **options):
    train_encoder(lessons, folder, start=str(tiny), **options)
    return Encoder(folder)


PAIRS = [
    Pair("Who directed the film?", "A film | The film was directed by someone."),
    Pair("Where was she born?", "A village | It lies by a river.", ("She | She was born there.",)),
    Pair("Where?", "word " * 400),
]


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 1e-4), ("int8", 0.15)])
def test_what_onnx_says_is_what_pytorch_says(tiny, lessons, tmp_path, precision, tolerance):
    encoder = trained(tiny, lessons[:40], tmp_path / "encoder", precision=precision)
    torch.manual_seed(0)
    network = Network.start(str(tiny))  # the same training again, kept in PyTorch
    vectors = network.word_vectors()
    train_network(
        network, vectors, encoder._tokenizer, lessons[:40], tmp_path / "again", learning_rate=1.5e-4, epochs=1
    )
    windows = [window for windows in layout(encoder._tokenizer, PAIRS) for window in windows]
    for window, (pooled, tokens) in zip(windows, _run(encoder._judge, windows), strict=True):
        ids = torch.tensor([window.ids])
        types = (torch.arange(ids.shape[1]) >= window.first).long()[None]
        with torch.inference_mode():
            expected = network(torch.nn.functional.embedding(ids, vectors), types)
        assert pooled == pytest.approx(expected[0][0].numpy(), abs=tolerance)
        assert tokens[: len(window.ids)] == pytest.approx(expected[1][0].numpy(), abs=tolerance)


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_training_goes_on_from_the_weights_of_an_encoder(tiny, lessons, tmp_path, precision):
    first = trained(tiny, lessons[:20], tmp_path / "first", precision=precision, sources=["some.jsonl"])
    network = Network.start(str(tiny))
    restore(network.eval(), first.folder, "judge.onnx")
    window = layout(first._tokenizer, PAIRS[:1])[0][0]
    ids, types = torch.tensor([window.ids]), (torch.arange(len(window.ids)) >= window.first).long()[None]
    with torch.inference_mode():
        words = torch.nn.functional.embedding(ids, network.word_vectors())
        pooled, _ = network(words, types)
    tolerance = 1e-4 if precision == "float32" else 0.02  # PyTorch rounds no states
    assert pooled[0].numpy() == pytest.approx(_run(first._judge, [window])[0][0], abs=tolerance)
    second = trained(first.folder, lessons[:20], tmp_path / "second", sources=["more.jsonl"])
    assert second.manifest["start"] == first.manifest["start"] == str(tiny)
    assert second.judge(PAIRS) != first.judge(PAIRS)
    third = trained(second.folder, lessons[:4], tmp_path / "third", sources=["last.jsonl"])
    card = (third.folder / "CARD.md").read_text()
    assert "- some.jsonl, in an earlier training\n- more.jsonl, in an earlier training\n- last.jsonl\n" in card
    assert max(len(line) for line in card.splitlines() if not line.startswith("#")) <= 120


def test_the_same_seed_trains_the_same_network(tiny, lessons, tmp_path):
    one, two = (trained(tiny, lessons[:40], tmp_path / name) for name in ("one", "two"))
    other = trained(tiny, lessons[:40], tmp_path / "three", seed=1)
    assert one.judge(PAIRS) == two.judge(PAIRS) != other.judge(PAIRS)
    assert one.fingerprint == two.fingerprint


def test_training_lowers_the_losses_and_leaves_a_whole_folder(tiny, lessons, tmp_path):
    told = []
    encoder = trained(
        tiny, lessons, tmp_path / "encoder", epochs=4, learning_rate=2e-3, progress=lambda *each: told.append(each)
    )
    assert told[-1][:2] == (4 * len(lessons), 4 * len(lessons))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["encoder"]
    assert encoder.manifest["lessons"] == len(lessons)
    assert "heads for multi-hop questions" in (tmp_path / "encoder" / "CARD.md").read_text()


class Killed(Exception):
    """In place of a process that ends."""


def test_a_killed_run_goes_on_and_ends_in_the_same_network(tiny, lessons, tmp_path):
    def run(folder, *, killed):
        torch.manual_seed(0)
        network = Network.start(str(tiny))

        def progress(done, of, losses):
            if killed:
                raise Killed

        tokenizer = Tokenizer.from_file(str(tiny / "tokenizer.json"))
        train_network(network, network.word_vectors(), tokenizer, lessons[:60], folder, save_every=2, progress=progress)
        return network.state_dict()

    whole = run(tmp_path / "whole", killed=False)
    with pytest.raises(Killed):
        run(tmp_path / "killed", killed=True)
    assert (tmp_path / "killed" / CHECKPOINT).exists()
    resumed = run(tmp_path / "killed", killed=False)
    assert all(torch.equal(value, resumed[name]) for name, value in whole.items())


def test_a_training_that_was_killed_before_its_first_checkpoint_begins_again(tmp_path):
    about = {"part": "filter", "lessons": 3}
    note_training(tmp_path / "e.training", about)
    note_training(tmp_path / "e.training", about)
    with pytest.raises(MismatchError, match="holds another training, whose lessons is 3, not 4"):
        note_training(tmp_path / "e.training", about | {"lessons": 4})


def test_inputs_say_the_same_in_parts_as_in_one_padded_batch(tiny, lessons):
    torch.manual_seed(0)
    network = Network.start(str(tiny)).eval()
    tokenizer, vectors = Tokenizer.from_file(str(tiny / "tokenizer.json")), network.word_vectors()
    batch = next(batches(lessons, tokenizer, random.Random(0)))
    lengths = batch.mask.sum(1)
    assert len(lengths) > ABREAST // vectors.itemsize
    assert lengths.min() < lengths.max()
    with torch.inference_mode():
        pooled, tokens = verdicts_on(network, vectors, batch)
        whole = network(torch.nn.functional.embedding(batch.ids, vectors), batch.types, batch.mask)
    assert torch.allclose(pooled, whole[0], atol=1e-5)
    assert torch.allclose(tokens[batch.mask.bool()], whole[1][batch.mask.bool()], atol=1e-5)


def test_targets_point_at_the_answer_and_the_marks(lessons):
    tokenizer = Encoder.load()._tokenizer
    batch = next(iter(batches(lessons, tokenizer, random.Random(0))))
    assert batch.ids.shape == batch.mask.shape == batch.types.shape == batch.useful.shape
    for row in range(len(batch.ids)):
        start, end = int(batch.start[row]), int(batch.end[row])
        if start != IGNORED:
            assert batch.types[row, start] == batch.types[row, end] == 1
            assert start <= end < int(batch.mask[row].sum())
            assert batch.answer[row] == 1
        relevant = int(batch.verdicts[row, 0])
        if relevant == 0:
            assert (batch.useful[row] == IGNORED).all()


def test_of_pages_read_together_every_word_is_told_by_whether_its_page_helps():
    text = "aa bb [SEP] cc dd"
    given = [
        LabelledPassage(Pair("Who?", text), True, helpful=((12, 17),)),
        LabelledPassage(Pair("Who?", text), False, helpful=()),
        LabelledPassage(Pair("Who?", text), False),
    ]
    tokenizer = Encoder.load()._tokenizer
    told = [next(iter(batches([Lesson((each,))], tokenizer, random.Random(0)))).useful[0] for each in given]
    assert [[value for value in row.tolist() if value != IGNORED] for row in told] == [[0, 0, 0, 1, 1], [0] * 5, []]


def test_the_target_of_the_tagger_is_the_tag_of_the_lesson(lessons):
    """Relevant, continue, enough: of what does not help, of what leads on, of the last passage, and of a query."""
    tokenizer = Encoder.load()._tokenizer
    assert verdicts_of(lessons, tokenizer) == {(0, 0, 0), (1, 1, 0), (1, 0, 1), (IGNORED, IGNORED, IGNORED)}
    of_labeler, of_filter = (make_lessons(part, Material(QUESTIONS[:8], [], PAGES)) for part in ("labeler", "filter"))
    assert verdicts_of(of_labeler, tokenizer) == {(0, 0, 0), (1, 1, 0)}
    assert verdicts_of(of_filter, tokenizer) == {(IGNORED, IGNORED, IGNORED)}


def verdicts_of(lessons, tokenizer):
    made = batches(lessons, tokenizer, random.Random(0))
    return {tuple(verdicts) for batch in made for verdicts in batch.verdicts.tolist()}


def test_bytes_stand_for_the_vectors():
    vectors = torch.randn(50, 8)
    rows, scales = in_bytes(vectors)
    assert rows.dtype == torch.int8
    assert np.allclose((rows.float() * scales[:, None]).numpy(), vectors.numpy(), atol=0.03)


def test_the_command_trains_and_says_what_it_wrote(tiny, tmp_path):
    write_questions(tmp_path / "mine.jsonl", QUESTIONS[:4])
    train = [sys.executable, "-m", "multihop", "train", "--start", str(tiny), "--to", str(tmp_path / "e")]
    command = [*train, str(tmp_path / "mine.jsonl"), "--corpus", "little"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "wrote" in done.stdout
    assert Encoder(tmp_path / "e").judge(PAIRS[:1])
    assert "from\n\n- mine.jsonl\n- little\n" in (tmp_path / "e" / "CARD.md").read_text()


def test_the_command_refuses_to_learn_from_nothing(tmp_path):
    command = [sys.executable, "-m", "multihop", "train", "--to", str(tmp_path / "e")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 2
    assert "there is nothing to learn from: name files of training questions" in done.stderr


def test_what_cannot_be_trained_is_refused(tmp_path, lessons):
    with pytest.raises(InputError, match="is no transformer to start from"):
        train_encoder(lessons[:1], tmp_path / "e", start=str(tmp_path))
    with pytest.raises(InputError, match="holds no checkpoint; a training writes its first one after some minutes"):
        write_checkpoint(tmp_path / "e")
    assert list(tmp_path.iterdir()) == []


def test_the_reader_learns_and_the_rest_stays(tiny, lessons, tmp_path):
    asked = [Pages("Where was she born?", ("She | She was born in Bath.", "A village | It lies by a river."))]
    first = trained(tiny, lessons[:20], tmp_path / "first")
    whole = trained(tiny, lessons[:20], tmp_path / "whole", part="reader")
    second = trained(
        first.folder, make_lessons("reader", Material(QUESTIONS[:8], [], PAGES)), tmp_path / "second", part="reader"
    )
    third = trained(second.folder, lessons[:20], tmp_path / "third")
    assert [(each.folder / READER).exists() for each in (first, whole, second, third)] == [False, True, True, True]
    assert first.read(asked) != second.read(asked) == third.read(asked)
    assert first.judge(PAIRS) == second.judge(PAIRS) != third.judge(PAIRS)
    assert len({each.fingerprint for each in (first, second, third)}) == 3
    assert second.manifest["trained"] == ["judge", "reader"]
    assert "`reader.onnx` began as the judge" in (second.folder / "CARD.md").read_text().replace("\n", " ")


def test_labeler_and_filter_begin_as_the_judge_and_learn_apart(tiny, lessons, tmp_path):
    first = trained(tiny, lessons[:20], tmp_path / "first")
    options = {"learning_rate": 2e-3}
    of_labeler, of_filter = (
        make_lessons(part, Material(QUESTIONS, [], PAGES), most=50) for part in ("labeler", "filter")
    )
    second = trained(first.folder, of_labeler, tmp_path / "second", part="labeler", **options)
    both = trained(second.folder, of_filter, tmp_path / "both", part="filter", **options)
    found = [("Where was she born?", "She born Bath"), ("Who directed the film?", "film someone")]
    assert first.label(PAIRS) == first.judge(PAIRS) == second.judge(PAIRS) == both.judge(PAIRS)
    assert first.label(PAIRS) != second.label(PAIRS) == both.label(PAIRS)
    assert first.filter(found) == first.next_queries(found) == second.filter(found) == both.next_queries(found)
    learned = (both.folder / "filter.onnx").read_bytes()
    assert learned not in [(both.folder / name).read_bytes() for name in ("judge.onnx", "labeler.onnx")]
    assert len({each.fingerprint for each in (first, second, both)}) == 3
    assert both.manifest["trained"] == ["filter", "judge", "labeler"]
    card = (both.folder / "CARD.md").read_text().replace("\n", " ")
    assert "`labeler.onnx` began as the judge" in card
    assert "`filter.onnx` began as the judge" in card


def test_lessons_of_queries_alone_have_the_losses_of_words_alone(tiny, tmp_path):
    told = []
    made = make_lessons("filter", Material(QUESTIONS[:4], [], PAGES))
    trained(tiny, made, tmp_path / "e", part="filter", progress=lambda done, of, losses: told.append(losses))
    assert told[0].keys() == {"useful", "kept"}
    assert told[0]["kept"] > 0 == told[0]["useful"]


@pytest.mark.parametrize("part", ["judge", "reader"])
def test_a_part_keeps_a_share_of_what_it_was_before(tiny, lessons, tmp_path, part):
    """Weight by weight: after a training a quarter of the way back to before is three quarters of the way there."""
    options = {"precision": "float32", "part": part}
    first = trained(tiny, lessons[:20], tmp_path / "first", precision="float32").folder
    made = {}
    for keep in (0.0, 0.25, 1.0):
        train_encoder(lessons[20:40], tmp_path / str(keep), start=str(first), keep=keep, **options)
        made[keep] = Trainee.open(str(tmp_path / str(keep))).state(part)
    before = Trainee.open(str(first)).state(part)
    assert any((value != before[name]).any() for name, value in made[0.0].items())
    for name, value in before.items():
        assert torch.allclose(made[1.0][name], value, atol=1e-6)
        assert torch.allclose(made[0.25][name], 0.25 * value + 0.75 * made[0.0][name], atol=1e-5)


def test_a_checkpoint_is_written_with_what_the_part_keeps(tiny, lessons, tmp_path):
    first = trained(tiny, lessons[:20], tmp_path / "first")

    def stop(done, of, losses):
        raise Killed

    with pytest.raises(Killed):
        trained(first.folder, lessons[20:40], tmp_path / "e", keep=1.0, progress=stop)
    write_checkpoint(tmp_path / "e")
    assert Encoder(tmp_path / "e").judge(PAIRS) == first.judge(PAIRS)


def test_a_checkpoint_is_written_as_it_is_and_is_not_taken_up_with_other_lessons(tiny, lessons, tmp_path):
    def stop(done, of, losses):
        raise Killed

    with pytest.raises(Killed):
        trained(tiny, lessons[:40], tmp_path / "e", sources=["some.jsonl"], progress=stop)
    write_checkpoint(tmp_path / "e")
    halfway = Encoder(tmp_path / "e")
    assert (halfway.manifest["lessons"], halfway.manifest["sources"]) == (40, ["some.jsonl"])
    with pytest.raises(MismatchError, match="holds another training, whose lessons is 40, not 20"):
        trained(tiny, lessons[:20], tmp_path / "e", sources=["some.jsonl"])
    trained(tiny, lessons[:40], tmp_path / "e", sources=["some.jsonl"])
    assert [each.name for each in tmp_path.iterdir()] == ["e"]


def test_a_batch_in_which_nothing_is_right_is_learned_from(tiny, tmp_path):
    wrong = [Lesson((LabelledPassage(pair, False),)) for pair in PAIRS[:2]]
    told = []
    trained(tiny, wrong, tmp_path / "e", progress=lambda done, of, losses: told.append(losses))
    assert told[0]["ranking"] == 0.0
    assert 0 < told[0]["verdicts"] < 2
