"""The bodies that may be sent to the server, and their meaning."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...programs import Turn
from ..refusal import Refusal
from .messages import Message, question_of, turns_of

EXAMPLE = "Where was the director of Night Train born?"
"""The question that the description of the server asks."""


class EarlierTurn(BaseModel):
    """A question that was asked before, and its answer."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(description="The question.")
    answer: str = Field("", description="Its answer.")


class AskBody(BaseModel):
    """One question."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"question": EXAMPLE}, {"question": EXAMPLE, "program": "tor"}]},
    )

    question: str = Field(description="The question.")
    program: str | None = Field(None, description="The program's name; the first that is served where none is given.")
    earlier: list[EarlierTurn] = Field(
        [],
        description="The turns before it, the latest last: the question may point back to them, and is then first "
        "written again so that it makes sense by itself, as the step `stand_alone`. The last three are read.",
    )

    @property
    def turns(self) -> list[Turn]:
        """The turns before the question."""
        return [Turn(turn.question, turn.answer) for turn in self.earlier]


class StreamBody(AskBody):
    """One question, whose steps are wanted too."""

    tokens: bool = Field(True, description="Whether the tokens of answers are wanted as well.")
    pictures: bool = Field(False, description="Whether the finished search is wanted as a picture.")


class ResponseFormat(BaseModel):
    """In which form the answer is wanted."""

    type: str = "text"


class StreamOptions(BaseModel):
    """The extras that are wanted beside the answer while it is streamed."""

    include_usage: bool | None = None


class ChatBody(BaseModel):
    """A chat, whose last message of the user is the question; what is not named here is ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"messages": [{"role": "user", "content": EXAMPLE}]},
                {"model": "tor", "messages": [{"role": "user", "content": EXAMPLE}]},
            ]
        }
    )

    messages: list[Message] = Field(
        min_length=1, description="The last message of the user is the question; those before it are the conversation."
    )
    model: str | None = Field(None, description="The program's name; the first that is served where none is given.")
    stream: bool | None = Field(
        None, description="Whether chunks are wanted: steps as `reasoning_content`, the answer last."
    )
    stream_options: StreamOptions | None = Field(None, description="`include_usage` sends the tokens as a last chunk.")
    n: Literal[1] | None = Field(None, description="Answers wanted; there is one.")
    response_format: ResponseFormat | None = Field(None, description="The form of the answer, which is text.")

    @property
    def turns(self) -> list[Turn]:
        """The turns before the question."""
        return turns_of(self.messages)

    @property
    def question(self) -> str:
        """The last thing that the user said.

        Raises:
            Refusal: The user said nothing, or wants what a program cannot give.
        """
        if self.response_format is not None and self.response_format.type != "text":
            raise Refusal(400, f"response_format '{self.response_format.type:.40}' cannot be had; answers are text.")
        return question_of(self.messages)


def answer_example(question: str = EXAMPLE) -> dict[str, Any]:
    """An answer as the OpenAPI page shows it."""
    return {
        "question": question,
        "program": "one-step",
        "settings": {"k": 5},
        "lm": "openai/gpt-4.1-mini",
        "evidence": [],
        "passages": [{"id": "p2", "title": "Jerzy Kowal", "text": "Jerzy Kowal was born in Torun in 1922."}],
        "trajectory": [
            {"step": "find", "query": question, "k": 5, "hits": [{"id": "p2", "title": "Jerzy Kowal", "score": 2.5}]}
        ],
        "cost": {"calls": 1, "retrievals": 1, "tokens": {"openai/gpt-4.1-mini": {"in": 120, "out": 4}}, "seconds": 0.8},
        "over_budget": False,
        "citations": [
            {
                "passage": "p2",
                "title": "Jerzy Kowal",
                "sentence": "Jerzy Kowal was born in Torun in 1922.",
                "start": 0,
                "end": 38,
                "score": 0.98,
            }
        ],
        "answer": "Torun",
    }
