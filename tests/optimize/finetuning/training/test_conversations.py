import pytest
from tiny_lm import NEEDS_TRAINING, TEMPLATE, make_tiny

from multihop.base import InputError
from multihop.optimize.finetuning.training.conversations import make_examples

pytestmark = NEEDS_TRAINING
REWRITING = (
    "{% for message in messages %}<|start|>{{ message.role }}\n{% if message.role == 'assistant' %}<think></think>\n"
    "{{ message.content | trim | upper }}{% else %}{{ message.content }}{% endif %}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system here') }}{% endif %}"


def rows(count=6, answer="  say {n}\n"):
    return [
        {
            "messages": [
                {"role": "system", "content": "plan"},
                {"role": "user", "content": f"[[ ## question ## ]]\nwho {n // 2}?\n\n[[ ## history ## ]]\n{n}"},
                {"role": "assistant", "content": answer.format(n=n)},
            ]
        }
        for n in range(count)
    ]


def base(tmp_path, **options):
    from multihop.optimize.finetuning.training.base_model import open_base

    return open_base(str(make_tiny(tmp_path / "tiny", **options)))


@pytest.mark.parametrize("template", [TEMPLATE, REWRITING])
def test_the_labelled_tokens_are_the_answer_as_given_whatever_the_template_makes_of_it(template, tmp_path):
    model = base(tmp_path, template=template)
    made = make_examples(model, rows(), longest=4096, held_out=0.0)
    assert (len(made.trained), made.held_out, made.left_out) == (6, [], 0)
    for n, example in enumerate(made.trained):
        assert model.tokenizer.decode(example.tokens[example.asked :]) == f"  say {n}\n<|end|>"
        assert model.tokenizer.decode(example.tokens[: example.asked]) == (
            f"<|start|>system\nplan<|end|>\n<|start|>user\n[[ ## question ## ]]\nwho {n // 2}?\n\n"
            f"[[ ## history ## ]]\n{n}<|end|>\n<|start|>assistant\n"
        )
        assert example.question == f"who {n // 2}?"


def test_what_is_held_out_is_whole_questions_and_the_same_each_time(tmp_path):
    model = base(tmp_path)
    made = make_examples(model, rows(80), longest=4096, held_out=0.3)
    out, trained = ({each.question for each in some} for some in (made.held_out, made.trained))
    assert len(made.held_out) + len(made.trained) == 80
    assert out
    assert not out & trained
    fewer = make_examples(model, rows(80)[:60], longest=4096, held_out=0.3)
    assert {each.question for each in fewer.held_out} == out & {f"who {n}?" for n in range(30)}


def test_conversations_that_are_too_long_are_left_out_and_counted(tmp_path):
    model = base(tmp_path, context=200)
    some = rows()
    some[2]["messages"][1]["content"] += "x" * 200
    assert make_examples(model, some, longest=4096, held_out=0.0).left_out == 1
    with pytest.raises(InputError, match=r"all 6 conversations are longer than 50 tokens \(the shortest has \d\d\)"):
        make_examples(model, some, longest=50, held_out=0.0)


def test_nothing_to_learn_is_one_sentence(tmp_path):
    model = base(tmp_path)
    with pytest.raises(InputError, match="there are no conversations to train on"):
        make_examples(model, [], longest=4096, held_out=0.0)
    with pytest.raises(InputError, match="all 6 conversations have the same answer, so there is nothing to learn"):
        make_examples(model, rows(answer="yes"), longest=4096, held_out=0.0)


def test_a_template_that_refuses_is_named(tmp_path):
    model = base(tmp_path, template=NO_SYSTEM)
    with pytest.raises(InputError, match="chat template of .*tiny does not take a conversation of system, user"):
        make_examples(model, rows(), longest=4096, held_out=0.0)
