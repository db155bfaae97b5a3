"""The messages of a conversation, as OpenAI's clients send them: what is asked, and what was said before."""

from collections.abc import Sequence

from pydantic import BaseModel

from ...programs import Turn
from ..refusal import Refusal


class ContentPart(BaseModel):
    """A piece of a message."""

    type: str
    text: str | None = None


class Message(BaseModel):
    """One message of a conversation."""

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


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns before the question.

    Examples:
        >>> from multihop.serve.web.messages import Message, turns_of
        >>> said = [("user", "Who made it?"), ("assistant", "Ada."), ("user", "Where was she born?")]
        >>> turns_of([Message(role=role, content=text) for role, text in said])
        [Turn(question='Who made it?', answer='Ada.')]
    """
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(message.words))
        elif message.role == "assistant" and turns:
            turns[-1] = turns[-1]._replace(answer=f"{turns[-1].answer} {message.words}".strip())
    return turns[:-1]


def question_of(messages: Sequence[Message]) -> str:
    """The last thing that the user said.

    Raises:
        Refusal: The user said nothing, or more than text.

    Examples:
        >>> from multihop.serve.web.messages import Message, question_of
        >>> question_of([Message(role="system", content="Hi."), Message(role="user", content="Who?")])
        'Who?'
    """
    for message in reversed(messages):
        if message.role == "user":
            return message.text
    raise Refusal(400, "no message has the role 'user'; its text is the question.")
