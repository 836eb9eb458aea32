"""Classes that are made without attrs: nobody but a clock may tell them from those that attrs makes.

This helper is for all rooms and has no door, so the tests import its modules.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, ClassVar, cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import _attrs as ours
from olmsolve import _attrs_methods
from olmsolve._attrs import shown_fields, unchecked
from olmsolve.catalog import Catalog, Package
from olmsolve.errors import RequestError
from olmsolve.predicates import AllOf


@pytest.fixture(autouse=True, scope="module", params=[0, 12])
def compiled_after(request: pytest.FixtureRequest) -> Iterator[int]:
    """After how many calls a constructor is compiled: until then it writes the fields one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_attrs_methods, "CALLS_BEFORE_COMPILING", request.param)
        yield request.param


def pair(declare: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The class that *declare* makes with attrs, and the one that it makes with olmsolve's own module."""
    return declare(attrs), declare(ours)


def _usual(by: Any) -> Any:
    @by.frozen
    class Value:
        kind: ClassVar[str] = "value"
        first: Any
        _second: Any = by.field(default="two", eq=str)
        third: Any = by.field(default=None, hash=False)
        unseen: Any = by.field(default=None, eq=False, repr=False)
        shown: Any = by.field(default=1.5, repr=lambda value: f"<{value}>")

        def doubled(self) -> int:
            return 2 * int(self.first)

    return Value


def _made(by: Any) -> Any:
    @by.frozen
    class Value:
        numbers: tuple[int, ...] = by.field(converter=tuple)
        size: int = by.field(init=False)
        notes: list[str] = by.field(factory=list, kw_only=True)
        total: int = by.field(alias="sum_of", kw_only=True)
        last: int = by.field(default=0)

        @size.default  # type: ignore[attr-defined, untyped-decorator]
        def _size(self) -> int:
            return len(self.numbers)

        @total.default  # type: ignore[attr-defined, untyped-decorator]
        def _total(self) -> int:
            return sum(self.numbers)

        @total.validator  # type: ignore[attr-defined, untyped-decorator]
        def _is_small(self, field: Any, value: int) -> None:
            if value > 100:
                raise ValueError(f"{field.name} is {value}")

        def __attrs_post_init__(self) -> None:
            if self.last < 0:
                raise ValueError("last")

    return Value


def _base(by: Any) -> Any:
    @by.frozen
    class Base:
        one: int
        two: int = 2

        def said(self) -> str:
            return f"base {self.one}"

    return Base


def _below(by: Any) -> Any:
    base: Any = _base(by)

    @by.frozen(order=True)
    class Value(base):  # type: ignore[misc]
        two: int = 3
        three: int = by.field(default=4, order=False)

        def said(self) -> str:
            return f"{super().said()} {__class__.__name__}"  # type: ignore[name-defined]

        @property
        def whole(self) -> str:
            return super().said()  # type: ignore[no-any-return]

        @classmethod
        def of(cls, *numbers: int) -> Any:
            return __class__(*numbers)  # type: ignore[name-defined]

    return Value


def _kept(by: Any) -> Any:
    @by.frozen(cache_hash=True, weakref_slot=False)
    class Value:
        one: Any
        two: Any = ()

    return Value


def _named_alone(by: Any) -> Any:
    @by.frozen(kw_only=True, eq=False)
    class Value:
        one: int
        two: int = 2

    return Value


def _mutable(by: Any) -> Any:
    @by.define
    class Value:
        one: int
        two: list[int] = by.Factory(list)

    return Value


def _error(by: Any) -> Any:
    @by.frozen
    class WrongError(Exception):
        name: str
        hint: str = ""

        def __str__(self) -> str:
            return f"{self.name}: {self.hint}"

    return WrongError


def _derived(by: Any) -> Any:
    @by.frozen
    class Value:
        one: int
        two: list[int] = by.field(factory=list)

        @cached_property
        def twice(self) -> int:
            return 2 * self.one

    return Value


CLASSES: dict[str, Callable[[Any], Any]] = {
    "usual": _usual,
    "made": _made,
    "below": _below,
    "kept": _kept,
    "named": _named_alone,
    "mutable": _mutable,
    "error": _error,
    "derived": _derived,
}
ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((1, 2), {}),
    ((1, 2, 3), {}),
    (((1, 2),), {"notes": ["a"]}),
    (((1, 2), 5), {"sum_of": 101}),
    (((1, 2), -5), {}),
    ((), {"one": 1}),
    ((1,), {"nonesuch": 2}),
    ((1,), {"one": 2}),
    (([1],), {"second": "x"}),
    (("n", "h"), {}),
]


