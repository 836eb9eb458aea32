"""The predicates: frozen, hashable values that test one bundle, and print as a noun phrase for messages.

They mean what the shipped controller means: each candidate bundle is tested alone, against the whole tree of a compound
constraint. :mod:`.normal` has the form for the documented meaning.

A kind of predicate owns what is known of it: its words, the fact by which tables find bundles, what nearly meets it,
and which of its fields are names. Other rooms ask for that, and look at no kind.

Predicates are keys of the resolver's tables, so each remembers its hash (``cache_hash``): the hash of a compound walks
its whole tree, 1.4 µs for five leaves in place of 0.04.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_a, is_name, is_text, wrong_type
from olmsolve._attrs import unchecked
from olmsolve.errors import RequestError
from olmsolve.predicates.properties import OwnValue
from olmsolve.predicates.published_facts import GVK, Fact, Published
from olmsolve.semver import BlangRange, quote

if TYPE_CHECKING:
    from olmsolve import cel

N_co = TypeVar("N_co", covariant=True)


PackageRange: TypeAlias = tuple[str, BlangRange]
"""The name of a package, and versions of it."""

NameKind: TypeAlias = Literal["packages", "groups", "kinds", "labels", "cel"]
"""The kind of a name that a requirement's field holds; a CEL rule is a text with names in it."""
NAMED_FIELDS: Final[dict[str, NameKind]] = {}
"""The fields of all kinds of predicates that hold names, in lower case, as :attr:`Predicate.NAMES` declare them."""


class NearMissFinder(Protocol[N_co]):
    """A finder of bundles that nearly meet a predicate, which knows the catalogs and makes notes on them."""

    def of_package(self, package: str, versions: BlangRange) -> Iterator[N_co]:
        """Yield notes on *package* without a version in *versions*, or on packages of similar names."""
        ...

    def of_api(self, gvk: GVK) -> Iterator[N_co]:
        """Yield notes on other versions of an API."""
        ...


class Predicate(OwnValue):
    """A test on one bundle; the kinds of predicates are its subclasses.

    A kind states ``test`` and ``__str__``; all else has a default, which serves a kind that no table knows. Its values
    are frozen and hash: equal requirements of many bundles are looked up once.
    """

    __slots__ = ()
    NAMES: ClassVar[Mapping[str, NameKind]] = {}
    """The fields that hold names, in lower case, and the kind of each name: ``olmsolve reduce --anonymise`` asks."""
    message: str
    """The ``failureMessage`` of a constraint, else ""."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        NAMED_FIELDS.update(cls.NAMES)

    def test(self, published: Published) -> bool:
        """Return whether the bundle that publishes these facts meets the predicate."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Predicate, ...]:
        """The predicates that a compound is made of; () for others."""
        return ()

    @property
    def all_of(self) -> tuple[Predicate, ...]:
        """The parts that all have to hold; () if that is not what the predicate says."""
        return ()

    @property
    def any_of(self) -> tuple[Predicate, ...]:
        """The parts of which one has to hold; () if that is not what the predicate says."""
        return ()

    @property
    def none_of(self) -> tuple[Predicate, ...]:
        """The parts of which none may hold; () if that is not what the predicate says."""
        return ()

    @property
    def package_range(self) -> PackageRange | None:
        """The package and the versions, for a predicate that asks for nothing else; None for other predicates."""
        return None

    @property
    def cel_rule(self) -> cel.Rule | None:
        """The CEL rule, for a predicate that asks for nothing else; None for other predicates."""
        return None

    @property
    def fact(self) -> Fact | None:
        """A fact that every bundle states that meets the predicate; None if each bundle has to be tested."""
        return None

    @property
    def is_fact(self) -> bool:
        """Whether every bundle that states :attr:`fact` meets the predicate."""
        return False

    @property
    def as_bundle(self) -> str:
        """The predicate as a noun for a bundle: a bundle has an API, a label or a property; it is of a package."""
        return f"a bundle with {self}"

    @property
    def as_olm_says(self) -> str:
        """The words of OLM itself, which it writes into the conditions of a subscription (as recorded)."""
        return f"an operator {self.olm_words}"

    @property
    def olm_words(self) -> str:
        """The words of OLM itself about a bundle that meets the predicate, such as "with label: tested"."""
        return str(self)

    def near_misses(self, finder: NearMissFinder[N_co]) -> Iterator[N_co]:
        """Yield the notes of *finder* on bundles that nearly meet the predicate."""
        yield from ()


def _is_range(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, BlangRange):
        hint = f"BlangRange.parse({value!r:.40})" if isinstance(value, str) else ""
        raise wrong_type(value, "a range of versions", field.name, hint)


def _is_rule(_: object, field: attrs.Attribute[Any], value: object) -> None:
    from olmsolve import cel  # loaded by who compiled the rule

    if not isinstance(value, cel.Rule):
        hint = f"olmsolve.cel.compile({value!r:.40})" if isinstance(value, str) else ""
        raise wrong_type(value, "a compiled rule", field.name, hint)


