"""The patches of docs/proposal-to-dspy.md run, and leave messages and predictions as they are."""

import re
import subprocess
import sys
from pathlib import Path

PROPOSAL = Path(__file__).parents[1] / "docs" / "proposal-to-dspy.md"
PATCHES = re.findall(r"```python\n(.*?)```", PROPOSAL.read_text(encoding="utf-8"), re.S)
SCRIPT = """
import asyncio
from typing import Literal

import dspy
import multihop.signatures
from multihop import scripted

class Types(dspy.Signature):
    "Everything."
    people: list[dict[str, int]] = dspy.InputField()
    picture: dspy.Image = dspy.InputField()
    sure: bool = dspy.OutputField()
    verdict: Literal["yes", "no"] | None = dspy.OutputField()
    one: int | str = dspy.OutputField()
    other: str | int = dspy.OutputField()

SIGNATURES = [getattr(multihop.signatures, name) for name in multihop.signatures.__all__]

def said():
    messages = []
    for adapter in (dspy.ChatAdapter(), dspy.JSONAdapter()):
        for signature in SIGNATURES:
            inputs = {name: ["a", "b"] if field.annotation != str else name for name, field in signature.fields.items()}
            messages.append(adapter.format(signature, [inputs], inputs))
        inputs = {"people": [{"Ada": 1815}], "picture": dspy.Image("https://example.org/a.png")}
        messages.append(adapter.format(Types, [], inputs))
        answer = {"sure": "True", "verdict": "no", "one": "1", "other": "1"}
        text = adapter.format_assistant_message_content(Types, answer)
        messages.append(repr(adapter.parse(Types, text)))
    engine = scripted(lambda prompt: {"answer": prompt.inputs["question"]})
    with dspy.context(lm=engine), dspy.track_usage() as usage:
        prediction = asyncio.run(dspy.Predict("question -> answer").acall(question="Who?"))
    entry = {name: value for name, value in engine.history[-1].items() if name not in ("timestamp", "uuid")}
    return messages, prediction.toDict(), usage.get_total_tokens(), repr(entry)

before = said()
PATCHES
assert said() == before == said()
changed = SIGNATURES[0]
first = dspy.ChatAdapter().format_system_message(changed)
changed.instructions = "Something else."
assert "Something else." in dspy.ChatAdapter().format_system_message(changed)
assert first != dspy.ChatAdapter().format_system_message(changed)
print("same")
"""


def test_the_patches_leave_everything_as_it_is():
    assert len(PATCHES) == 4
    script = SCRIPT.replace("PATCHES", "\n".join(PATCHES))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("same\n", 0), done.stderr
