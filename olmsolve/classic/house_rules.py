"""House rules: what the author of a request forbids, demands or prefers among bundles, beside OLM's own rules.

A system constraint (``eligibility``) judges one candidate at a time. House rules are about the selection: "never X
beside Y", "at least one of X", "prefer X". Each has a name in its author's words, by which cores, explanations and
plans tell of it. docs/house-rules.md says exactly what they mean.

They speak of everything that is selected: bundles to be installed, and operators that stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, Final

import attrs

from olmsolve._arguments import is_text, wrong_type
from olmsolve._frozen import shared_methods
from olmsolve.eligibility import CandidateFacts
from olmsolve.errors import ConstraintError, RangeError, RequestError
from olmsolve.predicates import (
    GVK,
    InPackage,
    Predicate,
    Property,
    ProvidesGVK,
    Published,
    parse_constraint,
    published,
)
from olmsolve.semver import BlangRange

_FIELDS: Final = ("package", "versions", "name", "api", "catalog", "constraint")
_CONSTRAINT: Final = "olm.constraint"


def _versions(value: BlangRange | str | None) -> BlangRange | None:
    if value is None or isinstance(value, BlangRange):
        return value
    if not isinstance(value, str):
        raise wrong_type(value, "a range of versions", "versions")
    try:
        return BlangRange.parse(value)
    except RangeError as error:
        raise RequestError(str(error), field="versions", hint="such as >=1.2.0 <2.0.0") from None


def _api(value: GVK | str | None) -> GVK | None:
    if value is None or isinstance(value, GVK):
        return value
    parts = value.split("/") if isinstance(value, str) else ()
    if len(parts) != 3 or not all(parts):
        raise RequestError(f"{value!r:.80} is not an API", field="api", hint="group/version/Kind")
    return GVK(*parts)


def _constraint(value: Mapping[str, Any] | Property | None) -> Property | None:
    if value is None or (isinstance(value, Property) and value.type == _CONSTRAINT):
        return value
    if not isinstance(value, Mapping):
        hint = 'such as {"cel": {"rule": "..."}}'
        raise wrong_type(value, "the value of an olm.constraint property", "constraint", hint)
    return Property(_CONSTRAINT, value)


@attrs.frozen
@shared_methods
class Bundles:
    """The bundles that have everything in common that is said here; at least one thing has to be.

    They are of *package*, in one of the *versions* (a range; needs *package*), called *name*, provide *api*
    (``group/version/Kind``), come from *catalog* (``namespace/name``; ``@existing`` for what is installed, which also
    counts as from the catalog that its subscription names), and meet *constraint*, the value of an ``olm.constraint``
    property, tested on each bundle alone. What they publish is read as for requirements
    (:class:`olmsolve.predicates.InPackage`): an installed operator is of the packages that its properties name.

    Raises:
        RequestError: nothing is said, *versions* come without *package*, or a field does not parse.

    >>> print(Bundles("keyring", versions="<2.0.0"))
    package keyring in <2.0.0
    """

    package: str = attrs.field(default="", validator=is_text)
    versions: BlangRange | None = attrs.field(default=None, converter=_versions, kw_only=True)
    name: str = attrs.field(default="", validator=is_text, kw_only=True)
    api: GVK | None = attrs.field(default=None, converter=_api, kw_only=True)
    catalog: str = attrs.field(default="", validator=is_text, kw_only=True)
    constraint: Property | None = attrs.field(default=None, converter=_constraint, kw_only=True)
    predicates: tuple[Predicate, ...] = attrs.field(init=False, eq=False, repr=False)
    """What has to hold of a bundle apart from its name and catalog, and from its package where no versions are said."""

    def __attrs_post_init__(self) -> None:
        if not any(getattr(self, field) for field in _FIELDS):
            raise RequestError("say nothing", field="bundles", hint=f"give one of {', '.join(_FIELDS)}")
        if self.versions is not None and not self.package:
            raise RequestError("come without a package", field="versions", hint="versions are those of a package")
        found: list[Predicate] = []
        if self.versions is not None:
            found.append(InPackage(self.package, self.versions))
        if self.api is not None:
            found.append(ProvidesGVK(self.api))
        if self.constraint is not None:
            try:
                found.append(parse_constraint(self.constraint.value))
            except ConstraintError as error:
                raise RequestError(str(error), field="constraint") from None
        object.__setattr__(self, "predicates", tuple(found))

    def include(self, name: str, catalogs: Collection[str], published: Published) -> bool:
        """Return whether the bundle *name* is one of them.

        *catalogs* are those that it counts as from: its own, and for an operator ``@existing`` and the one that its
        subscription names.
        """
        if self.name not in ("", name) or (self.catalog and self.catalog not in catalogs):
            return False
        if self.package and self.versions is None and not is_of_package(published, self.package):
            return False
        return all(predicate.test(published) for predicate in self.predicates)

    def as_predicates(self) -> tuple[Predicate, ...]:
        """Return predicates that all these bundles meet, by which an index finds them among few; () if there are none.

        A package is named with all versions.
        """
        if self.package and self.versions is None:
            return (InPackage(self.package, BlangRange.parse(">=0.0.0-0")), *self.predicates)
        return self.predicates

    def __str__(self) -> str:
        parts = [f"package {self.package}"] if self.package and self.versions is None else []
        parts += [f"bundle {self.name}"] if self.name else []
        parts += list(map(str, self.predicates))
        text = " with ".join(parts) or "anything"
        return f"{text} from {self.catalog}" if self.catalog else text

    def to_dict(self) -> dict[str, Any]:
        """Return what is said as a document; the constructor takes the same fields."""
        fields: dict[str, Any] = {
            "package": self.package,
            "versions": "" if self.versions is None else str(self.versions),
            "name": self.name,
            "api": "" if self.api is None else str(self.api),
            "catalog": self.catalog,
            "constraint": None if self.constraint is None else self.constraint.value,
        }
        return {field: value for field, value in fields.items() if value}


def is_of_package(published: Published, package: str) -> bool:
    """Return whether a bundle is of *package*: by the catalog that holds it, or by an ``olm.package`` property."""
    return published.package == package or any(name == package for name, _ in published.packages)


def _bundles(value: Bundles | str) -> Bundles:
    return _some_bundles(value, "bundles")


def _beside(value: Bundles | str | None) -> Bundles | None:
    return None if value is None else _some_bundles(value, "beside")


def _some_bundles(value: object, field: str) -> Bundles:
    if isinstance(value, Bundles):
        return value
    if isinstance(value, str):
        return Bundles(value)
    raise wrong_type(value, "Bundles, or the name of a package", field)


def _is_name(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, str):
        raise wrong_type(value, "text", field.name)
    if not value.strip():
        raise RequestError("must not be empty", field=field.name, hint="your own words for the rule")


@attrs.frozen
@shared_methods
class HouseRule:
    """A rule about *bundles*, by its author's own *name*: a :class:`Never`, :class:`AtLeastOne` or :class:`Prefer`.

    A text stands for the bundles of the package of this name.
    """

    kind: ClassVar[str]
    """The field of a document that says what the rule does with its bundles."""
    bundles: Bundles = attrs.field(converter=_bundles)
    name: str = attrs.field(validator=_is_name, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a document."""
        return {"name": self.name, self.kind: self.bundles.to_dict()}


