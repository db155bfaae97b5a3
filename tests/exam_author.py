"""A scripted LM that writes exam questions and sits them: it asks for a word by its letters from behind."""

import re


def write_or_read(prompt):
    """A question that bears its answer backwards, the page of a name for what it is, or what all pages say."""
    told = prompt.inputs
    if "text" in told:
        return {"description": f"the one on the page {told['title']}"}
    if "name" in told:
        missing = told["answer"] == "not mentioned"
        asked = f"Who owns {told['name']}?" if missing else f"Is '{told['answer'][::-1]}' of {told['name']}?"
        return {"kind": "thing", "question": asked}
    question, pages = told["question"], told["passages"]
    if question.startswith("Who or what"):
        return {"described": "x", "answer": pages[0]}
    word = re.search("(?<=').*(?=')", question)
    shown = re.findall(r"on the page ([A-Z]\w*(?: [A-Z]\w*)*)", question)
    fits = word and all(any(page.startswith(f"{each} |") for page in pages) for each in shown)
    said = word[0][::-1] if fits else ""
    found = any(said in page and not page.startswith(said) for page in pages) if said else False
    return {"described": "x", "answer": said if found else "not mentioned"}
