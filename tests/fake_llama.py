"""llama.cpp as `lms/gguf_engine` calls it, over a model whose next token follows from all tokens before: no weights."""

import ctypes
import hashlib
import threading
from pathlib import Path
from types import SimpleNamespace

WORDS = [" the", " of", " a", " in", "é", "?", " Po", " Ada"]
END = len(WORDS)
"""The token that ends an answer."""


def next_token(tokens, last=None):
    """The token after these; an answer ends by itself after a few."""
    digest = hashlib.blake2b(bytes(str(list(tokens)), "ascii"), digest_size=2).digest()
    number = digest[0] % (END + 2)
    return END if number > END else number


def answer_to(prompt, most):
    """The tokens of the whole answer, computed from nothing."""
    tokens, answer = [*prompt], []
    while len(answer) < most and (token := next_token(tokens)) != END:
        answer.append(token)
        tokens.append(token)
    return answer


class FakeModel:
    """A model file without a file."""

    def __init__(self, trained_context=4096):
        self.path, self.pointer, self.vocabulary = Path("fake.gguf"), 1, 1
        self.tokens_count, self.trained_context = END + 1, trained_context

    def piece(self, token):
        return WORDS[token].encode()

    def ends(self, token):
        return token == END

    def close(self):
        self.pointer = None


class FakeLlama:
    """The functions of the library; it counts what it computes, and fails on what llama.cpp would fail on."""

    def __init__(self):
        self.cells = {}
        self.fresh = 0
        self.computed = 0
        self.steps = []
        self.gate = threading.Event()
        self.gate.set()
        self.freed = []

    def llama_context_default_params(self):
        return SimpleNamespace()

    def llama_init_from_model(self, model, parameters):
        self.parameters = parameters
        return 7

    def llama_get_memory(self, context):
        return 8

    def llama_batch_init(self, size, embeddings, sequences):
        rows = [[0] for _ in range(size)]
        return SimpleNamespace(
            n_tokens=0, token=[0] * size, pos=[0] * size, n_seq_id=[0] * size, seq_id=rows, logits=[0] * size
        )

    def llama_batch_free(self, batch):
        self.freed.append("batch")

    def llama_free(self, context):
        self.freed.append("context")

    def llama_memory_seq_rm(self, memory, sequence, first, last):
        assert last == -1
        self.cells[sequence] = self.cells.get(sequence, [])[:first]
        return True

    def llama_memory_seq_cp(self, memory, source, target, first, last):
        assert first == 0
        assert not self.cells.get(target)
        self.cells[target] = self.cells[source][:last]

    def llama_decode(self, context, batch):
        self.gate.wait()
        used = {cell for cells in self.cells.values() for cell, _ in cells}
        if len(used) + batch.n_tokens > self.parameters.n_ctx:
            return 1
        self.logits = {}
        for row in range(batch.n_tokens):
            cells = self.cells.setdefault(batch.seq_id[row][0], [])
            assert batch.pos[row] == len(cells), "a token is computed at its place"
            self.fresh += 1
            cells.append((self.fresh, batch.token[row]))
            if batch.logits[row]:
                values = (ctypes.c_float * (END + 1))()
                values[next_token([token for _, token in cells])] = 9.0
                self.logits[row] = values
        self.computed += batch.n_tokens
        self.steps.append(batch.n_tokens)
        return 0

    def llama_get_logits_ith(self, context, row):
        return self.logits[row]
