"""A saved program behind a web server: answers as JSON, and the steps streamed as they are taken.

pip install fastapi uvicorn
PROGRAM=tor.json LM=openai/gpt-4o-mini uvicorn examples.web_application:app

curl 'localhost:8000/answer?question=Who+directed+Alien'
curl -N 'localhost:8000/steps?question=Who+directed+Alien'
"""

import asyncio
import json
import os
from contextlib import asynccontextmanager

import dspy
from dspy.utils.callback import BaseCallback
from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse

from multihop import InputError, load, open_lm


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.program = load(os.environ["PROGRAM"])
    app.state.lm = open_lm(os.environ.get("LM", "local"))
    yield


app = FastAPI(lifespan=lifespan)


async def ask(question: str, *callbacks: BaseCallback) -> dspy.Prediction:
    """One program serves all requests at once: nothing about a question is stored on it."""
    with dspy.context(lm=app.state.lm, callbacks=list(callbacks), disable_history=True, trace=None):
        return await app.state.program.acall(question=question)


@app.get("/answer")
async def answer(question: str) -> dict:
    """The answer, the passages it stands on, and what it cost."""
    try:
        prediction = await ask(question)
    except InputError as error:
        raise HTTPException(422, str(error)) from None
    return {
        "answer": prediction.answer,
        "passages": [passage._asdict() for passage in prediction.passages],
        "cost": prediction.cost,
    }


class Steps(BaseCallback):
    """Puts what each step answers into a queue."""

    def __init__(self, queue: asyncio.Queue) -> None:
        self.queue = queue

    def on_adapter_parse_end(self, call_id, outputs, exception=None):
        if exception is None:
            self.queue.put_nowait({"step": outputs})


@app.get("/steps")
async def steps(question: str) -> StreamingResponse:
    """Server-sent events: every step's answer as it comes, the final answer last."""
    queue: asyncio.Queue = asyncio.Queue()

    async def answer_last() -> None:
        try:
            queue.put_nowait({"answer": (await ask(question, Steps(queue))).answer})
        except Exception as error:
            queue.put_nowait({"error": f"{type(error).__name__}: {error}"})
        queue.put_nowait(None)

    async def events():
        task = asyncio.create_task(answer_last())
        try:
            while (event := await queue.get()) is not None:
                yield f"data: {json.dumps(event, default=str)}\n\n"
        finally:
            task.cancel()  # the reader has gone

    return StreamingResponse(events(), media_type="text/event-stream")