@attrs.frozen
@shared_methods
class Never(HouseRule):
    """No bundle of *bundles* is selected; with *beside*, none together with another bundle that is of *beside*."""

    kind: ClassVar[str] = "never"
    beside: Bundles | None = attrs.field(default=None, converter=_beside)

    def __str__(self) -> str:
        return f"never {self.bundles}{f' beside {self.beside}' if self.beside else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a document."""
        return super().to_dict() if self.beside is None else {**super().to_dict(), "beside": self.beside.to_dict()}


@attrs.frozen
@shared_methods
class AtLeastOne(HouseRule):
    """One of *bundles* is selected, or several: as if one more subscription asked for them, after all others."""

    kind: ClassVar[str] = "atLeastOne"

    def __str__(self) -> str:
        return f"at least one of {self.bundles}"


@attrs.frozen
@shared_methods
class Prefer(HouseRule):
    """In every choice the candidates of *bundles* come first; otherwise the order stays as it is.

    Of several such rules the first counts most.
    """

    kind: ClassVar[str] = "prefer"

    def __str__(self) -> str:
        return f"prefer {self.bundles}"


@attrs.frozen
@shared_methods
class ForbiddenByRule:
    """A house *rule* about single bundles as a system constraint, for OLM v1."""

    rule: Never

    def __call__(self, candidate: CandidateFacts) -> str:
        facts = published(candidate.package, candidate.properties)
        if self.rule.bundles.include(candidate.name, (candidate.catalog,), facts):
            return f"house rule {self.rule.name!r} says {self.rule}"
        return ""


def as_eligibility(rules: Iterable[HouseRule]) -> tuple[ForbiddenByRule, ...]:
    """Return *rules* as system constraints, for OLM v1.

    Raises:
        RequestError: a rule is about several bundles, and OLM v1 resolves each extension alone.
    """
    found: list[ForbiddenByRule] = []
    for rule in rules:
        if not isinstance(rule, Never) or rule.beside is not None:
            raise RequestError(
                f"house rule {rule.name!r} is about several bundles, and OLM v1 resolves each extension alone",
                field="house_rules",
                hint="of house rules, an extension can have never without beside",
            )
        found.append(ForbiddenByRule(rule))
    return tuple(found)


def as_house_rules(values: Iterable[HouseRule]) -> tuple[HouseRule, ...]:
    """Return *values* as a tuple. Raises RequestError unless they are several rules."""
    given: object = values
    if isinstance(given, HouseRule) or not isinstance(given, Iterable):
        hint = "put it in a list" if isinstance(given, HouseRule) else ""
        raise wrong_type(given, "several rules", "house_rules", hint)
    found = tuple(values)
    for position, value in enumerate(found):
        if not isinstance(value, Never | AtLeastOne | Prefer):
            raise wrong_type(value, "Never, AtLeastOne or Prefer", f"house_rules[{position}]")
    return found
