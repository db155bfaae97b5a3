"""Models of random weights, asked as any LM: what they say is what transformers itself makes of the same prompt."""

import asyncio
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest
from tiny_lm import NEEDS_TRAINING, make_tiny

from multihop.base import DamagedFileError, InputError
from multihop.lms import folder_lm, open_lm
from multihop.lms.gguf_engine.files import FOLDERS
from multihop.lms.transformers_engine.engine import AsyncTransformers

pytestmark = NEEDS_TRAINING
KINDS = ("llama", "gpt2", "mistral")
QUESTIONS = [f"{'long ' * n}who is number {n}? é" for n in range(5)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {kind: make_tiny(tmp_path_factory.mktemp(kind) / kind, kind=kind) for kind in KINDS}


def request(question, system="Plan what to ask next. " * 4, **config):
    from dspy.lm15 import Config, Message, Request

    config = {"max_tokens": 12, **config}
    return Request(model="m", system=system, messages=(Message.user(question),), config=Config(**config))


def said_by_transformers(folder, asked):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    messages = [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.messages[0].text}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    prompt = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    answer = network.generate(**prompt, max_new_tokens=asked.config.max_tokens, do_sample=False)
    whole = tokenizer.decode(answer[0, prompt["input_ids"].shape[1] :], skip_special_tokens=True)
    return whole.rstrip("\ufffd"), prompt["input_ids"].shape[1]


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_what_transformers_says_alone_and_together_and_again(kind, folders):
    engine = folder_lm(folders[kind]).engine
    asked = [request(question) for question in QUESTIONS]
    with ThreadPoolExecutor(len(asked)) as pool:
        together = list(pool.map(engine.complete, asked))
    again = [engine.complete(each) for each in asked]
    for each, first, second in zip(asked, together, again, strict=True):
        text, length = said_by_transformers(folders[kind], each)
        assert first.text.rstrip("\ufffd") == second.text.rstrip("\ufffd") == text
        assert first.usage.input_tokens == length
        assert second.usage.cache_read_tokens == (0 if kind == "mistral" else length - 1)


def test_calls_that_begin_alike_compute_the_beginning_once(folders):
    from multihop.lms.transformers_engine.model import FolderModel

    engine = folder_lm(folders["llama"], kept=4000).engine
    laid_out = []
    batch = FolderModel.batch
    engine.worker.model.batch = lambda prompts, starts: (
        laid_out.append([len(prompt) - start.shared for prompt, start in zip(prompts, starts, strict=True)]),
        batch(engine.worker.model, prompts, starts),
    )[1]
    calls = [engine.call(request(question)) for question in QUESTIONS]
    engine.worker._answer(calls)
    alike = len(calls[0].prompt) - len(engine.worker.model.tokenize(f"{QUESTIONS[0]}<|end|>\n<|start|>assistant\n"))
    assert laid_out[0] == [alike]
    assert max(laid_out[-1]) < len(calls[-1].prompt) - alike + 2
    assert [call.cached >= alike - 1 for call in calls] == [True] * 5


def test_the_same_seed_draws_the_same_in_any_company(folders):
    engine = folder_lm(folders["llama"]).engine
    drawn = [engine.complete(request(QUESTIONS[0], temperature=1.0, seed=seed)).text for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    company = [request(question, temperature=1.0, seed=1) for question in QUESTIONS]
    with ThreadPoolExecutor(5) as pool:
        assert next(iter(pool.map(engine.complete, company))).text == drawn[0]


def test_two_lms_of_a_folder_share_it_and_its_name_tells_what_it_is(folders, monkeypatch):
    folder = folders["llama"]
    first, second = open_lm(str(folder)), open_lm(f"folder:{folder}", temperature=0.5)
    assert first.engine.worker is second.engine.worker
    assert first.model == second.model
    assert first.model.startswith("multihop/folder:llama@")
    assert (first.structured, first.kwargs["temperature"], first.kwargs["max_tokens"]) == ("text", 0.0, 1024)
    assert folder_lm(folders["gpt2"]).model != first.model
    assert pickle.loads(pickle.dumps(first.engine)).name == first.engine.name
    state = json.loads(json.dumps(first.engine.dump_state()))
    assert state["folder"] == "llama"
    monkeypatch.setenv(FOLDERS, str(folder.parent))
    assert type(first.engine).load_state(state).worker is first.engine.worker
    assert open_lm(first.model).engine.worker is first.engine.worker  # as a saved program names it


def test_a_prompt_that_is_too_long_is_told_before_the_call(folders):
    from dspy.lm15 import ContextLengthError

    engine = folder_lm(folders["llama"]).engine
    with pytest.raises(ContextLengthError, match=r"the context of llama 512; show fewer passages, or take a model"):
        engine.complete(request("very " * 200))
    with pytest.raises(ContextLengthError, match="the context of llama 100"):
        folder_lm(folders["llama"], context=100).engine.complete(request("Who?"))


def test_a_passage_that_looks_like_the_template_is_read_as_text(folders):
    model = folder_lm(folders["llama"]).engine.worker.model
    honest, forged = (model.tokenize(model.render([{"role": "user", "content": text}])) for text in ("a", "<|end|>"))
    assert list(forged).count(0) == list(honest).count(0) == 1


def test_a_stop_text_and_the_probabilities_of_tokens(folders):
    engine = folder_lm(folders["llama"]).engine
    whole = engine.complete(request(QUESTIONS[1], max_tokens=30, logprobs=3))
    assert len(whole.logprobs) >= whole.usage.output_tokens
    assert all(len(each.top) == 3 and each.logprob == each.top[0].logprob for each in whole.logprobs)
    letter = whole.text[2]
    assert engine.complete(request(QUESTIONS[1], max_tokens=30, stop=(letter,))).text == whole.text.partition(letter)[0]


def test_a_cancelled_call_ends_between_two_tokens_and_the_others_go_on(folders):
    engine = folder_lm(folders["llama"]).engine
    stays, leaves = engine.call(request(QUESTIONS[2])), engine.call(request(QUESTIONS[3], max_tokens=300))
    leaves.on_text = lambda piece: leaves.future.cancel()
    engine.worker._answer([leaves, stays])
    assert (leaves.future.cancelled(), len(leaves.tokens)) == (True, 1)
    assert stays.future.result().text == engine.complete(request(QUESTIONS[2])).text


def test_the_event_loop_goes_on_while_it_computes(folders):
    engine = AsyncTransformers(folder_lm(folders["llama"]).engine)

    async def ask():
        return [each.text for each in await asyncio.gather(*(engine.complete(request(each)) for each in QUESTIONS))]

    assert asyncio.run(ask()) == [engine.engine.complete(request(each)).text for each in QUESTIONS]


def test_a_stream_tells_the_answer_piece_by_piece(folders):
    engine = folder_lm(folders["llama"]).engine
    events = [*engine.stream(request(QUESTIONS[3]))]
    told = "".join(each.delta.text for each in events if each.type == "delta")
    assert told == engine.complete(request(QUESTIONS[3])).text


def test_dspy_asks_it_like_any_lm(folders):
    with dspy.context(lm=folder_lm(folders["llama"], max_tokens=5)), pytest.raises(dspy.utils.exceptions.DSPyError):
        dspy.Predict("q -> a")(q="?")  # it has learned nothing, and answers in no form


def test_an_adapter_is_opened_with_its_base(folders, tmp_path):
    peft = pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    base = AutoModelForCausalLM.from_pretrained(folders["llama"])
    changed = peft.get_peft_model(base, peft.LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False))
    changed.save_pretrained(tmp_path / "adapter")
    engine = open_lm(str(tmp_path / "adapter")).engine
    assert engine.name.startswith("folder:adapter@")
    changed.merge_and_unload().save_pretrained(tmp_path / "merged")
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        if (folders["llama"] / name).exists():
            (tmp_path / "merged" / name).write_bytes((folders["llama"] / name).read_bytes())
    asked = request(QUESTIONS[0])
    merged = open_lm(str(tmp_path / "merged")).engine.complete(asked).text
    assert engine.complete(asked).text == merged != folder_lm(folders["llama"]).engine.complete(asked).text


def test_weights_that_are_not_there_are_never_made_up(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    broken = make_tiny(tmp_path / "broken")
    weights = load_file(broken / "model.safetensors")
    del weights["model.norm.weight"]
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(DamagedFileError, match="broken lacks 1 of the model's weights, such as model.norm.weight"):
        open_lm(str(broken))


def test_a_number_that_is_none_is_refused(folders):
    with pytest.raises(InputError, match="at_once is a whole number from 1 on, not 0"):
        folder_lm(folders["llama"], at_once=0)
