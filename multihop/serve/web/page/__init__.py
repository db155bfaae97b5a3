"""The server's own pages: the one on which questions are asked, and that of its routes."""
