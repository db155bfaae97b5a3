"""The body of a request for a response, and its meaning."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ....programs import Turn
from ...refusal import Refusal
from ..bodies import EXAMPLE, ResponseFormat
from ..messages import ContentPart, Message, question_of, turns_of


class InputItem(BaseModel):
    """A message, or something else that was said or done; only messages are read."""

    type: str | None = None
    role: str | None = None
    content: str | list[ContentPart] | None = None


class TextOptions(BaseModel):
    """The form in which the text is wanted."""

    format: ResponseFormat | None = None


class ResponseBody(BaseModel):
    """A question, or a conversation whose last message of the user is it; what is not named here is ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"input": EXAMPLE}, {"model": "tor", "input": [{"role": "user", "content": EXAMPLE}]}]
        }
    )

    input: str | list[InputItem] = Field(
        description="The question, or a conversation: the last message of the user is the question."
    )
    model: str | None = Field(None, description="The program's name; the first that is served where none is given.")
    previous_response_id: str | None = Field(
        None, description="The response that this goes on from: its conversation comes before the input."
    )
    follow_up: bool = Field(
        True,
        description="Whether a question that follows others is first written again so that it makes sense by itself, "
        "as the step `stand_alone`; false leaves out what was said before.",
    )
    store: bool | None = Field(None, description="Whether a later request may go on from this; false keeps nothing.")
    stream: bool | None = Field(
        None, description="Whether events are wanted: steps as the summary of a reasoning item, the answer last."
    )
    text: TextOptions | None = Field(None, description="The form of the answer, which is text.")
    background: bool | None = Field(None, description="Answering without a client that waits; it cannot be had.")
    conversation: Any = Field(None, description="A conversation kept elsewhere; it cannot be had.")
    instructions: Any = Field(None, description="Told back; programs have instructions of their own.")
    metadata: dict[str, Any] | None = Field(None, description="Told back.")

    @property
    def messages(self) -> list[Message]:
        """The messages of the input."""
        if isinstance(self.input, str):
            return [Message(role="user", content=self.input)]
        messages = [item for item in self.input if item.role is not None and item.type in (None, "message")]
        return [Message(role=str(item.role), content=item.content) for item in messages]

    @property
    def turns(self) -> list[Turn]:
        """The turns of the input before the question.

        Examples:
            >>> from multihop.serve.web.responses.response_body import ResponseBody
            >>> said = [("user", "Who made it?"), ("assistant", "Ada."), ("user", "Where was she born?")]
            >>> ResponseBody(input=[{"role": role, "content": text} for role, text in said]).turns
            [Turn(question='Who made it?', answer='Ada.')]
        """
        return turns_of(self.messages)

    @property
    def question(self) -> str:
        """The last thing that the user said.

        Raises:
            Refusal: The user said nothing, or wants what a program cannot give.
        """
        wanted = self.text.format.type if self.text is not None and self.text.format is not None else "text"
        if wanted != "text":
            raise Refusal(400, f"text.format '{wanted:.40}' cannot be had; answers are text.")
        if self.background:
            raise Refusal(400, "'background' cannot be had; wait for the answer, or set 'stream'.")
        if self.conversation is not None:
            raise Refusal(400, "'conversation' cannot be had; send 'previous_response_id', or the messages before.")
        return question_of(self.messages)
