"""Use one step of a method by itself: is this paragraph a way to the answer?

python examples/one_step_alone.py
"""

import dspy

from multihop import local
from multihop.signatures import ReviewPath

review = dspy.Predict(ReviewPath)

with dspy.context(lm=local()):  # or dspy.LM("openai/gpt-4o-mini")
    said = review(
        question="Where was the director of Night Train born?",
        path=["Night Train (film) | Night Train is a 1959 film directed by Jerzy Kawalerowicz."],
    )

print("relevant:", said.relevant)
print("enough:  ", said.enough)
print("next:    ", said.query)
