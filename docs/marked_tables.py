"""Pages whose tables stand between marks: `<!-- NAME -->` begins the table of that name, `<!-- end -->` ends it."""

END = "<!-- end -->"


def with_table(text: str, name: str, table: str) -> str:
    """The page with the table where its mark is."""
    mark = f"<!-- {name} -->"
    before, found, rest = text.partition(mark)
    if not found or END not in rest:
        raise SystemExit(f"the page has no mark '{mark}', or no '{END}' after it")
    return f"{before}{mark}\n\n{table}\n\n{END}{rest.partition(END)[2]}"
