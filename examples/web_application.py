"""A saved program in a web application of your own: answers as JSON, and the steps streamed as they are taken.

`multihop serve` is a whole server, with limits, keys and OpenAI's chat (docs/serving.md); this is where to begin when a
program is one part of something else.

pip install fastapi uvicorn
PROGRAM=tor.json CORPUS=indexes/wiki LM=openai/gpt-4o-mini uvicorn examples.web_application:app

PROGRAM     the saved program's file
CORPUS      what it searches; by default the corpus that the file names
LM          "local" by default
API_BASE    the address of an OpenAI-compatible server, where the LM is on one

curl 'localhost:8000/answer?question=Who+directed+Alien'
curl -N 'localhost:8000/steps?question=Who+directed+Alien'
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import suppress

import dspy
from dspy.utils.exceptions import DSPyError, LMRateLimitError, LMTimeoutError, LMTransportError
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse

from multihop import InputError, Program, load, open_lm
from multihop.runtime import listening

LATER = (LMTransportError, LMTimeoutError, LMRateLimitError)
"""Failures of the LM that may be over when the same is asked again."""


def open_program() -> Program:
    """The program as the environment says; what is wrong with it ends the server in one sentence."""
    if "PROGRAM" not in os.environ:
        raise SystemExit("set PROGRAM to the file of a saved program, such as PROGRAM=tor.json.")
    try:
        lm = open_lm(os.environ.get("LM", "local"), api_base=os.environ.get("API_BASE"))
        return load(os.environ["PROGRAM"], corpus=os.environ.get("CORPUS"), lm=lm)
    except InputError as error:
        raise SystemExit(f"{error} The variables PROGRAM, CORPUS, LM and API_BASE say what is served.") from None


program, app = open_program(), FastAPI()


async def ask(question: str) -> dspy.Prediction:
    """One program serves all requests at once: nothing about a question is stored on it."""
    with dspy.context(disable_history=True, trace=None):
        return await program.acall(question=question)


def failure(error: Exception) -> tuple[int, str]:
    """The status of a failure and one sentence about it; what is a mistake in the program itself is raised again."""
    if isinstance(error, InputError):
        return 422, str(error)
    if isinstance(error, DSPyError):
        return 503 if isinstance(error, LATER) else 502, f"the LM failed: {' '.join(str(error).split())[:300]}"
    raise error


@app.exception_handler(InputError)
@app.exception_handler(DSPyError)
async def failed(request: Request, error: Exception) -> JSONResponse:
    """Every failure as JSON: 422 for a question that cannot be asked, 502 or 503 for an LM that does not answer."""
    status, sentence = failure(error)
    return JSONResponse({"error": sentence}, status)


@app.get("/answer")
async def answer(question: str) -> dict:
    """The answer, the passages it rests on, and what it cost."""
    prediction = await ask(question)
    return {
        "answer": prediction.answer,
        "passages": [passage._asdict() for passage in prediction.passages],
        "cost": prediction.cost,
    }


@app.get("/steps")
async def steps(question: str) -> StreamingResponse:
    """Server-sent events: every step and search as it is finished, with its branch; the answer, or an error, last."""
    queue: asyncio.Queue[dict | None] = asyncio.Queue()

    async def answer_last() -> None:
        try:
            with listening(queue.put_nowait):
                prediction = await ask(question)
            queue.put_nowait({"answer": prediction.answer, "cost": prediction.cost})
        except (InputError, DSPyError) as error:
            status, sentence = failure(error)
            queue.put_nowait({"error": sentence, "status": status})
        finally:
            queue.put_nowait(None)

    async def events() -> AsyncIterator[str]:
        task = asyncio.create_task(answer_last())
        try:
            while (event := await queue.get()) is not None:
                yield f"data: {json.dumps(event, default=str)}\n\n"
        finally:
            task.cancel()  # the reader has gone
            with suppress(asyncio.CancelledError):
                await task

    return StreamingResponse(events(), media_type="text/event-stream")
