from multihop.data import CARDS


def test_every_card_is_complete():
    assert {name: card.licence for name, card in CARDS.items()} == {
        "hotpotqa": "CC BY-SA 4.0",
        "2wikimultihopqa": "Apache-2.0",
        "musique": "CC BY 4.0",
        "bamboogle": "MIT",
        "flashrag": "CC BY-SA 4.0 for the collection; every set keeps its own licence",
    }
    for name, card in CARDS.items():
        assert card.name == name
        assert all(card)
        assert card.homepage.startswith("https://")
