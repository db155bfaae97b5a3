import asyncio
import json

from multihop.serve.service import Answered
from multihop.serve.web.bodies import answer_example
from multihop.serve.web.responses.response_body import ResponseBody
from multihop.serve.web.responses.response_events import ResponseEvents
from multihop.serve.web.responses.response_shapes import ResponseShapes


def test_without_a_step_the_message_is_the_first_item():
    async def asked():
        yield Answered({**answer_example(), "trajectory": []})

    async def main():
        shapes = ResponseShapes("1", 0, "tor", ResponseBody(input="Who?", store=False))
        return [json.loads(text.split("data: ")[1]) async for text in ResponseEvents(shapes).of(asked())]

    events = asyncio.run(main())
    assert [event["item"]["id"] for event in events if event["type"] == "response.output_item.added"] == ["msg_1"]
    assert {event["output_index"] for event in events if "output_index" in event} == {0}
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    whole = events[-1]["response"]
    assert (whole["id"], whole["store"], len(whole["output"])) == ("resp_1", False, 1)
    (text,) = whole["output"][0]["content"]
    assert text["annotations"] == [
        {
            "type": "url_citation",
            "start_index": 0,
            "end_index": 5,
            "title": "Jerzy Kowal",
            "url": "passage:p2",
            "sentence": "Jerzy Kowal was born in Torun in 1922.",
        }
    ]
