"""Records: values that state each of their fields once, with its path in documents, its meaning and its unit.

Constructor, equality and ``repr``, ``to_dict`` and ``from_dict``, the sentence, the JSON Schema and the page of the
reference all follow from the declaration::

    @record(layout=("kind", "text", ...), says="channel {channel} has no bundle")
    class EmptyChannel(Record):
        \"\"\"No entry of the channel has a bundle.\"\"\"

        kind: ClassVar[str]
        channel: str = field("The channel that the finding is about.")
        is_default: bool = field("Whether it is the default channel.", path="default", default=False)

    EmptyChannel("stable").to_dict()
    # {"kind": "EmptyChannel", "text": "channel stable has no bundle", "channel": "stable", "default": False}

A document is written by the types of its values, so that no annotation is resolved while a command runs. Reading
(:func:`olmsolve._record_reading.from_dict`) resolves annotations when it is asked, and ``tests/records`` makes the
schemas of them.

A family has one base with ``kind: ClassVar[...]``, and a class below it for each kind with ``kind=`` and ``says=``.
Where kinds differ in their sentences alone, one class with an enumeration of templates is quicker to load. Callers copy
records with :func:`evolve`, since mypy accepts ``attrs.evolve`` no more.
"""

from __future__ import annotations

import enum
import importlib
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from operator import attrgetter
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    # mypy knows the arguments of `record` only where it has read the arguments of attrs before.
    import attrs

    class _Stated(TypedDict, total=False):
        path: str
        unit: str
        empty: Empty
        written: Callable[[Any], Any] | None
        read: Callable[..., Any] | None
        schema: Mapping[str, Any] | None

else:
    from olmsolve import _attrs as attrs

_C = TypeVar("_C", bound=type)
_R = TypeVar("_R")
_F = TypeVar("_F", bound=Callable[..., Any])

Layout: TypeAlias = tuple[str | EllipsisType, ...]
Empty: TypeAlias = Literal["written", "null", "absent", "optional", "nullable", "kept", "refused"]
"""How a document writes a value that is "", (), 0, False or None: the value itself, null, or no field at all; with
*optional*, None alone leaves the field out. *nullable* is *absent*, and null is read as the same; *kept* is read so as
well, and written. Nothing is read without a field that is *refused* (:func:`olmsolve.fields.read_record`)."""

DOCUMENT: Final = "olmsolve."
"""The start of the names of documents, which begin with their schema and its version."""
_MEANING: Final = "olmsolve"
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_WRITERS: Final[dict[type, Callable[[Any], dict[str, Any]]]] = {}
"""The functions that make documents of records, by class, each made when it is first asked for."""
_MEMBERS: Final[dict[type, tuple[Member, ...]]] = {}
_NUMBERS: Final = count()  # order of declaration
_PICTURES: Final = "olmsolve.render.notebook"