def _outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - what is compared
        return type(error), str(error)


def _values(value: Any) -> Any:
    """The fields of *value*, or the error in its place."""
    if isinstance(value, tuple):
        return value
    return {field.name: getattr(value, field.name, "unset") for field in attrs.fields(type(value))}


def _is_hashed_alike(cls: type[Any], places: Any, named: Any) -> bool:
    return hash(cls(*places, **named)) == hash(cls(*places, **named))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_values_and_errors_are_those_of_attrs(name: str, arguments: tuple[Any, Any]) -> None:
    """Arguments by place and by name, defaults, converters, validators, private names, errors and their texts."""
    theirs, mine = pair(CLASSES[name])
    places, named = arguments
    expected = _outcome(lambda: theirs(*places, **named))
    own_value = _outcome(lambda: mine(*places, **named))
    assert _values(own_value) == _values(expected)
    if isinstance(own_value, tuple):
        return
    assert repr(own_value) == repr(expected)
    assert str(own_value) == str(expected)
    assert _outcome(lambda: own_value == mine(*places, **named)) == _outcome(
        lambda: expected == theirs(*places, **named)
    )
    assert own_value != expected
    hashed = [_outcome(partial(_is_hashed_alike, cls, places, named)) for cls in (theirs, mine)]
    assert hashed[0] == hashed[1]
    for change in ({"two": 9}, {"first": 2}, {"hint": "x"}, {"nonesuch": 1}):
        expected_copy, made_copy, own_copy = (
            _outcome(partial(by.evolve, value, **change))
            for value, by in ((expected, attrs), (own_value, attrs), (own_value, ours))
        )
        assert _values(made_copy) == _values(own_copy) == _values(expected_copy)
    assert attrs.asdict(own_value) == attrs.asdict(expected)
    assert attrs.astuple(own_value) == attrs.astuple(expected)
    assert _values(copy.copy(own_value)) == _values(expected)
    for value in (own_value, expected):
        if name != "mutable":
            with pytest.raises(attrs.exceptions.FrozenInstanceError):
                setattr(value, attrs.fields(type(value))[0].name, 1)
            with pytest.raises(attrs.exceptions.FrozenInstanceError):
                delattr(value, attrs.fields(type(value))[0].name)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_look_like_those_of_attrs(name: str) -> None:
    """To attrs, to ``inspect``, to ``match`` statements, and to a class below: fields, parameters, names, slots."""
    theirs, mine = pair(CLASSES[name])
    # A function in a field is another one in the other class.
    plain = {"converter", "validator", "default", "repr", "_default", "alias_is_default"}

    def shown(cls: Any) -> Any:
        return [
            {key: getattr(field, key) for key in attrs.Attribute.__slots__ if hasattr(field, key) and key not in plain}  # type: ignore[attr-defined]
            for field in attrs.fields(cls)
        ]

    assert shown(mine) == shown(theirs)
    assert [field.default is attrs.NOTHING for field in attrs.fields(mine)] == [
        field.default is attrs.NOTHING for field in attrs.fields(theirs)
    ]
    assert list(attrs.fields_dict(mine)) == list(attrs.fields_dict(theirs)) == list(ours.fields_dict(mine))
    assert attrs.has(mine)
    assert ours.has(mine)
    assert ours.has(theirs)
    parameters = (
        [
            (parameter.name, parameter.kind, parameter.annotation)
            for parameter in inspect.signature(cls).parameters.values()
        ]
        for cls in (mine, theirs)
    )
    assert next(parameters) == next(parameters)
    assert mine.__match_args__ == theirs.__match_args__  # type: ignore[attr-defined]
    assert mine.__qualname__ == theirs.__qualname__
    assert set(mine.__slots__) == set(theirs.__slots__)  # type: ignore[attr-defined]
    assert mine.__init__.__qualname__ == theirs.__init__.__qualname__

    below: list[Any] = []
    for base in (theirs, mine):

        @attrs.frozen
        class Below(base):  # type: ignore[misc, valid-type]
            four: int = attrs.field(default=4, kw_only=True)

        below.append(Below)
    if name == "mutable":
        return
    assert [field.name for field in attrs.fields(below[1])] == [field.name for field in attrs.fields(below[0])]
    own_value, expected = (_outcome(lambda cls=cls: cls((1, 2), four=5)) for cls in reversed(below))  # type: ignore[misc]
    assert _values(own_value) == _values(expected)


