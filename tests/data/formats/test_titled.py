from multihop.data.files.record import Record
from multihop.data.formats.format import content_id
from multihop.data.formats.titled import read_context, read_supporting


def context(*paragraphs, joint=" "):
    return read_context(Record({"context": list(paragraphs)}, "test"), joint=joint)


def test_the_joint_stands_between_sentences():
    assert context(["Emma", ["A.", "B."]])[0][0].text == "A. B."
    assert context(["Emma", ["A.", " B."]], joint="")[0][0].text == "A. B."


def test_a_second_paragraph_of_a_title_gets_an_id_from_its_content():
    passages, sentences = context(["Emma", ["A."]], ["Jane", ["B."]], ["Emma", ["C."]])
    assert [passage.id for passage in passages] == ["Emma", "Jane", content_id("Emma", "C.")]
    assert [passage.title for passage in passages] == ["Emma", "Jane", "Emma"]
    assert sentences == (("A.",), ("B.",), ("C.",))


def test_a_paragraph_that_stands_there_twice_is_given_once():
    passages, sentences = context(["Emma", ["A."]], ["Emma", ["A."]], ["Emma", ["B."]], ["Emma", ["B."]])
    assert [passage.text for passage in passages] == ["A.", "B."]
    assert sentences == (("A.",), ("B.",))


def test_supporting_titles_come_once_and_sentences_all():
    record = Record({"supporting_facts": [["Emma", 0], ["Jane", 1], ["Emma", 2]]}, "test")
    assert read_supporting(record) == (("Emma", "Jane"), (("Emma", 0), ("Jane", 1), ("Emma", 2)))


def test_a_blind_test_record_has_neither():
    assert read_context(Record({}, "test"), joint="") == ((), ())
    assert read_supporting(Record({}, "test")) == ((), ())
