"""Questions of the little encyclopedia that bring their gold pages, as files of training questions do."""

from dataclasses import replace

from multihop import Little

PAGES = list(Little().passages())
_BY_ID = {page.id: page for page in PAGES}
QUESTIONS = [replace(each, passages=tuple(_BY_ID[page] for page in each.supporting)) for each in Little().questions()]
