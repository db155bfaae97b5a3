"""The bodies that may be sent to the server, and their meaning."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...programs import Turn
from ..refusal import Refusal

_EXAMPLE = "Where was the director of Night Train born?"


class EarlierTurn(BaseModel):
    """A question that was asked before, and its answer."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(description="The question.")
    answer: str = Field("", description="Its answer.")


class AskBody(BaseModel):
    """One question."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"question": _EXAMPLE}, {"question": _EXAMPLE, "program": "tor"}]},
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
    pictures: bool = Field(False, description="Whether the search is wanted as a picture while it grows, and whole.")


class ContentPart(BaseModel):
    """A piece of a message."""

    type: str
    text: str | None = None


class ChatMessage(BaseModel):
    """One message of a chat."""

    role: str
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """The message's text.

        Raises:
            Refusal: It holds more than text.
        """
        for part in self.content if isinstance(self.content, list) else ():
            if part.type != "text" or part.text is None:
                raise Refusal(400, f"a message has a part of type '{part.type:.40}'; only text can be read.")
        return self.words

    @property
    def words(self) -> str:
        """The text, without what else the message holds."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text or "" for part in self.content if part.type == "text")


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
                {"messages": [{"role": "user", "content": _EXAMPLE}]},
                {"model": "tor", "messages": [{"role": "user", "content": _EXAMPLE}]},
            ]
        }
    )

    messages: list[ChatMessage] = Field(
        min_length=1, description="The last message of the user is the question; those before it are the conversation."
    )
    model: str | None = Field(None, description="The program's name; the first that is served where none is given.")
    follow_up: bool = Field(
        True,
        description="Whether a question that follows others is first written again so that it makes sense by itself, "
        "as the step `stand_alone`; false leaves out what was said before.",
    )
    stream: bool | None = Field(
        None, description="Whether chunks are wanted: steps as `reasoning_content`, the answer last."
    )
    stream_options: StreamOptions | None = Field(None, description="`include_usage` sends the tokens as a last chunk.")
    n: Literal[1] | None = Field(None, description="Answers wanted; there is one.")
    response_format: ResponseFormat | None = Field(None, description="The form of the answer, which is text.")

    @property
    def turns(self) -> list[Turn]:
        """The turns before the question; none where they are not to be read.

        Examples:
            >>> from multihop.serve.web.bodies import ChatBody
            >>> said = [("user", "Who made it?"), ("assistant", "Ada."), ("user", "Where was she born?")]
            >>> ChatBody(messages=[{"role": role, "content": text} for role, text in said]).turns
            [Turn(question='Who made it?', answer='Ada.')]
        """
        turns: list[Turn] = []
        for message in self.messages if self.follow_up else ():
            if message.role == "user":
                turns.append(Turn(message.words))
            elif message.role == "assistant" and turns:
                turns[-1] = turns[-1]._replace(answer=f"{turns[-1].answer} {message.words}".strip())
        return turns[:-1]

    @property
    def question(self) -> str:
        """The last thing that the user said.

        Raises:
            Refusal: The user said nothing, or wants what a program cannot give.

        Examples:
            >>> from multihop.serve.web.bodies import ChatBody
            >>> ChatBody(messages=[{"role": "system", "content": "Hi."}, {"role": "user", "content": "Who?"}]).question
            'Who?'
        """
        if self.response_format is not None and self.response_format.type != "text":
            raise Refusal(400, f"response_format '{self.response_format.type:.40}' cannot be had; answers are text.")
        for message in reversed(self.messages):
            if message.role == "user":
                return message.text
        raise Refusal(400, "no message has the role 'user'; its text is the question.")


def answer_example(question: str = _EXAMPLE) -> dict[str, Any]:
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
                "claim": "Torun",
                "verdict": "supported",
                "passage": "p2",
                "title": "Jerzy Kowal",
                "sentence": "Jerzy Kowal was born in Torun in 1922.",
                "start": 0,
                "end": 38,
                "score": 0.98,
            }
        ],
        "confidence": 0.91,
        "calibrated": True,
        "abstained": False,
        "answer": "Torun",
    }