class Meaning:
    """The declaration of one field: its *meaning* in one line, and how documents have it.

    *path* leads to it (``audited.packages``): "" takes the field's name in camelCase, and ``*`` puts the fields of the
    record that it holds in its place. *unit* is the unit of a number. *written* makes another value for documents,
    *read* makes the value of plain data (in objects of a cluster: of the fields around it and its name), and *schema*
    has keywords that no type says (None removes one).
    """

    # Not made by attrs, nor a tuple with names: those compile code, and every short command loads this module.
    __slots__ = ("empty", "meaning", "path", "read", "schema", "unit", "written")

    def __init__(
        self,
        meaning: str,
        path: str = "",
        unit: str = "",
        empty: Empty = "written",
        written: Callable[[Any], Any] | None = None,
        read: Callable[..., Any] | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        self.meaning = meaning
        self.path = path
        self.unit = unit
        self.empty = empty
        self.written = written
        self.read = read
        self.schema = schema or {}

    @property
    def with_unit(self) -> str:
        """The meaning with the unit."""
        return f"{self.meaning} In {self.unit}." if self.unit else self.meaning


class Member:
    """One field of a document: the *name* of the attribute, its *keys*, how to *get* its value, and what it means."""

    __slots__ = ("about", "get", "keys", "name")

    def __init__(self, name: str, keys: tuple[str, ...], get: Callable[[Any], Any], about: Meaning) -> None:
        self.name = name
        self.keys = keys
        self.get = get
        self.about = about


class Declaration:
    """The declaration of a record, beside its fields: see :func:`record`."""

    def __init__(self, base: Declaration | None, said: Mapping[str, Any]) -> None:
        self.definition: str = said.get("definition", "")
        self.document: str = self.definition if self.definition.startswith(DOCUMENT) else base.document if base else ""
        self.title: str = said.get("title", "")
        self.about: str = said.get("about", "")
        self.each: str = said.get("each", "")
        self.text: str = said.get("text") or (base.text if base else "The sentence for people.")
        self.says: str = said.get("says", "")
        self.groups: Mapping[str, str] = said.get("groups", {})
        self.version: int = said.get("version") or (base.version if base is not None else 1)
        self.shapes: tuple[tuple[str, ...], ...] = said.get("shapes", ())
        self.added: Mapping[str, Mapping[str, Any]] = said.get("added", {})
        self.schema: Mapping[str, Any] = said.get("schema", {})
        self.merged: bool = said.get("merged", False)
        self.marked: bool = said.get("marked", True)
        self.layout: Layout = said.get("layout") or (base.layout if base is not None else (...,))
        self.number: int = next(_NUMBERS)
        self.kinds: Callable[[str], str] = said.get("kinds") or (base.kinds if base is not None else str)


def field(
    meaning: str = "",
    *,
    path: str = "",
    unit: str = "",
    empty: Empty = "written",
    written: Callable[[Any], Any] | None = None,
    read: Callable[..., Any] | None = None,
    schema: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Return the field of a record; :class:`Meaning` explains the arguments, and *options* are attrs' own."""
    return attrs.field(metadata={_MEANING: Meaning(meaning, path, unit, empty, written, read, schema)}, **options)


def meaning(text: str, **stated: Unpack[_Stated]) -> dict[str, Meaning]:
    """Return the ``metadata`` of a field of an attrs class that is :func:`declared`; see :class:`Meaning`."""
    return {_MEANING: Meaning(text, **stated)}


def documented(text: str, **stated: Unpack[_Stated]) -> Callable[[_F], _F]:
    """Return the decorator, below ``@property``, that makes a property a field of documents; see :class:`Meaning`."""

    def mark(getter: _F) -> _F:
        getter.__doc__ = getter.__doc__ or text
        getter.__dict__[_MEANING] = Meaning(text, **stated)
        return getter

    return mark


def declared(**said: Any) -> Callable[[_C], _C]:
    """Make an attrs class, whose fields state their :func:`meaning`, a record; *said* is as for :func:`record`.

    For values whose constructor converts and checks, such as :class:`olmsolve.Subscription`: mypy knows converters and
    ``attrs.evolve`` only where ``@attrs.frozen`` is written in the source, below this one.
    """

    def made(cls: Any) -> Any:
        cls.__record__ = Declaration(getattr(cls, "__record__", None), said)
        return cls

    return made


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field, attrs.field))
def record(cls: _C, /) -> _C: ...


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field, attrs.field))
def record(
    *,
    says: str = ...,
    kind: enum.Enum | str | None = ...,
    kinds: Callable[[str], str] | None = ...,
    definition: str = ...,
    title: str = ...,
    about: str = ...,
    each: str = ...,
    text: str = ...,
    layout: Layout | None = ...,
    groups: Mapping[str, str] = ...,
    version: int = ...,
    shapes: tuple[tuple[str, ...], ...] = ...,
    added: Mapping[str, Mapping[str, Any]] = ...,
    schema: Mapping[str, Any] = ...,
    merged: bool = ...,
    marked: bool = ...,
    order: bool = ...,
    kw_only: bool = ...,
) -> Callable[[_C], _C]: ...


