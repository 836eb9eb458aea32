"""Named tuples of olmsolve's own: only a clock may tell them from those of Python."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from olmsolve import _named_tuples as ours
from olmsolve.events import QuestionPosed
from olmsolve.predicates import GVK


def _usual(by: Any) -> Any:
    class Value(by.NamedTuple):  # type: ignore[misc]
        """A value."""

        first: int
        second: tuple[str, ...] = ()
        third: str | None = None

        def doubled(self) -> int:
            return 2 * int(self.first)

        @property
        def kind(self) -> str:
            return f"{type(self).__name__} {len(self)}"

        @classmethod
        def of(cls, number: int) -> Any:
            return cls(number)

        def __str__(self) -> str:
            return f"<{self.first}>"

    return Value


def _plain(by: Any) -> Any:
    class Value(by.NamedTuple):  # type: ignore[misc]
        only: int

    return Value


def _empty(by: Any) -> Any:
    class Value(by.NamedTuple):  # type: ignore[misc]
        pass

    return Value


def _below(by: Any) -> Any:
    base: Any = _usual(by)

    class Lower(base):  # type: ignore[misc]
        __slots__ = ()

        def doubled(self) -> int:
            return int(super().doubled()) + 1

    return Lower


CLASSES = [_usual, _plain, _empty, _below]
ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((1, ("a",)), {}),
    ((1, ("a",), "b"), {}),
    ((1, 2, 3, 4), {}),
    ((), {"only": 3}),
    ((), {"first": 3, "third": "c"}),
    ((1,), {"first": 3}),
    ((1,), {"fourth": 3}),
]


def outcome(call: Callable[[], Any]) -> Any:
    """What *call* returns, or its error."""
    try:
        return call()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("declare", CLASSES)
def test_values_and_errors_are_those_of_python(declare: Callable[[Any], Any]) -> None:
    """Constructors, fields, copies and comparisons, whatever the arguments are."""
    theirs, own = declare(typing), declare(ours)
    for places, named in ARGUMENTS:
        one, other = outcome(lambda: theirs(*places, **named)), outcome(lambda: own(*places, **named))  # noqa: B023
        assert type(one).__name__ == type(other).__name__
        assert tuple(one) == tuple(other)
        if not isinstance(other, own):
            continue
        assert (repr(one), str(one), hash(one)) == (repr(other), str(other), hash(other))
        assert (one == other, one < (2,), one[:1]) == (True, other < (2,), other[:1])
        assert one._asdict() == other._asdict()
        for name in (*own._fields, "kind", "unknown"):
            assert outcome(lambda: getattr(one, name)) == outcome(lambda: getattr(other, name))  # noqa: B023
            assert outcome(lambda: tuple(one._replace(**{name: 7}))) == outcome(  # noqa: B023
                lambda: tuple(other._replace(**{name: 7}))  # noqa: B023
            )
        assert type(other._replace()) is own
        assert outcome(lambda: setattr(other, "first", 1))[0] is AttributeError  # noqa: B023
        assert not hasattr(other, "__dict__")
        assert copy.copy(other) == copy.deepcopy(other) == other
        assert type(copy.deepcopy(other)) is own
    for values in ((), (1,), (1, 2, 3)):
        assert outcome(lambda: tuple(theirs._make(values))) == outcome(lambda: tuple(own._make(values)))  # noqa: B023


@pytest.mark.parametrize("declare", CLASSES)
def test_classes_say_what_those_of_python_say(declare: Callable[[Any], Any]) -> None:
    """Their fields, signature and bases, for whoever reads classes."""
    theirs, own = declare(typing), declare(ours)
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__name__", "__qualname__", "__module__"):
        assert getattr(theirs, name) == getattr(own, name), name
    assert [base.__name__ for base in theirs.__mro__] == [base.__name__ for base in own.__mro__]
    assert type(own) is type
    assert typing.get_type_hints(theirs) == typing.get_type_hints(own)
    assert list(inspect.signature(theirs).parameters) == list(inspect.signature(own).parameters)
    assert [parameter.default for parameter in inspect.signature(theirs).parameters.values()] == [
        parameter.default for parameter in inspect.signature(own).parameters.values()
    ]
    assert theirs.__new__.__qualname__ == own.__new__.__qualname__


def test_patterns_match_by_position() -> None:
    """``match`` takes the fields in their order."""
    match _usual(ours)(1, ("a",)):
        case (first, second, _):
            assert (first, second) == (1, ("a",))
    value = _plain(ours)
    match value(5):
        case value(number):
            assert number == 5


def test_values_are_pickled() -> None:
    """By the name of their class, as those of Python."""
    kind = GVK("g", "v1", "Kind")
    unpickled = pickle.loads(pickle.dumps(kind))  # noqa: S301 - our own bytes
    assert (type(unpickled), unpickled) == (GVK, kind)
    assert issubclass(QuestionPosed, tuple)


def _overwritten(by: Any) -> Any:
    class Value(by.NamedTuple):  # type: ignore[misc]
        one: int

        def _replace(self) -> None: ...

    return Value


def _late(by: Any) -> Any:
    class Value(by.NamedTuple):  # type: ignore[misc]
        one: int = 1
        two: int

    return Value


def _joined(by: Any) -> Any:
    class Value(by.NamedTuple, dict[str, int]):  # type: ignore[misc]
        one: int

    return Value


@pytest.mark.parametrize("declare", [_overwritten, _late, _joined])
def test_what_python_refuses_is_refused(declare: Callable[[Any], Any]) -> None:
    """With the same kind of error, when the class is declared."""
    theirs, own = outcome(lambda: declare(typing)), outcome(lambda: declare(ours))
    assert isinstance(own[1], str)
    assert theirs[0] is own[0]
