"""What follows from the declaration of a record: values, documents there and back, sentences and schemas.

This helper is for all rooms and has no door.
"""

from __future__ import annotations

import enum
import json
import pickle
import string
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import jsonschema
import pytest

from olmsolve import _attrs as own_attrs
from olmsolve import evolve
from olmsolve._record_reading import from_dict, kinds_of
from olmsolve._records import Record, documented, field, lower_first, members, record, texts
from olmsolve.errors import RequestError
from tests.records.schemas import FILE, of_record, published, records


class Colour(enum.Enum):
    RED = "red"
    DARK_BLUE = "darkBlue"


@record(layout=("kind", "text", ..., "reasons"), kinds=lower_first)
class Note(Record):
    """A note of any kind.

    It stands in tests.
    """

    kind: ClassVar[str]
    place: str = field("Where it is.")
    reasons: tuple[object, ...] = field("Why.", default=(), kw_only=True, written=texts, read=tuple)


@record(says="{place} is {colour.value}, with {guests}")
class IsPainted(Note):
    """Something has a *colour*, as ``paint`` says."""

    colour: Colour = field("Its colour.")
    guests: tuple[str, ...] = field("Who is there.", default=())


@record(kind="silent")
class _Silent(Note):
    """A base."""


@record(says="nothing is at {place}")
class IsEmpty(_Silent):
    """Nothing is there."""


@record
class Point(Record):
    """A point."""

    x: int = field("To the right.", unit="metres")
    y: float = field("Upwards.", default=0.5)


@record(
    definition="olmsolve.sheet",
    title="A sheet",
    layout=("is_full", ..., "total", "notes"),
    groups={"paper": "The paper."},
)
class Sheet(Record):
    """All of it."""

    notes: tuple[Note, ...] = field("The notes.")
    start: Point = field("The point in its place.", path="*")
    owner: str = field("Who has it.", empty="null", default="")
    remark: str = field("More.", empty="absent", default="")
    last: Point | None = field("The last point; null for none.", default=None)
    by_name: Mapping[str, int] = field("Numbers by name.", factory=dict)
    paper_size: str = field("Its size.", path="paper.size", default="A4")
    sides: int = field("How many sides.", path="paper.sides", default=2)
    context: Any = own_attrs.field(default=None, eq=False, repr=False)

    @property
    @documented("Whether there is no room left.", path="full")
    def is_full(self) -> bool:
        return len(self.notes) > 1

    @property
    @documented("The number of notes.")
    def total(self) -> int:
        return len(self.notes)


SHEET = Sheet((IsPainted("hall", Colour.RED, ("Ann", "Bob"), reasons=(1, "two")), IsEmpty("yard")), Point(3))
DOCUMENT = {
    "schema": "olmsolve.sheet",
    "schemaVersion": 1,
    "full": True,
    "x": 3,
    "y": 0.5,
    "owner": None,
    "last": None,
    "byName": {},
    "paper": {"size": "A4", "sides": 2},
    "total": 2,
    "notes": [
        {
            "kind": "isPainted",
            "text": "hall is red, with Ann, Bob",
            "place": "hall",
            "colour": "red",
            "guests": ["Ann", "Bob"],
            "reasons": ["1", "two"],
        },
        {"kind": "isEmpty", "text": "nothing is at yard", "place": "yard", "reasons": []},
    ],
}


def test_a_document_follows_from_the_fields() -> None:
    """With the keys in the order of the layout, which people read and diff."""
    assert json.dumps(SHEET.to_dict(), indent=1) == json.dumps(DOCUMENT, indent=1)
    more = evolve(SHEET, owner="Eve", remark="see", last=Point(1, 2.0), by_name={"a": 1}, notes=())
    changed = {
        "owner": "Eve",
        "remark": "see",
        "last": {"x": 1, "y": 2.0},
        "byName": {"a": 1},
        "full": False,
        "total": 0,
    }
    assert more.to_dict() == DOCUMENT | changed | {"notes": []}


def test_records_are_values() -> None:
    """As attrs makes them: frozen, equal by their fields, with a repr that evaluates, and pickled for workers."""
    assert repr(IsEmpty("yard")) == "IsEmpty(place='yard', reasons=())"
    assert pickle.loads(pickle.dumps(SHEET)) == SHEET == evolve(SHEET, context=1)  # noqa: S301 - our own bytes
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        SHEET.owner = "Eve"  # type: ignore[misc]
    with pytest.raises(TypeError, match="colours"):
        evolve(SHEET, colours=())
    assert list(kinds_of(Note)) == ["isPainted", "isEmpty"]