def record(cls: Any = None, /, *, kind: enum.Enum | str | None = None, **said: Any) -> Any:
    """Make *cls* a frozen value: an attrs class whose ``repr`` all records share.

    *says* is its sentence, the text of ``str()``: ``{name}`` stands for an attribute, and a tuple is listed. *kind*
    distinguishes the records of one base; without it, it is what *kinds* of the base makes of the class's name.

    *definition* names the record in JSON Schemas, and *title* and *about* describe it there. A name that begins with
    ``olmsolve.`` is a document with a schema and a version; so are the records below it, its forms. A document that is
    not *marked* is read without them. The records below a base are one definition each if *each* names them
    (``hindrance-{kind}``), or one together if it is *merged*: fields that only some of them have are optional there.

    *layout* is the order of the fields in documents, by the names of attributes: ``kind`` and ``text`` are there only
    if it names them, and ``...`` stands for all others. Subclasses have the same. *text* is the meaning of ``text``.
    *groups* say what an object means that no field holds, such as ``audited`` of the path ``audited.packages``.

    A document has one of the *shapes* where the record declares several: the fields of the first one whose first field
    is not empty, else of the last. *version* is the schema's, *added* are the schemas of fields that commands put into
    the document, and *schema* has keywords that no field says.

    With *order*, values compare by their fields; with *kw_only*, the constructor takes them by name alone.
    """
    options = {name: said.pop(name) for name in ("order", "kw_only") if name in said}

    def made(cls: Any) -> Any:
        declared = cls.__record__ = Declaration(getattr(cls, "__record__", None), said)
        if declared.says:
            cls.__str__ = _sentence(declared.says)
        if kind is not None:
            cls.kind = kind
        elif "kind" in declared.layout and "kind" not in vars(cls):
            cls.kind = declared.kinds(cls.__name__)
        return attrs.frozen(**options)(cls)

    return made if cls is None else made(cls)


def evolve(value: _R, **fields: Any) -> _R:
    """Return a copy of *value*, a request, a plan or any other value of olmsolve, with other *fields*.

    It makes the copy as the constructor makes values, so fields are converted and checked::

        stricter = olmsolve.evolve(request, eligibility=[licensed])

    ``attrs.evolve`` does the same, but mypy accepts it only for a class whose source has ``attrs.frozen``.

    Raises:
        TypeError: *value* has no such field.
    """
    return attrs.evolve(value, **fields)  # type: ignore[misc]


class Displayed:
    """The base of values that notebooks and rich consoles show as pictures or texts, where there is one.

    A value knows no page, since ``olmsolve.render`` is a wing above it: it looks there when IPython or rich asks it.
    """

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """Return the picture of the value for a notebook; None if it has no picture, and IPython prints its text."""
        html: str | None = importlib.import_module(_PICTURES).html_of(self)
        return html

    def __rich__(self) -> Any:
        """Return what ``rich`` prints: the text for people where the value has one, else its fields."""
        return importlib.import_module(_PICTURES).rich_of(self)


class Record(Displayed):
    """The base of records that documents have."""

    __slots__ = ()
    __record__: ClassVar[Declaration]
    # By this, type checkers know an attrs class; attrs.evolve alone asks more of mypy.
    __attrs_attrs__: ClassVar[Any]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; the schema (:func:`olmsolve.json_schema`) says what the fields mean."""
        writer = _WRITERS.get(type(self))
        if writer is None:
            writer = _WRITERS[type(self)] = _writer_of(type(self))
        return writer(self)


def _writer_of(cls: type) -> Callable[[Any], dict[str, Any]]:
    """Return the function that makes the document of a record of *cls*.

    Where each field is written as the attribute is, one call fetches all fields, which takes half the time (0.8 instead
    of 1.7 us for five texts). Compiling a function for each class would cost a short command more than it saves.
    """
    fields = members(cls)
    if shapes := shapes_of(cls):
        return lambda record: _document(next((form for form in shapes if form[0].get(record)), shapes[-1]), record)
    if len(fields) > 1 and all(map(_is_as_it_stands, fields)):
        names = [member.keys[0] for member in fields]
        fetch = attrgetter(*(member.name for member in fields))
        return lambda record: {
            name: value if type(value) in _PLAIN else plain(value)
            for name, value in zip(names, fetch(record), strict=True)
        }
    return partial(_document, fields)


def _is_as_it_stands(field: Member) -> bool:
    is_changed = field.about.written is not None or field.about.empty not in ("written", "kept", "refused")
    return isinstance(field.get, attrgetter) and len(field.keys) == 1 and not is_changed


def _document(fields: tuple[Member, ...], record: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for field in fields:
        about, keys, value = field.about, field.keys, field.get(record)
        if about.written is not None:
            value = about.written(value)
        if type(value) not in _PLAIN:
            value = plain(value)
        if not value and about.empty != "written":
            if about.empty in ("absent", "nullable") or (about.empty == "optional" and value is None):
                continue
            value = None if about.empty == "null" else value
        if not keys:
            result.update(value)
            continue
        holder = result
        for key in keys[:-1]:
            holder = holder.setdefault(key, {})
        holder[keys[-1]] = value
    return result


def shapes_of(cls: Any) -> tuple[tuple[Member, ...], ...]:
    """Return the fields of each shape that the documents of *cls* may have; none where there is only one."""
    named = {member.name: member for member in members(cls)}
    return tuple(tuple(named[name] for name in shape) for shape in cls.__record__.shapes)


def plain(value: Any) -> Any:
    """Return *value* as plain JSON data. Raises TypeError for a value that is neither data nor a record."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (tuple, list)):  # a union would be made anew at each call
        # By its name, since mypy reads attrs too late if this module imports it. Usual answers are written late, too.
        elements = value if len(value) < 1024 else importlib.import_module("olmsolve._limits").checked(value, 1024)
        return [element if type(element) is str else plain(element) for element in elements]
    if isinstance(value, Record):  # asked before the Mapping, which takes 0.3 µs to deny
        return value.to_dict()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {plain(key): plain(content) for key, content in value.items()}
    try:
        return value.to_dict()
    except AttributeError:
        raise TypeError(f"a document cannot have {value!r}") from None