def test_a_class_below_one_of_attrs_has_its_fields() -> None:
    """A program's own records may stand between."""
    expected = attrs.frozen(type("Value", (_made(attrs),), {"__annotations__": {"four": "int"}, "four": 4}))
    own_class = ours.frozen(type("Value", (_made(attrs),), {"__annotations__": {"four": "int"}, "four": 4}))
    assert repr(own_class((1, 2), 0, 7)) == repr(expected((1, 2), 0, 7))
    assert repr(own_class((1, 2))) == repr(expected((1, 2)))
    with pytest.raises(TypeError, match="not an attrs-decorated class"):
        ours.fields(cast(Any, int))
    assert not ours.has(int)


def test_methods_keep_their_class() -> None:
    """``super()`` and ``__class__`` in a method mean the class with slots, which is made after the body."""
    theirs, mine = pair(_below)
    for cls in (theirs, mine):
        value = cls.of(1)
        assert value.said() == "base 1 Value"
        assert value.whole == "base 1"
        assert type(value) is cls
        assert sorted([cls(2), cls(1, 5), cls(1)]) == [cls(1), cls(1, 5), cls(2)]
        assert cls(1, three=9) <= cls(1, three=0)
        assert cls(1, three=9) >= cls(1, three=0)
        assert cls(2) > cls(1)
        with pytest.raises(TypeError):
            _ = cls(1) < 1


_FIELD = st.sampled_from([0, 1, True, 1.0, "1", (), float("nan"), None])
_FIELDS = st.tuples(_FIELD, _FIELD, _FIELD, _FIELD)


@pytest.mark.parametrize("name", ["usual", "kept"])
@given(left=_FIELDS, right=_FIELDS)
def test_values_are_equal_where_those_of_attrs_are(name: str, left: tuple[Any, ...], right: tuple[Any, ...]) -> None:
    """Fields that are compared by their text or not at all, numbers that equal others, and one that equals nothing."""
    theirs, mine = pair(CLASSES[name])
    left, right = (left, right) if name == "usual" else (left[:2], right[:2])
    assert (mine(*left) == mine(*right)) is (theirs(*left) == theirs(*right))
    assert (mine(*left) != mine(*right)) is (theirs(*left) != theirs(*right))
    assert (hash(mine(*left)) == hash(mine(*right))) is (hash(theirs(*left)) == hash(theirs(*right)))
    assert mine(*left) != left


def test_methods_are_compiled_when_they_are_called() -> None:
    """For the class that has them: a subclass that no decorator has made inherits them."""
    mine = _usual(ours)
    special = type("Special", (mine,), {})
    before = {name: vars(mine)[name] for name in ("__init__", "__eq__", "__hash__")}
    for _ in range(_attrs_methods.CALLS_BEFORE_COMPILING):
        assert special(1) == special(1)
    assert special(1) != mine(1)
    assert hash(special(1)) == hash(mine(1))
    assert not {name for name in before if vars(mine)[name] is before[name]}
    # Threads that have called the methods before another one set the compiled ones.
    assert before["__eq__"](mine(1), mine(1)) is True
    assert before["__eq__"](mine(1), 1) is NotImplemented
    value = mine(1)
    before["__init__"](value, 3)
    assert value.first == 3


@ours.frozen
class Stored:
    """A value for pickles, which find classes by their names."""

    first: Any
    text: str = ""


@ours.frozen(cache_hash=True)
class Hashed:
    """A value that keeps its hash, which another process would not have."""

    first: Any


def test_values_are_pickled() -> None:
    """With their fields alone: a kept hash is of one process."""
    for value in (Stored([1], "x"), Hashed(("a", 1)), RequestError("wrong", field="name", hint="h")):
        if not isinstance(value, Stored):
            hash(value)
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own bytes
    kept: Any = Hashed((1,))
    assert set(kept.__getstate__()) == {"first"}
    weakref.ref(Stored(1))
    own_value = Stored.__new__(Stored)
    own_value.__setstate__(([2], "y"))  # type: ignore[attr-defined]
    assert own_value == Stored([2], "y")


