"""One file a command; each is imported only when its command runs."""