def test_what_is_written_is_read() -> None:
    """A state file holds records; what follows from the fields is not asked for."""
    for note in SHEET.notes:
        assert str(from_dict(Note, note.to_dict())) == str(note)
        assert from_dict(Note, note.to_dict()).to_dict() == note.to_dict()
    assert from_dict(Point, {"x": 3}) == Point(3)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "must be an object"),
        ({"kind": "isPainted", "place": "hall", "color": "red"}, "notes.color: unknown field (did you mean colour?)"),
        ({"kind": "isPainted", "place": "hall"}, "notes.colour: is missing"),
        ({"kind": "isPainted", "place": 1, "colour": "red"}, "notes.place: must be a string"),
        ({"kind": "isPainted", "place": "hall", "colour": "blue"}, "notes.colour: must be one of red, darkBlue"),
        ({"kind": "isPainted", "place": "", "colour": "red", "guests": [1]}, "notes.guests[0]: must be a string"),
        ({"kind": "isPainted", "place": "", "colour": "red", "guests": "Ann"}, "notes.guests: must be a list"),
        ({"kind": "isEmty", "place": "hall"}, "notes.kind: is not a kind of this record (did you mean isEmpty?)"),
        ({"kind": "silent"}, "is not a kind of this record"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(data: Any, message: str) -> None:
    """As everywhere: the field, what is wrong, and what was probably meant."""
    with pytest.raises(RequestError) as raised:
        from_dict(Note, data, "notes")
    assert message in str(raised.value)


def test_a_schema_follows_from_the_types() -> None:
    """It holds for the document, refuses an unknown field, and says everything that the declaration says."""
    schema = of_record(Sheet)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert list(validator.iter_errors(DOCUMENT)) == []
    for wrong in ({"remarks": ""}, {"x": -1}, {"notes": [{"kind": "isEmpty"}]}, {"last": 3}):
        assert not validator.is_valid({**DOCUMENT, **wrong}), wrong
    properties = schema["properties"]
    assert properties["x"] == {"description": "To the right. In metres.", "type": "integer", "minimum": 0}
    assert properties["owner"] == {"description": "Who has it.", "type": ["string", "null"]}
    assert properties["paper"]["description"] == "The paper."
    assert "remark" not in schema["required"]
    painted, empty = properties["notes"]["items"]["anyOf"]
    assert painted["description"] == "Something has a colour, as paint says."
    assert painted["properties"]["kind"] == {"const": "isPainted"}
    assert properties["notes"]["items"]["description"] == "A note of any kind."
    assert empty["required"] == ["kind", "text", "place", "reasons"]


@record(definition="olmsolve.answer", title="An answer", version=2)
class Answer(Record):
    """An answer to a question."""

    kind: ClassVar[str]


@record(kind="list", about="Of a list.")
class ListAnswer(Answer):
    """The members of a list."""

    members: tuple[str, ...] | None = field("The members; none where nobody asked.", empty="optional", default=None)


@record(kind="number")
class NumberAnswer(Answer):
    """A number."""

    number: int = field("The number.")


def test_a_document_may_have_several_forms() -> None:
    """Each form is the whole document, with schema and version, and the schema has one alternative for each."""
    head = {"schema": "olmsolve.answer", "schemaVersion": 2}
    assert NumberAnswer(3).to_dict() == {**head, "number": 3}
    listed, number = of_record(Answer)["anyOf"]
    assert (listed["description"], number["description"]) == ("Of a list.", "A number.")
    assert number["required"] == ["schema", "schemaVersion", "number"]
    assert number["properties"]["schema"] == {"const": "olmsolve.answer"}


def test_an_optional_field_is_there_when_it_is_empty() -> None:
    """An empty list says that there is nothing, and no list says that nobody looked."""
    head = {"schema": "olmsolve.answer", "schemaVersion": 2}
    assert ListAnswer(()).to_dict() == {**head, "members": []}
    assert ListAnswer().to_dict() == head
    listed = of_record(ListAnswer)
    assert listed["required"] == ["schema", "schemaVersion"]
    assert (listed["properties"]["members"]["type"], "anyOf" in listed["properties"]["members"]) == ("array", False)


@record(
    definition="sender",
    shapes=(("person",), ("company", "branch")),
    about="Who sends it.",
)
class Sender(Record):
    """A person, or a branch of a company."""

    person: str = field("The person.", default="")
    company: str = field("The company.", default="")
    branch: str = field("Its branch.", default="")


@record(added={"weight": {"description": "Of a command: in kilograms.", "type": "number"}}, schema={"minProperties": 1})
class Parcel(Record):
    """What is sent."""

    labels: tuple[str, ...] = field("What is written on it.", default=(), empty="absent")


def test_a_record_may_be_written_in_one_of_several_shapes() -> None:
    """Its values are of one class, and a document names only what applies; reading takes each shape."""
    assert Sender("Ann").to_dict() == {"person": "Ann"}
    assert Sender(company="Box", branch="").to_dict() == {"company": "Box", "branch": ""}
    assert Sender().to_dict() == {"company": "", "branch": ""}
    assert from_dict(Sender, {"person": "Ann"}) == Sender("Ann")
    person, company = of_record(Sender)["anyOf"]
    assert (person["required"], company["required"]) == (["person"], ["company", "branch"])


def test_commands_may_add_fields_to_a_record() -> None:
    """They know more than the library that answers, and the schema says so; a list that is there is not empty."""
    schema = of_record(Parcel)
    assert (schema["required"], schema["minProperties"]) == ([], 1)
    assert schema["properties"]["labels"]["minItems"] == 1
    assert schema["properties"]["weight"]["type"] == "number"


def test_the_published_schemas_are_those_of_the_records() -> None:
    """A command that prints a schema imports no answer, so a file has them: ``python -m tests.records`` writes it."""
    assert FILE.read_text("utf-8") == published()


def test_every_field_says_what_it_means_and_every_sentence_can_be_said() -> None:
    """A document's field without a meaning explains nothing; a sentence with an unknown name fails when it is read."""
    for cls in records():
        for member in members(cls):
            # Without a meaning of its own, a field has the one of the record that it holds.
            assert not member.about.meaning or member.about.meaning.endswith((".", ")")), (cls, member.name)
        for _, name, _, _ in string.Formatter().parse(cls.__record__.says):
            assert name is None or hasattr(cls, name.partition(".")[0]), (cls, name)