def test_errors_keep_what_python_writes() -> None:
    """The cause and the traceback of a frozen error are written while it is raised, its notes whenever."""
    for cls in pair(_error):
        with pytest.raises(cls) as raised:
            raise cls("name", "hint") from ValueError("first")
        raised.value.add_note("a note")
        assert raised.value.__notes__ == ["a note"]
        del raised.value.__notes__
        assert isinstance(raised.value.__cause__, ValueError)
        assert raised.value.args == ("name", "hint")


def test_errors_keep_the_equality_that_they_inherit() -> None:
    """Those of olmsolve are equal by what they say, and hashed by their text: some have values without a hash."""
    first, second = (RequestError("wrong", field="name", hint="") for _ in range(2))
    assert "__eq__" not in vars(RequestError)
    assert first == second
    assert hash(first) == hash(second)


def test_a_repr_ends_where_a_value_holds_itself() -> None:
    """As that of attrs and of Python's own containers does."""
    theirs, mine = pair(_usual)
    expected, shown = [], []  # type: ignore[var-annotated]
    expected.append(theirs(expected))
    shown.append(mine(shown))
    assert repr(shown[0]) == repr(expected[0])


def test_a_repr_of_its_own_is_not_replaced() -> None:
    """A catalog prints what it holds in a few words, not each of its bundles."""
    assert repr(Catalog({})) == "<Catalog : 0 packages, 0 channels, 0 bundles>"
    assert repr(Package("p", "", {}, {})) == "<Package p: 0 channels, 0 bundles>"


def test_a_compound_of_nothing_is_refused() -> None:
    """It would mean everything or nothing, as the reader likes."""
    with pytest.raises(ValueError, match="parts: must have one element at least"):
        AllOf(())


@ours.frozen
class Checked:
    """A value that refuses its parts, and works one of them out."""

    first: int = ours.field(validator=[attrs.validators.gt(0), attrs.validators.lt(9)])
    twice: int = ours.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.first)


def test_unchecked_values_are_equal_to_checked_ones() -> None:
    """The second constructor takes every field, for the class or a subclass, and looks at none."""

    class Special(Checked):
        """A subclass."""

    make = unchecked(Checked)
    code = make.__code__
    for _ in range(_attrs_methods.CALLS_BEFORE_COMPILING + 1):
        assert make(Checked, 3, 6) == Checked(3)
    assert make.__code__ is not code
    assert make(Checked, -3, 6).first == -3
    assert type(make(Special, 3, 6)) is Special
    for wrong in (0, 9):
        with pytest.raises(ValueError, match="first"):
            Checked(wrong)
    with pytest.raises(TypeError):
        make(Checked, 3)


def test_fields_of_readers_are_not_shown() -> None:
    """The signature has the fields that users give; readers, and copies, give the others by name."""

    @shown_fields
    @ours.frozen(init=False)
    class Value:
        first: int
        position: int = ours.field(default=0, kw_only=True, alias="_position")

    assert list(inspect.signature(Value).parameters) == ["first"]
    assert attrs.evolve(Value(1, _position=7), first=2).position == 7  # type: ignore[call-arg]
    assert list(inspect.signature(Value).parameters) == ["first"]


def test_attrs_is_loaded_when_it_is_asked_for() -> None:
    """To make values, to copy, compare and print them, no module of attrs is needed."""
    code = (
        "import sys, olmsolve\n"
        "from olmsolve.catalog import Deprecation\n"
        "one = Deprecation('olm.package', 'p', 'gone')\n"
        "assert repr(one) and hash(one) and one == olmsolve.evolve(one, message='gone')\n"
        "print(sorted({'attr', 'attrs'} & set(sys.modules)))\n"
        "import attrs\n"
        "print(attrs.evolve(one, message='back').message, attrs.fields(Deprecation).name.name)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "back name"]


def test_the_module_has_the_names_of_attrs_that_are_used() -> None:
    """Another name is a mistake, which type checkers see as well."""
    assert ours.asdict(Stored(1)) == {"first": 1, "text": ""}
    with pytest.raises(AttributeError, match="no attribute 'nonesuch'"):
        _ = ours.nonesuch  # type: ignore[attr-defined]
