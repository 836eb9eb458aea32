"""Everything that olmsolve raises on purpose.

::

    OlmsolveError
    ├── VersionError        text that is not a version
    ├── RangeError          text that is not a version range
    ├── ConstraintError     an ``olm.constraint`` value that does not parse
    ├── CelError
    │   ├── CompileError    a rule that is not valid in OLM's CEL environment
    │   └── EvaluationError a valid rule that fails on the given properties
    ├── CatalogError        a catalog that cannot be read, or a fault inside one that decides a request
    │   └── CatalogErrors   several faults of catalogs, raised together
    ├── RequestError        a request document that cannot be read or contradicts itself
    │   └── ManifestError   an object of a cluster with the wrong shape for its kind
    ├── BackendError        a SAT backend that does not exist, or cannot do what a call needs
    ├── Incomplete          a time or conflict budget ran out, or the caller cancelled
    └── ResolutionFailure   (olmsolve.resolution) there is no solution
        └── Unsatisfiable   (olmsolve.classic) with the constraints of a minimal core

Errors carry objects; ``__str__`` makes the sentence. Every error can be pickled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern

_EXCERPT: Final = 120  # characters of a line that is shown, half of them before the fault
_LINE_END: Final = pattern("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# User and password of a URL; a path object has made one slash of two. Who writes "/" into a password has written no
# URL, but a password none the less, so what cannot be a host, a port and a path ends at the "@" only.
# Compiled by re when a text that may have them is first printed, since it takes half a millisecond.
_USER: Final = r"([A-Za-z][A-Za-z0-9+.-]*:/{1,2})(?:[^/\s\"'<>?#]*|[^/:@\s\[]*:(?![0-9]+/)[^\s@]*)@"


class OlmsolveError(Exception):
    """The root of the tree: catch this to catch everything that olmsolve raises on purpose."""

    def _compared(self) -> tuple[Any, ...]:
        kind = type(self)
        fields = attrs.fields(kind) if attrs.has(kind) else ()
        return tuple(getattr(self, field.name) for field in fields if field.eq) or self.args

    def __eq__(self, other: object) -> bool:
        """Return True for an error of the same class with equal values."""
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, OlmsolveError)
        return self is other or self._compared() == other._compared()

    def __hash__(self) -> int:
        # Values of some errors cannot be hashed, and errors are hashed seldom.
        return hash((type(self), str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Libraries for distributed workers replace the way in which exceptions without a __reduce__ of their own are
        # pickled, and then set attributes, which frozen errors refuse.
        return type(self), self.args


def without_password(text: str) -> str:
    """Return *text* without the user and the password in its URLs.

    >>> without_password("https://me:secret@a.example/b: no such catalog")
    'https://a.example/b: no such catalog'
    """
    # Nearly no text has both signs, and the others pay for no expression: 0.06 and 1.7 µs for forty characters.
    return re.sub(_USER, r"\1", text) if "@" in text and ":/" in text else text


def on_one_line(text: str) -> str:
    """Return *text* with its line ends escaped: a name that strangers gave begins no line of a message.

    >>> print(on_one_line("a\\n::error::x"))
    a\\n::error::x
    """
    return text if text.isprintable() else _LINE_END.sub(lambda sign: ascii(sign[0])[1:-1], text)


def caret(text: str, position: int) -> str:
    """Return *text* on one line with a caret below *position* (0-based, in characters), cut around it if long.

    >>> print(caret("1.2.x", 4))
      1.2.x
          ^
    """
    start = max(0, position - _EXCERPT // 2)
    end = start + _EXCERPT
    before = "..." if start else ""
    after = "..." if end < len(text) else ""
    shown = "".join(character if character.isprintable() else " " for character in text[start:end])
    return f"  {before}{shown}{after}\n  {' ' * (len(before) + position - start)}^"


def pointed(reason: str, excerpt: str) -> str:
    """Return *reason* with *excerpt* below: the lines of :func:`caret`, "" where nothing is to be shown."""
    return f"{reason}\n{excerpt}" if excerpt else reason


@attrs.frozen
class VersionError(OlmsolveError, ValueError):
    """*text* is not a version: *reason* says why, *position* (0-based) where it went wrong."""

    text: str
    reason: str
    position: int = 0

    def __str__(self) -> str:
        return pointed(f"not a version: {self.reason}", caret(self.text, self.position))


@attrs.frozen
class RangeError(OlmsolveError, ValueError):
    """*text* is not a version range: *reason* says why, *position* (0-based) where it went wrong."""

    text: str
    reason: str
    position: int = 0

    @property
    def summary(self) -> str:
        """The message on one line, without the excerpt."""
        return f"not a version range: {self.reason}"

    @property
    def excerpt(self) -> str:
        """The text, with a caret below the position."""
        return caret(self.text, self.position)

    def __str__(self) -> str:
        return pointed(self.summary, self.excerpt)


@attrs.frozen
class ConstraintError(OlmsolveError, ValueError):
    """An ``olm.constraint`` value that does not parse; *path* leads to the fault (``all.constraints[1].gvk``).

    *excerpt* shows the fault inside a range or a CEL rule, as :func:`caret` draws it; it is "" for other faults.
    """

    reason: str
    path: str = ""
    excerpt: str = ""

    def __str__(self) -> str:
        reason = pointed(self.reason, self.excerpt)
        return f"{self.path}: {reason}" if self.path else reason


class CelError(OlmsolveError, ValueError):
    """A CEL rule that cannot be compiled or evaluated."""


@attrs.frozen
class CompileError(CelError):
    """*rule* is not valid in OLM's CEL environment."""

    rule: str
    reason: str
    position: int | None = None

    @property
    def summary(self) -> str:
        """The message on one line, without the excerpt."""
        return f"CEL rule does not compile: {self.reason}"

    @property
    def excerpt(self) -> str:
        """The rule, with a caret below the position; "" without a position."""
        return "" if self.position is None else caret(self.rule, self.position)

    def __str__(self) -> str:
        return pointed(self.summary, self.excerpt)


