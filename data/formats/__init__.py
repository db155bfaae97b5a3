"""One file per layout of question sets, and how to tell which of them a record is."""
