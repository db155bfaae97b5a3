"""The layouts of question sets, one file each, and the recognition of a record's layout."""
