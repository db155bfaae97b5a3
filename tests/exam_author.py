"""A scripted LM that writes exam questions and sits them: it asks for a word by its letters from behind."""

import re


def write_or_read(prompt):
    """A question that bears its answer backwards, the page of a name for what it is, or what all pages say."""
    told = prompt.inputs
    if "text" in told:
        return {"description": f"the one on page <{told['title']}>"}
    if "name" in told:
        missing = told["answer"] == "not mentioned"
        asked = f"Who owns {told['name']}?" if missing else f"Is '{told['answer'][::-1]}' of {told['name']}?"
        return {"question": asked}
    question, pages = told["question"], told["passages"]
    if question.startswith("What is the name of"):
        return {"answer": pages[0]}
    word = ("".join(re.findall("'(.*)'", question)) or "?")[::-1]
    shown = [re.escape(each).replace("___", ".*") for each in re.findall("<([^<>]*)>", question)]
    fits = all(any(re.match(rf"{each} \|", page) for page in pages) for each in shown)
    said = fits and any(word in page and not page.startswith(word) for page in pages)
    return {"answer": word if said else "not mentioned"}
