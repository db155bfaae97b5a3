"""`POST /v1/responses`: a program as a model, by OpenAI's newer protocol."""
