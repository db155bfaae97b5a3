"""The help pages, and the pages about programs."""
