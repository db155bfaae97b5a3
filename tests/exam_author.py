"""A scripted LM that writes exam questions and sits them: what it asks for is the last word of a passage."""


def write_or_read(prompt):
    """A question about a name, its description by the passage's title, or the last word beside such a page."""
    given = prompt.inputs
    if "passages" in given:
        described = [each for each in given["passages"] if each.partition(" | ")[0] in given["question"]]
        others = [each for each in given["passages"] if each not in described]
        return {"described": "x", "answer": last_word(others[-1]) if described and others else "not mentioned"}
    title, _, text = given["passage"].partition(" | ")
    written = {
        "question": f"What is the last word on {given.get('name')}?",
        "answer": last_word(text),
        "description": f"the name on the page {title}",
    }
    return {field.name: written[field.name] for field in prompt.output_fields}


def last_word(text):
    return text.split()[-1].strip(".")
