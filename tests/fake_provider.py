"""A DSPy provider that trains nothing: it checks what it is given, and names a model."""

import sys

from dspy.clients.provider import Provider, TrainingJob

TRAINED = []


class FakeProvider(Provider):
    def __init__(self):
        super().__init__()
        self.finetunable = True
        self.TrainingJob = TrainingJob

    @staticmethod
    def finetune(job, model, train_data, train_data_format, train_kwargs=None):
        if train_kwargs and train_kwargs.get("fail"):
            raise RuntimeError("no quota")
        sys.stdout.write("a provider's chatter")
        TRAINED.append((model, train_data, train_data_format, train_kwargs))
        return f"{model}-cloned"


class NotATrainer(Provider):
    pass