def camel(name: str) -> str:
    """Return the name of a field as JSON writes it: ``source_namespace`` is ``sourceNamespace``."""
    first, *others = name.split("_")
    return "".join([first, *map(str.capitalize, others)])


def members(cls: type) -> tuple[Member, ...]:
    """Return the fields of the documents of *cls*, in their order."""
    declared = _MEMBERS.get(cls)
    if declared is None:
        declared = _MEMBERS[cls] = _members(cls)
    return declared


def _members(cls: Any) -> tuple[Member, ...]:
    declared: Declaration = cls.__record__
    by_name: dict[str, Member] = {}
    for attribute in attrs.fields(cls):
        about = attribute.metadata.get(_MEANING)
        if about is not None:
            by_name[attribute.name] = _member(attribute.name, about)
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            about = vars(value.fget).get(_MEANING) if isinstance(value, property) else None
            if about is not None:
                by_name[name] = _member(name, about)
    named = [name for name in declared.layout if isinstance(name, str)]
    if "kind" in named and "kind" not in by_name:
        by_name["kind"] = Member("kind", ("kind",), attrgetter("kind"), Meaning(""))
    if "text" in named and "text" not in by_name:
        by_name["text"] = Member("text", ("text",), str, Meaning(declared.text))
    unplaced = [name for name in by_name if name not in named]
    start = declared.layout.index(...) if ... in declared.layout else len(named)
    head, tail = declared.layout[:start], declared.layout[start + 1 :]
    ordered = [by_name[name] for name in (*head, *unplaced, *tail) if name in by_name]
    is_marked = declared.document and declared.marked
    constants = {"schema": declared.document, "schemaVersion": declared.version} if is_marked else {}
    marks = [Member("", (key,), lambda _, value=value: value, Meaning("")) for key, value in constants.items()]  # type: ignore[misc]
    return (*marks, *ordered)


def _member(name: str, about: Meaning) -> Member:
    path = about.path or camel(name)
    return Member(name, () if path == "*" else tuple(path.split(".")), attrgetter(name), about)


def texts(values: tuple[object, ...]) -> list[str]:
    """Return what each of *values* says, for a field that documents have as a list of texts."""
    return list(map(str, values))


def lower_first(name: str) -> str:
    """Return the kind that documents have for a class: ``planWaits`` for ``PlanWaits``."""
    return name[0].lower() + name[1:]


class _Attributes:
    """The attributes of a record as a mapping, for the places in its sentence."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __getitem__(self, name: str) -> Any:
        value = getattr(self._value, name)
        return ", ".join(map(str, value)) if isinstance(value, tuple) else value


def _sentence(says: str) -> Callable[[Any], str]:
    def made(self: Any) -> str:
        return says.format_map(_Attributes(self))

    made.__name__, made.__qualname__ = "__str__", "__str__"
    return made
