"""A scripted LM that writes exam questions and sits them: what it asks for is the last word of a passage."""


def write_or_read(prompt):
    """A question about what the first passage's title stands for, or the last word beside such a page."""
    pages = prompt.inputs["passages"]
    if "names" in prompt.inputs:
        question = f"What is the last word on the name on the page {pages[0].partition(' | ')[0]}?"
        return {"question": question, "answer": last_word(pages[-1])}
    others = [each for each in pages if each.partition(" | ")[0] not in prompt.inputs["question"]]
    return {"described": "x", "answer": last_word(others[-1]) if 0 < len(others) < len(pages) else "not mentioned"}


def last_word(text):
    return text.split()[-1].strip(".")
