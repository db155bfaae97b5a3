"""The wording of the fictional encyclopedia's pages, by kind."""
