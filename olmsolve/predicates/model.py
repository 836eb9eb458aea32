"""The predicates: frozen, hashable values that test one bundle, and print as a noun phrase for messages.

They mean what the shipped controller means: each candidate bundle is tested alone, against the whole tree of a compound
constraint. :mod:`.normal` has the form for the documented meaning.

Predicates are keys of the resolver's tables, so each remembers its hash (``cache_hash``): the hash of a compound walks
its whole tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import attrs

from olmsolve._frozen import shared_repr
from olmsolve.predicates.published_facts import GVK, Published
from olmsolve.semver import BlangRange

if TYPE_CHECKING:
    from olmsolve import cel


@attrs.frozen(cache_hash=True)
@shared_repr
class ProvidesGVK:
    """The bundle provides the API *gvk* (an ``olm.gvk`` property)."""

    gvk: GVK
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return self.gvk in published.gvks

    def __str__(self) -> str:
        return f"the API {self.gvk}"


@attrs.frozen(cache_hash=True)
@shared_repr
class InPackage:
    """The bundle is of *package*, in one of the *versions*.

    The bundle is of every package that an ``olm.package`` property names, and of the package that holds it. It has
    every version that an ``olm.package`` property states, whichever package that names, and its own. So a bundle with
    ``a 1.0.0`` and ``b 2.0.0`` is also of package ``a`` in version 2.0.0, as in the controller.
    """

    package: str
    versions: BlangRange
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        # An installed operator is in no package of a catalog; a requirement of the package "" must not find it.
        in_catalog = published.package and self.package == published.package
        if not in_catalog and all(name != self.package for name, _ in published.packages):
            return False
        own = published.version
        if own is not None and own in self.versions:
            return True
        return any(version is not None and version in self.versions for _, version in published.packages)

    def __str__(self) -> str:
        return f"package {self.package} in {self.versions}"


@attrs.frozen(cache_hash=True)
@shared_repr
class HasLabel:
    """The bundle carries *label* (an ``olm.label`` property)."""

    label: str
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return self.label in published.labels

    def __str__(self) -> str:
        return f"the label {self.label}"


@attrs.frozen(cache_hash=True)
@shared_repr
class Satisfies:
    """The bundle's properties satisfy the CEL *rule*; a rule that fails on them does not match."""

    rule: cel.Rule
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return self.rule.matches(published.cel_properties())

    def __str__(self) -> str:
        return f"properties that satisfy {self.rule.text}"


@attrs.frozen(cache_hash=True)
@shared_repr
class AllOf:
    """Every one of the *parts* holds."""

    parts: tuple[Predicate, ...] = attrs.field(validator=attrs.validators.min_len(1))
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return all(part.test(published) for part in self.parts)

    def __str__(self) -> str:
        return f"all of ({_listed(self.parts)})"


@attrs.frozen(cache_hash=True)
@shared_repr
class AnyOf:
    """At least one of the *parts* holds."""

    parts: tuple[Predicate, ...] = attrs.field(validator=attrs.validators.min_len(1))
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return any(part.test(published) for part in self.parts)

    def __str__(self) -> str:
        return f"any of ({_listed(self.parts)})"


@attrs.frozen(cache_hash=True)
@shared_repr
class NoneOf:
    """None of the *parts* holds: OLM's ``not``."""

    parts: tuple[Predicate, ...] = attrs.field(validator=attrs.validators.min_len(1))
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return not any(part.test(published) for part in self.parts)

    def __str__(self) -> str:
        return f"none of ({_listed(self.parts)})"


Predicate: TypeAlias = ProvidesGVK | InPackage | HasLabel | Satisfies | AllOf | AnyOf | NoneOf
"""A test on one bundle: ``test(published)``. ``message`` is the ``failureMessage`` of a constraint, else ""."""


def stated(predicate: Predicate, *, rules_out: bool = False) -> str:
    """Return what a bundle with the requirement *predicate* states, as a verb phrase: "requires the API x".

    "Requires none of x" could be read as "does not require x". So a ``not`` that *rules_out* other bundles, as
    documented, says what it must not be beside; for the shipped controller, it is another bundle that is wanted.
    """
    plain = without_double_negation(predicate)
    if not isinstance(plain, NoneOf):
        return f"requires {plain}"
    if rules_out:
        return f"must not be beside {' or '.join(map(_of_bundle, plain.parts))}"
    return f"requires a bundle that is {plain}"


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


def _of_bundle(part: Predicate) -> str:
    """Return *part* as a noun: a bundle has an API, a label or a property; it is of a package."""
    return f"a bundle with {part}" if isinstance(part, ProvidesGVK | HasLabel | Satisfies) else str(part)


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
        if isinstance(predicate, AllOf | AnyOf | NoneOf):
            for part in predicate.parts:
                yield from _messages(part, failing)


def leaves(predicate: Predicate) -> Iterator[Predicate]:
    """Yield the parts of *predicate* that have no parts themselves, in the order in which they are written.

    >>> from olmsolve.predicates import HasLabel
    >>> print(*leaves(AllOf((HasLabel("a"), NoneOf((HasLabel("b"),))))), sep="; ")
    the label a; the label b
    """
    if isinstance(predicate, AllOf | AnyOf | NoneOf):
        for part in predicate.parts:
            yield from leaves(part)
    else:
        yield predicate


def _listed(parts: tuple[Predicate, ...]) -> str:
    return "; ".join(map(str, parts))
