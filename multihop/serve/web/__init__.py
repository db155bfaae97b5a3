"""Programs behind HTTP: questions, steps as they are taken, OpenAI's chat, retrieval, and a page to try them."""