def _is_api(_: object, field: attrs.Attribute[Any], value: object) -> None:
    is_a(GVK)(_, field, value)
    if not all(isinstance(part, str) for part in value):  # type: ignore[attr-defined]
        raise RequestError("must have three texts", field=field.name, hint="group, version and kind")


@attrs.frozen(cache_hash=True)
class ProvidesGVK(Predicate):
    """The bundle provides the API *gvk* (an ``olm.gvk`` property)."""

    NAMES: ClassVar[Mapping[str, NameKind]] = {"group": "groups", "kind": "kinds"}
    gvk: GVK = attrs.field(validator=_is_api)
    message: str = attrs.field(default="", kw_only=True, validator=is_text)

    def test(self, published: Published) -> bool:
        return self.gvk in published.gvks

    @property
    def fact(self) -> Fact:
        return Fact("api", self.gvk)

    @property
    def is_fact(self) -> bool:
        return True

    @property
    def olm_words(self) -> str:
        group, version, kind = self.gvk
        return f"providing an API with group: {group}, version: {version}, kind: {kind}"

    def near_misses(self, finder: NearMissFinder[N_co]) -> Iterator[N_co]:
        return finder.of_api(self.gvk)

    def __str__(self) -> str:
        return f"the API {self.gvk}"


@attrs.frozen(cache_hash=True)
class InPackage(Predicate):
    """The bundle is of *package*, in one of the *versions*.

    The bundle is of every package that an ``olm.package`` property names, and of the package that holds it. It has
    every version that an ``olm.package`` property states, whichever package that names, and its own. So a bundle with
    ``a 1.0.0`` and ``b 2.0.0`` is also of package ``a`` in version 2.0.0, as in the controller.
    """

    # A constraint may write "name" for "packageName".
    NAMES: ClassVar[Mapping[str, NameKind]] = {"packagename": "packages", "name": "packages"}
    package: str = attrs.field(validator=is_name)
    versions: BlangRange = attrs.field(validator=_is_range)
    message: str = attrs.field(default="", kw_only=True, validator=is_text)

    def test(self, published: Published) -> bool:
        # An installed operator is in no package of a catalog; a requirement of the package "" must not find it.
        in_catalog = published.package and self.package == published.package
        if not in_catalog and all(name != self.package for name, _ in published.packages):
            return False
        published_version = published.version
        if published_version is not None and published_version in self.versions:
            return True
        return any(version is not None and version in self.versions for _, version in published.packages)

    @property
    def fact(self) -> Fact:
        return Fact("package", self.package)

    @property
    def package_range(self) -> PackageRange:
        return self.package, self.versions

    @property
    def as_bundle(self) -> str:
        return str(self)

    @property
    def olm_words(self) -> str:
        return f"with package: {self.package} and with version in range: {self.versions}"

    def near_misses(self, finder: NearMissFinder[N_co]) -> Iterator[N_co]:
        return finder.of_package(self.package, self.versions)

    def __str__(self) -> str:
        return f"package {self.package} in {self.versions}"


# Without the checks of the class, which a text of a catalog needs none of: 0.24 instead of 0.33 µs as well.
in_package_of: Final[Callable[..., InPackage]] = unchecked(InPackage)
"""Make the predicate from its class and all its fields. Nothing is checked, so names may be empty, as in a catalog."""


@attrs.frozen(cache_hash=True)
class HasLabel(Predicate):
    """The bundle carries *label* (an ``olm.label`` property)."""

    NAMES: ClassVar[Mapping[str, NameKind]] = {"label": "labels"}
    label: str = attrs.field(validator=is_name)
    message: str = attrs.field(default="", kw_only=True, validator=is_text)

    def test(self, published: Published) -> bool:
        return self.label in published.labels

    @property
    def fact(self) -> Fact:
        return Fact("label", self.label)

    @property
    def is_fact(self) -> bool:
        return True

    @property
    def olm_words(self) -> str:
        return f"with label: {self.label}"

    def __str__(self) -> str:
        return f"the label {self.label}"


has_label_of: Final[Callable[..., HasLabel]] = unchecked(HasLabel)
"""Make the predicate of the class and all fields, as a catalog states them: its label may be empty."""


@attrs.frozen(cache_hash=True)
class Satisfies(Predicate):
    """The bundle's properties satisfy the CEL *rule*; a rule that fails on them does not match."""

    NAMES: ClassVar[Mapping[str, NameKind]] = {"rule": "cel"}
    rule: cel.Rule = attrs.field(validator=_is_rule)
    message: str = attrs.field(default="", kw_only=True, validator=is_text)

    def test(self, published: Published) -> bool:
        return self.rule.matches(published.cel_properties())

    @property
    def cel_rule(self) -> cel.Rule:
        return self.rule

    @property
    def olm_words(self) -> str:
        return f"with constraint: {quote(self.rule.text)} and message: {quote(self.message)}"

    def __str__(self) -> str:
        return f"properties that satisfy {self.rule.text}"


