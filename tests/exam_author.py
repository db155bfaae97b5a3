"""A scripted LM that writes exam questions and sits them: what it asks for is the last word of a passage."""


def write_or_read(prompt):
    """A question about a name, its description by the passage's title, or what a reader of two passages answers."""
    given = prompt.inputs
    if "passages" in given:
        both = len(given["passages"]) == 2
        return {"described": "x", "answer": last_word(given["passages"][-1]) if both else "not mentioned"}
    title, _, text = given["passage"].partition(" | ")
    written = {
        "question": f"What is the last word on {given.get('name')}?",
        "answer": last_word(text),
        "description": f"the name on the page {title}",
    }
    return {field.name: written[field.name] for field in prompt.output_fields}


def last_word(text):
    return text.split()[-1].strip(".")