@attrs.frozen
class EvaluationError(CelError):
    """*rule* is valid, but evaluating it on the given properties failed."""

    rule: str
    reason: str

    def __str__(self) -> str:
        return f"CEL rule fails on these properties: {self.reason}"


@attrs.frozen
class CatalogError(OlmsolveError):
    """A catalog that cannot be read, or a fault inside one that decides a request.

    Every field but the reason is "" when unknown. *origin* is the file and document (as
    ``str(olmsolve.catalog.Origin)`` writes it), *catalog* is ``namespace/name``, *excerpt* is as in ConstraintError, or
    of text that is not JSON.
    """

    reason: str = attrs.field(converter=without_password)
    origin: str = attrs.field(default="", converter=without_password)
    catalog: str = ""
    package: str = ""
    channel: str = ""
    bundle: str = ""
    property: str = ""
    excerpt: str = ""

    def __str__(self) -> str:
        named = [(name, getattr(self, name)) for name in ("catalog", "package", "channel", "bundle", "property")]
        location = ", ".join(filter(None, [self.origin, *(f"{name} {value}" for name, value in named if value)]))
        location, reason = on_one_line(location), pointed(on_one_line(self.reason), self.excerpt)
        return f"{location}: {reason}" if location else reason


@attrs.frozen
class CatalogErrors(CatalogError):  # noqa: N818 - they are many
    """Several faults of catalogs at once: *errors* has all; the other fields are the fields of the first."""

    errors: tuple[CatalogError, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def raise_all(errors: Sequence[CatalogError]) -> None:
    """Raise *errors*, none, one or several, each of them once."""
    distinct = tuple(dict.fromkeys(errors))
    if len(distinct) == 1:
        raise distinct[0]
    if distinct:
        first = {field.name: getattr(distinct[0], field.name) for field in attrs.fields(CatalogError)}
        raise CatalogErrors(**first, errors=distinct)


@attrs.frozen
class RequestError(OlmsolveError, ValueError):
    """A request document that cannot be read or contradicts itself.

    *field* is the path of the offending field (``subscriptions[0].channel``), *hint* what was probably meant,
    *source* the document's file.
    """

    reason: str = attrs.field(converter=without_password)
    field: str = attrs.field(default="", converter=without_password)
    hint: str = attrs.field(default="", converter=without_password)
    source: str = attrs.field(default="", converter=without_password)

    def __str__(self) -> str:
        return self._sentence(self.source, self.field)

    def _sentence(self, *location: str) -> str:
        text = ": ".join(filter(None, [*location, self.reason]))
        return on_one_line(f"{text} ({self.hint})" if self.hint else text)


@attrs.frozen
class ManifestError(RequestError):
    """An object of a cluster that does not have the shape of its *kind*, or contradicts another object.

    *source* is the file and document (as ``str(olmsolve.catalog.Origin)`` writes it), *object* is
    ``namespace/name``; each is "" when unknown.
    """

    kind: str = ""
    object: str = ""

    def __str__(self) -> str:
        return self._sentence(self.source, " ".join(filter(None, [self.kind, self.object])), self.field)


@attrs.frozen
class NamespaceError(ManifestError):
    """A namespace that cannot be resolved, whatever its catalogs contain: that is the state of its cluster.

    It has no single operator group, an operator that cannot be read, or two subscriptions that own one operator. The
    input is fine, so that commands end as they do without a plan.
    """


@attrs.frozen
class BackendError(OlmsolveError, ValueError):
    """A SAT backend that does not exist, or cannot do what a call needs: keep a limit, answer clauses."""

    backend: str
    reason: str

    def __str__(self) -> str:
        return f"backend {self.backend!r}: {self.reason}"


@attrs.frozen
class Incomplete(OlmsolveError):  # noqa: N818 - the end of a budget is no error
    """No answer within the budget; *reason* is ``"timeout"``, ``"conflicts"`` or ``"cancelled"``."""

    reason: str

    def __str__(self) -> str:
        return {
            "timeout": "no answer within the time budget",
            "conflicts": "no answer within the conflict budget",
            "cancelled": "cancelled before there was an answer",
        }.get(self.reason, self.reason)
