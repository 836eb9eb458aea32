"""The quicker constructor of frozen values: nobody but a clock may notice it."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve._frozen import quickly_made, shared_methods, shared_repr, unchecked
from olmsolve.catalog import Catalog, Package
from olmsolve.errors import RequestError


@attrs.frozen
class Plain:
    """What attrs makes, to compare with."""

    first: int
    _second: str = "two"
    third: Any = attrs.field(default=None, eq=False, repr=False)


@quickly_made
@attrs.frozen
class Quick:
    """The same fields."""

    first: int
    _second: str = "two"
    third: Any = attrs.field(default=None, eq=False, repr=False)


@given(st.tuples(st.integers(), st.text(), st.none() | st.booleans()), st.integers(1, 3), st.integers(0, 3))
def test_values_are_those_that_attrs_would_have_made(fields: tuple[Any, ...], given: int, by_place: int) -> None:
    """By place or by name, with defaults or without, under the alias of a private field."""
    names = ("first", "second", "third")[:given]
    places = fields[: min(given, by_place)]
    named = dict(zip(names[len(places) :], fields[len(places) :], strict=False))
    expected, value = Plain(*places, **named), Quick(*places, **named)
    assert [getattr(value, field.name) for field in attrs.fields(Quick)] == [
        getattr(expected, field.name) for field in attrs.fields(Plain)
    ]
    assert repr(value) == repr(expected).replace("Plain", "Quick")
    assert value == pickle.loads(pickle.dumps(value)) == attrs.evolve(value)  # noqa: S301 - our own bytes
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        value.first = 1  # type: ignore[misc]


@attrs.frozen
class Outer:
    """What attrs makes, around a value of any kind."""

    _value: Any
    hidden: int = attrs.field(default=0, repr=False)
    late: Any = attrs.field(init=False)


@attrs.frozen
@shared_repr
class Shown:
    """The same fields, with the shared method."""

    _value: Any
    hidden: int = attrs.field(default=0, repr=False)
    late: Any = attrs.field(init=False)


@given(st.integers() | st.text() | st.lists(st.text()))
def test_the_shared_repr_is_the_one_of_attrs(value: object) -> None:
    """Private names, fields that are left out, fields that are not set yet, values around values."""
    expected, shown = Outer(Outer(value)), Shown(Shown(value))
    assert repr(shown) == repr(expected).replace("Outer", "Shown")
    object.__setattr__(expected, "late", value)
    object.__setattr__(shown, "late", value)
    assert repr(shown) == repr(expected).replace("Outer", "Shown")


def test_the_shared_repr_ends_where_a_value_holds_itself() -> None:
    """As that of attrs and of Python's own containers does."""
    expected, shown = [], []  # type: ignore[var-annotated]
    expected.append(Outer(expected))
    shown.append(Shown(shown))
    assert repr(shown[0]) == repr(expected[0]).replace("Outer", "Shown")


def pair_of_classes() -> tuple[type[Any], type[Any]]:
    """Two classes with the same fields, new ones each time: with the methods of attrs, and with the shared ones."""

    @attrs.frozen
    class Generated:
        first: Any
        _text: Any = attrs.field(default="", eq=str)
        unhashed: Any = attrs.field(default=None, hash=False)
        ignored: Any = attrs.field(default=None, eq=False)

    @attrs.frozen
    @shared_methods
    class Shared:
        first: Any
        _text: Any = attrs.field(default="", eq=str)
        unhashed: Any = attrs.field(default=None, hash=False)
        ignored: Any = attrs.field(default=None, eq=False)

    return Generated, Shared


_FIELD = st.sampled_from([0, 1, True, 1.0, "1", (), float("nan"), None])
_FIELDS = st.tuples(_FIELD, _FIELD, _FIELD, _FIELD)