def _parts(values: Iterable[Predicate]) -> tuple[Predicate, ...]:
    parts = every(values, Predicate, "parts")
    if not parts:
        raise RequestError("must have one element at least", field="parts")
    return parts


@attrs.frozen(cache_hash=True)
class _Compound(Predicate):
    """A predicate made of one or more *parts*."""

    _WORDS: ClassVar[str]
    parts: tuple[Predicate, ...] = attrs.field(converter=_parts)
    message: str = attrs.field(default="", kw_only=True, validator=is_text)

    @property
    def as_bundle(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self._WORDS} ({'; '.join(map(str, self.parts))})"


@attrs.frozen(cache_hash=True)
class AllOf(_Compound):
    """Every one of the *parts* holds."""

    _WORDS: ClassVar[str] = "all of"

    @property
    def all_of(self) -> tuple[Predicate, ...]:
        return self.parts

    def test(self, published: Published) -> bool:
        return all(part.test(published) for part in self.parts)

    @property
    def olm_words(self) -> str:
        return " and ".join(part.olm_words for part in self.parts)


@attrs.frozen(cache_hash=True)
class AnyOf(_Compound):
    """At least one of the *parts* holds."""

    _WORDS: ClassVar[str] = "any of"

    @property
    def any_of(self) -> tuple[Predicate, ...]:
        return self.parts

    def test(self, published: Published) -> bool:
        return any(part.test(published) for part in self.parts)

    @property
    def olm_words(self) -> str:
        return " or ".join(part.olm_words for part in self.parts)


@attrs.frozen(cache_hash=True)
class NoneOf(_Compound):
    """None of the *parts* holds: OLM's ``not``."""

    _WORDS: ClassVar[str] = "none of"

    @property
    def none_of(self) -> tuple[Predicate, ...]:
        return self.parts

    def test(self, published: Published) -> bool:
        return not any(part.test(published) for part in self.parts)

    @property
    def olm_words(self) -> str:
        # OLM writes "not" between the parts alone: "not x" is "x" in its words, "not (x, y)" is "x and not y".
        return " and not ".join(part.olm_words for part in self.parts)


def stated(predicate: Predicate, *, rules_out: bool = False) -> str:
    """Return what a bundle with the requirement *predicate* states, as a verb phrase: "requires the API x".

    "Requires none of x" could be read as "does not require x". So a ``not`` that *rules_out* other bundles, as
    documented, says what it excludes; for the shipped controller, it is another bundle that is wanted.
    """
    plain = without_double_negation(predicate)
    if not isinstance(plain, NoneOf):
        return f"requires {plain}"
    if rules_out:
        return f"excludes {' or '.join(part.as_bundle for part in plain.parts)}"
    return f"requires a bundle that matches {plain}"


def is_joint(predicate: Predicate) -> bool:
    """Return whether the shipped controller asks a single bundle for several things by *predicate*."""
    return isinstance(without_double_negation(predicate), AllOf | NoneOf)


def without_double_negation(predicate: Predicate) -> Predicate:
    """Return *predicate* without negations that cancel: ``not`` of nothing but ``not`` asks for their parts."""
    while isinstance(predicate, NoneOf) and all(isinstance(part, NoneOf) for part in predicate.parts):
        met = tuple(_any_of(part.parts) for part in predicate.parts if isinstance(part, NoneOf))
        predicate = met[0] if len(met) == 1 else AllOf(met)
    return predicate


def _any_of(parts: tuple[Predicate, ...]) -> Predicate:
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def failure_messages(predicate: Predicate, failing: Iterable[Predicate] = ()) -> tuple[str, ...]:
    """Return the ``failureMessage`` of *predicate* and of its parts, as written, each once.

    *failing* are the parts that are not met: messages of other parts, which are met, are left out.
    """
    unmet = frozenset(leaf for part in failing for leaf in leaves(part))
    return tuple(dict.fromkeys(filter(None, _messages(predicate, unmet))))


def _messages(predicate: Predicate, failing: frozenset[Predicate]) -> Iterator[str]:
    """Yield the messages on the way to the leaves *failing*; all messages if there are none."""
    if not failing or not failing.isdisjoint(leaves(predicate)):
        yield predicate.message
        for part in predicate.parts:
            yield from _messages(part, failing)


def leaves(predicate: Predicate) -> Iterator[Predicate]:
    """Yield the leaves of *predicate*, the parts without parts, in the order in which they are written.

    >>> from olmsolve.predicates import HasLabel
    >>> print(*leaves(AllOf((HasLabel("a"), NoneOf((HasLabel("b"),))))), sep="; ")
    the label a; the label b
    """
    if not predicate.parts:
        yield predicate
    for part in predicate.parts:
        yield from leaves(part)
