"""A question of MuSiQue with the two hops that its set tells."""

MUSIQUE = {
    "id": "2hop__1_2",
    "question": "Where was the author of Emma born?",
    "answer": "Steventon",
    "paragraphs": [
        {"idx": 0, "title": "Jane Austen", "paragraph_text": "She wrote. Born in Steventon.", "is_supporting": True},
        {"idx": 1, "title": "Emma", "paragraph_text": "A novel. By Jane Austen.", "is_supporting": True},
    ],
    "question_decomposition": [
        {"id": 1, "question": "Emma >> author", "answer": "Jane Austen", "paragraph_support_idx": 1},
        {"id": 2, "question": "where was #1 born", "answer": "Steventon", "paragraph_support_idx": 0},
    ],
}
