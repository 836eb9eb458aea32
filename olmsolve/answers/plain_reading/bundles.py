"""Bundles, read plainly: the facts that one states, which others may require, and its own requirements, each a test.

After OLM's documentation ("Operator Lifecycle Manager dependency resolution", "Generic constraints", "Compound
constraints", "Common Expression Language (CEL) constraints"). Field names match in any letter case, except in
``olm.constraint``, which is read strictly. A test prints as a noun phrase.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, Protocol, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.answers.plain_reading.rule_values import NoOpinion
from olmsolve.answers.plain_reading.rules import PlainRule
from olmsolve.answers.plain_reading.versions import PlainRange, PlainVersion
from olmsolve.errors import RequestError
from olmsolve.predicates import GVK, OwnValue, Property


class StatedFacts(Protocol):
    """The facts of a bundle that a requirement may ask for; :class:`.PlainFacts` says what each means."""

    @property
    def package(self) -> str: ...
    @property
    def packages(self) -> tuple[tuple[str, PlainVersion | None], ...]: ...
    @property
    def version(self) -> PlainVersion | None: ...
    @property
    def gvks(self) -> tuple[GVK, ...]: ...
    @property
    def labels(self) -> frozenset[str]: ...
    def cel_properties(self) -> list[dict[str, Any]]: ...


@attrs.frozen
class ApiTest:
    """A bundle provides the API *gvk*."""

    gvk: GVK

    def test(self, facts: StatedFacts) -> bool:
        return self.gvk in facts.gvks

    def __str__(self) -> str:
        return f"the API {self.gvk}"


@attrs.frozen
class PackageTest:
    """A bundle is of *package*, and one of its versions is in *versions*.

    It is of the package of the catalog that has it, and of all that its properties name; its versions are its own and
    all that these properties state.
    """

    package: str
    versions: PlainRange

    def test(self, facts: StatedFacts) -> bool:
        names = {name for name, _ in facts.packages}
        names |= {facts.package} if facts.package else set()
        stated = [facts.version, *(version for _, version in facts.packages)]
        return self.package in names and any(
            claimed is not None and self.versions.contains(claimed) for claimed in stated
        )

    def __str__(self) -> str:
        return f"package {self.package} in {self.versions}"


@attrs.frozen
class LabelTest:
    """A bundle has *label*."""

    label: str

    def test(self, facts: StatedFacts) -> bool:
        return self.label in facts.labels

    def __str__(self) -> str:
        return f"the label {self.label}"


@attrs.frozen
class RuleTest:
    """A bundle's properties satisfy the CEL rule *text*; an error satisfies nothing."""

    text: str

    def test(self, facts: StatedFacts) -> bool:
        properties = facts.cel_properties()
        rule = _rule(self.text)
        if rule is not None:
            try:
                return rule.outcome(properties) is True
            except NoOpinion:
                pass
        from olmsolve import cel  # imported late, because it is not needed for rules that the plain reader can evaluate

        return cel.compile(self.text).matches(properties)

    def __str__(self) -> str:
        return f"properties that satisfy {self.text}"


# A rule of 60 characters takes 25 µs to read or more, and the versions of a package tend to state the same one.
@lru_cache(maxsize=1024)
def _rule(text: str) -> PlainRule | None:
    try:
        return PlainRule(text)
    except NoOpinion:
        return None


def is_rule(text: str) -> bool:
    """Return whether OLM takes *text* for a rule: it compiles, and to a condition."""
    rule = _rule(text)
    if rule is not None:
        return rule.is_condition
    from olmsolve import cel
    from olmsolve.errors import CompileError

    try:
        cel.compile(text)
    except CompileError:
        return False
    return True


@attrs.frozen(cache_hash=True)
class PartsTest:
    """All, any or none ("not") of *parts* hold of one bundle."""

    kind: Literal["all", "any", "not"]
    parts: tuple[BundleTest, ...]

    def test(self, facts: StatedFacts) -> bool:
        holding = [part.test(facts) for part in self.parts]
        return {"all": all(holding), "any": any(holding), "not": not any(holding)}[self.kind]

    def __str__(self) -> str:
        return f"{_NOUNS[self.kind]} of ({'; '.join(map(str, self.parts))})"


_NOUNS: Final[Mapping[str, str]] = {"all": "all", "any": "any", "not": "none"}

BundleTest: TypeAlias = ApiTest | PackageTest | LabelTest | RuleTest | PartsTest
"""A test on one bundle: ``test(facts)``."""