@given(_FIELDS, _FIELDS)
def test_shared_values_are_equal_where_those_of_attrs_are(left: tuple[Any, ...], right: tuple[Any, ...]) -> None:
    """Fields that are compared by their text or not at all, numbers that equal others, and one that equals nothing."""
    generated, shared = pair_of_classes()
    assert (shared(*left) == shared(*right)) is (generated(*left) == generated(*right))
    assert (shared(*left) != shared(*right)) is (generated(*left) != generated(*right))
    same_hash = hash(generated(*left)) == hash(generated(*right))
    assert (hash(shared(*left)) == hash(shared(*right))) is same_hash
    assert shared(*left) != generated(*left)
    assert shared(*left) != left


def test_methods_are_compiled_when_they_are_called() -> None:
    """For the class that has them: a subclass that attrs does not know inherits them."""
    _, shared = pair_of_classes()

    special = type("Special", (shared,), {})

    before = vars(shared)["__eq__"]
    assert special(1) == special(1)
    assert special(1) != shared(1)
    assert hash(special(1)) == hash(shared(1))
    assert vars(shared)["__eq__"] is not before
    # A thread that has called the method before another one set the compiled one.
    assert before(shared(1), shared(1)) is True
    assert before(shared(1), 1) is NotImplemented


def test_errors_keep_the_equality_that_they_inherit() -> None:
    """Those of olmsolve are equal by what they say, and hashed by their text: some have values without a hash."""
    first, second = (RequestError("wrong", field="name", hint="") for _ in range(2))
    assert "__eq__" not in vars(RequestError)
    assert first == second
    assert hash(first) == hash(second)


def test_methods_of_its_own_are_not_replaced() -> None:
    """An error is equal to one of the same kind that says the same."""

    class Own:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(TypeError, match="Own has an __eq__ of its own"):
        shared_methods(Own)


def test_the_constructor_looks_the_same() -> None:
    """Editors and documentation show its parameters with their types."""
    assert inspect.signature(Quick) == inspect.signature(Plain)
    for arguments in ((), (1, "2", None, 4)):
        with pytest.raises(TypeError):
            Quick(*arguments)


@attrs.frozen
class Converting:
    field: tuple[int, ...] = attrs.field(converter=tuple)


@attrs.frozen
class Checking:
    field: int = attrs.field(validator=attrs.validators.ge(0))


@attrs.frozen
class Making:
    field: list[int] = attrs.field(factory=list)


@attrs.frozen
class Leaving:
    field: int = attrs.field(default=0, init=False)


@attrs.frozen
class Following:
    field: int = 0

    def __attrs_post_init__(self) -> None: ...


@attrs.frozen(slots=False)
class Unslotted:
    field: int = 0


@attrs.frozen
class Inheriting(Plain):
    field: int = 0


@pytest.mark.parametrize("refused", [Converting, Checking, Making, Leaving, Following, Unslotted, Inheriting])
def test_a_class_that_does_more_is_refused(refused: Callable[..., Any]) -> None:
    """What its constructor does would silently be left out."""
    assert isinstance(refused, type)
    with pytest.raises(TypeError):
        quickly_made(refused)


@attrs.frozen
class Checked:
    """A value that refuses its parts, and works one of them out."""

    first: int = attrs.field(validator=attrs.validators.gt(0))
    twice: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.first)


def test_unchecked_values_are_equal_to_checked_ones() -> None:
    """The second constructor takes every field, for the class or a subclass, and looks at none."""

    class Special(Checked):
        """A subclass."""

    make = unchecked(Checked)
    assert make(Checked, 3, 6) == Checked(3)
    assert make(Checked, -3, 6).first == -3
    assert type(make(Special, 3, 6)) is Special
    with pytest.raises(TypeError):
        make(Checked, 3)


def test_a_repr_of_its_own_is_not_replaced() -> None:
    """A catalog prints what it holds in a few words, not each of its bundles."""

    class Short:
        def __repr__(self) -> str:
            return "<Short>"

    with pytest.raises(TypeError, match="Short has a __repr__ of its own"):
        shared_repr(Short)
    assert repr(Catalog({})) == "<Catalog : 0 packages, 0 channels, 0 bundles>"
    assert repr(Package("p", "", {}, {})) == "<Package p: 0 channels, 0 bundles>"