# The controller takes constraints of 128 KiB; the documented limit of levels is ten.
_MOST_BYTES: Final = 128 * 1024
_MOST_LEVELS: Final = 10
_COMPOUND: Final[tuple[Literal["all", "any", "not"], ...]] = ("all", "any", "not")
_KINDS: Final = ("gvk", "package", "cel", *_COMPOUND)


class UnreadableRequirementError(Exception):
    """A property that states a requirement does not parse; the text says which, and why."""


@attrs.frozen
class PlainFacts:
    """The facts that one bundle states.

    *package* is the package of the catalog that has it, "" for an installed operator; *packages* are the packages that
    its properties name, with their versions (None: not a version); *version* is its own, read tolerantly.
    """

    package: str
    packages: tuple[tuple[str, PlainVersion | None], ...]
    version: PlainVersion | None
    gvks: tuple[GVK, ...]
    labels: frozenset[str]
    deprecated: bool
    properties: tuple[Property, ...] = attrs.field(repr=False)

    def cel_properties(self) -> list[dict[str, Any]]:
        """Return the properties as rules see them."""
        return [{"type": property_.type, "value": property_.value} for property_ in self.properties]


@attrs.frozen
class PlainRequirement:
    """A need of a bundle, and the type of the property that states it."""

    predicate: BundleTest
    property_type: str

    def __str__(self) -> str:
        return f"{self.predicate} ({self.property_type})"


def facts(package: str, properties: Iterable[Property], *, version: str | None = None) -> PlainFacts:
    """Return what *properties* of a bundle of *package* say.

    *version* is what the object of an installed operator states. Without it, the first ``olm.package`` property with a
    version states the bundle's own.
    """
    properties = tuple(properties)
    named: list[tuple[str, PlainVersion | None]] = []
    apis: list[GVK] = []
    labels: set[str] = set()
    types = {property_.type for property_ in properties}
    for property_ in properties if not types.isdisjoint(_STATED) else ():
        # A value is decoded each time, and the descriptions of a bundle are long.
        value = property_.value if property_.type in _STATED else None
        if not isinstance(value, Mapping):
            continue
        if property_.type == "olm.package":
            name, text = _field(value, "packageName"), _field(value, "version")
            if isinstance(name, str):
                named.append((name, PlainVersion.strict(text)))
            if version is None and isinstance(text, str):
                version = text
        elif property_.type == "olm.gvk":
            parts = [_field(value, name, "") for name in ("group", "version", "kind")]
            if all(isinstance(part, str) for part in parts) and GVK(*parts) not in apis:
                apis.append(GVK(*parts))
        elif property_.type == "olm.label":
            label = _field(value, "label")
            if isinstance(label, str):
                labels.add(label)
    return PlainFacts(
        package,
        tuple(named),
        PlainVersion.tolerant(version),
        tuple(apis),
        frozenset(labels),
        "olm.deprecated" in types,
        properties,
    )


def requirements(properties: Iterable[Property]) -> tuple[PlainRequirement, ...]:
    """Return the requirements among *properties*, in their order.

    Raises:
        UnreadableRequirementError: one of them does not parse.
    """
    return tuple(
        PlainRequirement(_required(property_.type, property_.value), property_.type)
        for property_ in properties
        if property_.type in _REQUIRED
    )


_STATED: Final = frozenset({"olm.package", "olm.gvk", "olm.label"})
_REQUIRED: Final = frozenset({"olm.gvk.required", "olm.package.required", "olm.label.required", "olm.constraint"})


def _required(type_: str, value: Any) -> BundleTest:
    if isinstance(value, OwnValue):
        raise RequestError(f"{value} is a predicate of a program, which a certificate cannot hold", field=type_)
    if not isinstance(value, Mapping):
        raise UnreadableRequirementError(f"{type_}: not an object")
    if type_ == "olm.constraint":
        return constraint(value)
    fields = {
        name: _field(value, name) for name in ("group", "version", "kind", "packageName", "versionRange", "label")
    }
    if type_ == "olm.gvk.required":
        return ApiTest(GVK(*(_text(fields, name, type_) for name in ("group", "version", "kind"))))
    if type_ == "olm.package.required":
        return _package(_text(fields, "packageName", type_), _text(fields, "versionRange", type_))
    return LabelTest(_text(fields, "label", type_))


def constraint(value: Mapping[str, Any]) -> BundleTest:
    """Return what *value*, of an ``olm.constraint`` property, requires. Raises UnreadableRequirementError."""
    _refuse_too_large(value)
    return _constraint(value, 1)


def _constraint(value: Any, level: int) -> BundleTest:
    if level > _MOST_LEVELS:
        raise UnreadableRequirementError(f"a constraint has more than {_MOST_LEVELS} levels")
    _only(value, (*_KINDS, "failureMessage"))
    _text(value, "failureMessage", "a constraint")
    kinds = [kind for kind in _KINDS if value.get(kind) is not None]
    if len(kinds) != 1:
        raise UnreadableRequirementError(f"a constraint has {len(kinds)} kinds: {', '.join(kinds)}")
    [kind] = kinds
    inner = value[kind]
    if kind == "gvk":
        _only(inner, ("group", "version", "kind"))
        return ApiTest(GVK(*(_text(inner, name, kind) for name in ("group", "version", "kind"))))
    if kind == "package":
        _only(inner, ("packageName", "name", "versionRange"))
        names = [name for name in ("packageName", "name") if inner.get(name) is not None]
        if len(names) > 1:
            raise UnreadableRequirementError("a package has two names")
        return _package(_text(inner, names[0], kind) if names else "", _text(inner, "versionRange", kind))
    if kind == "cel":
        _only(inner, ("rule",))
        rule = _text(inner, "rule", kind)
        if not is_rule(rule):
            raise UnreadableRequirementError(f"a CEL rule that does not compile: {rule}")
        return RuleTest(rule)
    _only(inner, ("constraints",))
    parts = inner.get("constraints")
    if not isinstance(parts, list | tuple) or not parts:
        raise UnreadableRequirementError(f"{kind} has no constraints")
    [compound] = [compound_kind for compound_kind in _COMPOUND if compound_kind == kind]
    return PartsTest(compound, tuple(_constraint(part, level + 1) for part in parts))


def _package(name: str, versions: str) -> PackageTest:
    range_ = _range(versions)
    if range_ is None:
        raise UnreadableRequirementError(f"not a version range: {versions}")
    return PackageTest(name, range_)


# Catalogs repeat few ranges in many bundles: reading one takes 34 µs, looking it up 0.04.
_range: Final = lru_cache(maxsize=4096)(PlainRange.read)


def _only(value: Any, names: Collection[str]) -> None:
    """Raise UnreadableRequirementError where *value* is no object, or has other fields than *names*."""
    if not isinstance(value, Mapping):
        raise UnreadableRequirementError("not an object")
    others = [name for name in value if name not in names]
    if others:
        raise UnreadableRequirementError(f"unknown fields: {', '.join(map(str, others))}")


def _text(value: Mapping[str, Any], name: str, where: str) -> str:
    """Return the text of a field, "" where it is absent. Raises UnreadableRequirementError for another type."""
    text = value.get(name)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise UnreadableRequirementError(f"{where}: {name} is not text")
    # Half of a pair of surrogates, which JSON can escape, is no character in Go.
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def _field(value: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """Return the field *name* of *value*, in whatever letter case; of several, the last by bytes that is not null."""
    if value.keys() <= _USUAL:
        # Written as documented, which nearly all are: no other spelling is there.
        content: Any = value.get(name)
        return default if content is None else content
    content = default
    for key in sorted(
        spelling for spelling in value if isinstance(spelling, str) and _folded(spelling) == _folded(name)
    ):
        if value[key] is not None or isinstance(content, list):
            content = value[key]
    return content


_USUAL: Final = frozenset(
    {"packageName", "version", "release", "group", "kind", "label", "versionRange", "package", "propertyType"}
)


def _folded(name: str) -> str:
    folded = name.casefold()
    return folded if len(folded) == len(name) else name


def _refuse_too_large(value: Any) -> None:
    """Raise UnreadableRequirementError where *value* has more than 64 KiB of compact JSON.

    The walk stops at the limit, because a value with shared parts can be larger than memory when written out.
    """
    size = 0
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            size += len(part.encode("utf-8", "surrogatepass")) + 2
        elif isinstance(part, Mapping):
            # Two brackets, a colon for each field, and commas between them: {"a":1,"b":2} has 5 signs beside its parts.
            size += max(2, 2 * len(part) + 1)
            waiting += [element for pair in part.items() for element in pair]
        elif isinstance(part, list | tuple):
            # Two brackets and commas between: [1,2,3] has 4 signs beside its elements.
            size += max(2, len(part) + 1)
            waiting += part
        else:
            # At least: numbers may be longer, and what is surely too large is refused.
            size += 1
        if size > _MOST_BYTES:
            raise UnreadableRequirementError(f"has more than {_MOST_BYTES} bytes")
