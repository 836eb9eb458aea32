"""House rules: what the author of a request forbids, demands or prefers among bundles, beside OLM's own rules.

A system constraint (``eligibility``) judges one candidate at a time. House rules are about the selection: "never X
beside Y", "at least one of X", "prefer X", "at most 64 in all". Each has a name in its author's words, which cores,
explanations and plans use. docs/house-rules.md says exactly what they mean.

They speak of everything that is selected: bundles to be installed, and operators that stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import is_test_or_none, is_text, wrong_type
from olmsolve._records import Record, declared, meaning, members
from olmsolve.catalog import Source
from olmsolve.classic.measures import Measure, WholeNumbers, is_limit, is_measure, is_measure_or_none, measure_words
from olmsolve.classic.request_parts import text_or_empty, value_or_empty
from olmsolve.eligibility import CandidateFacts, CandidateTest, accepts, words_of
from olmsolve.errors import ConstraintError, RangeError, RequestError
from olmsolve.predicates import GVK, InPackage, Predicate, Property, ProvidesGVK, Published, parse_constraint, published
from olmsolve.semver import BlangRange, UnreadRange

_FIELDS: Final = ("package", "versions", "name", "api", "catalog", "constraint", "where")
_CONSTRAINT: Final = "olm.constraint"


def _versions(value: BlangRange | str | None) -> BlangRange | None:
    if value is None or isinstance(value, BlangRange):
        return value
    if not isinstance(value, str):
        raise wrong_type(value, "a range of versions", "versions")
    try:
        return UnreadRange.of(value)
    except RangeError as error:
        hint = "such as >=1.2.0 <2.0.0; a VersionScheme has range(...) for its versions"
        raise RequestError(str(error), field="versions", hint=hint) from None


def read_by_catalogs(rules: Iterable[HouseRule], sources: Iterable[Source]) -> tuple[HouseRule, ...]:
    """Return *rules* with their ranges of versions read by the scheme of the catalogs that have the package.

    Raises:
        RequestError: a range is none of the scheme, or the catalogs with the package have several schemes.
    """
    all_sources = tuple(sources)
    return tuple(_read_by_catalogs(rule, all_sources) for rule in rules)


def _read_by_catalogs(rule: HouseRule, sources: Sequence[Source]) -> HouseRule:
    read = {}
    for field in ("bundles", "beside"):
        bundles = getattr(rule, field, None)
        if bundles is not None and bundles.versions is not None:
            versions = _read_range(rule, bundles, sources)
            if versions is not bundles.versions:
                read[field] = attrs.evolve(bundles, versions=versions)
    return attrs.evolve(rule, **read) if read else rule


def _read_range(rule: HouseRule, bundles: Bundles, sources: Sequence[Source]) -> BlangRange | None:
    versions = bundles.versions
    if not isinstance(versions, UnreadRange):
        return versions
    having = [source.catalog for source in sources if bundles.package in source.catalog.packages]
    schemes = {catalog.scheme for catalog in having} or {source.catalog.scheme for source in sources}
    if not having and len(schemes) != 1:
        return versions  # no catalog has the package, so only an installed operator can match
    field = f"house_rules: {rule.name}: versions"
    if len(schemes) > 1:
        names = " and ".join(sorted("semantic" if scheme is None else scheme.name for scheme in schemes))
        says = f"of {bundles.package} can be {names} versions, by the catalogs that have it"
        raise RequestError(says, field=field, hint="scheme.range(...) says which ones are meant")
    try:
        return versions.read_by(next(iter(schemes), None))
    except RangeError as error:
        raise RequestError(str(error), field=field) from None


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
    try:
        return Property(_CONSTRAINT, value)
    except RequestError as error:
        raise RequestError(error.reason, field="constraint") from None


@declared(
    definition="houseBundles",
    about="The bundles that have everything in common that is said here.",
    schema={"minProperties": 1},
)
@attrs.frozen
class Bundles(Record):
    """The bundles that match every given field; at least one field must be given.

    They are of *package*, in one of the *versions* (a range; needs *package*), called *name*, provide *api*
    (``group/version/Kind``), come from *catalog* (``namespace/name``; ``@existing`` for what is installed, which also
    counts as from the catalog that its subscription names), and meet *constraint*, the value of an ``olm.constraint``
    property, tested on each bundle by itself. *where* is your own function, which returns whether a candidate (its
    :class:`~olmsolve.eligibility.CandidateFacts`) matches; messages show its docstring. What bundles publish is read as
    for requirements (:class:`olmsolve.predicates.InPackage`): an installed operator is of the packages that its
    properties name.

    Raises:
        RequestError: no field is given, *versions* come without *package*, or a field does not parse.

    >>> print(Bundles("keyring", versions="<2.0.0"))
    package keyring in <2.0.0
    """

    package: str = attrs.field(default="", validator=is_text, metadata=meaning("Their package.", empty="nullable"))
    versions: BlangRange | None = attrs.field(
        default=None,
        converter=_versions,
        kw_only=True,
        metadata=meaning("A range of its versions.", empty="nullable", written=text_or_empty),
    )
    name: str = attrs.field(
        default="", validator=is_text, kw_only=True, metadata=meaning("The name of a bundle.", empty="nullable")
    )
    api: GVK | None = attrs.field(
        default=None,
        converter=_api,
        kw_only=True,
        metadata=meaning("A provided API, group/version/Kind.", empty="nullable", written=text_or_empty),
    )
    catalog: str = attrs.field(
        default="",
        validator=is_text,
        kw_only=True,
        metadata=meaning(
            "Their catalog, namespace/name; an operator is from @existing, and from that of its subscription.",
            empty="nullable",
        ),
    )
    constraint: Property | None = attrs.field(
        default=None,
        converter=_constraint,
        kw_only=True,
        metadata=meaning(
            "The value of an olm.constraint property, tested on each bundle by itself.",
            empty="nullable",
            written=value_or_empty,
        ),
    )
    where: CandidateTest | None = attrs.field(default=None, validator=is_test_or_none, kw_only=True)
    predicates: tuple[Predicate, ...] = attrs.field(init=False, eq=False, repr=False)
    """The predicates that a bundle must meet, besides its name and catalog, and its package without versions."""

    def __attrs_post_init__(self) -> None:
        if not any(getattr(self, field) for field in _FIELDS):
            raise RequestError("nothing is given", field="bundles", hint=f"give one of {', '.join(_FIELDS)}")
        if self.versions is not None and not self.package:
            raise RequestError("need a package", field="versions", hint="give package as well")
        predicates: list[Predicate] = []
        if self.versions is not None:
            predicates.append(InPackage(self.package, self.versions))
        if self.api is not None:
            predicates.append(ProvidesGVK(self.api))
        if self.constraint is not None:
            try:
                predicates.append(parse_constraint(self.constraint.value))
            except ConstraintError as error:
                raise RequestError(str(error), field="constraint") from None
        # Worked out once: a rule is tested on every candidate that a search reaches.
        object.__setattr__(self, "predicates", tuple(predicates))

    def include(self, name: str, catalogs: Collection[str], published: Published) -> bool:
        """Return whether the bundle *name* is one of them.

        *catalogs* are the catalogs that the bundle counts for: its own; for an installed operator, ``@existing`` and
        the catalog that its subscription names.

        Raises:
            RequestError: *where* returned something else than True or False.
        """
        if self.name not in ("", name) or (self.catalog and self.catalog not in catalogs):
            return False
        if self.package and self.versions is None and not is_of_package(published, self.package):
            return False
        if not all(predicate.test(published) for predicate in self.predicates):
            return False
        if self.where is None:
            return True
        package = published.package or next((package for package, _ in published.packages), "")
        version = "" if published.version is None else str(published.version)
        facts = CandidateFacts(name, package, version, next(iter(catalogs), ""), published.properties)
        return accepts(self.where, facts, "where")

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
        parts += [words_of(self.where)] if self.where is not None else []
        text = " with ".join(parts) or "anything"
        return f"{text} from {self.catalog}" if self.catalog else text

    def __repr__(self) -> str:
        """Show the fields that are set; EVERY shows none, since its function would show an address, new in each run."""
        said = (f"{field}={getattr(self, field)!r}" for field in _FIELDS if getattr(self, field))
        return "Bundles()" if self.where is _every else f"Bundles({', '.join(said)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the given fields as a document, as the constructor takes them. Raises RequestError for *where*."""
        if self.where not in (None, _every):
            raise _unwritable(self.where, "where")
        return super().to_dict()


def is_of_package(published: Published, package: str) -> bool:
    """Return whether a bundle is of *package*: by the catalog that holds it, or by an ``olm.package`` property."""
    return published.package == package or any(name == package for name, _ in published.packages)


def _every(candidate: CandidateFacts) -> bool:
    """every bundle"""
    return True


EVERY: Final = Bundles(where=_every)
"""All bundles."""


def _unwritable(function: object, field: str) -> RequestError:
    return RequestError(f"{words_of(function)} is a function, which cannot be written down", field=field)


def _bundles(value: Bundles | str | CandidateTest) -> Bundles:
    return _some_bundles(value, "bundles")


def _beside(value: Bundles | str | CandidateTest | None) -> Bundles | None:
    return None if value is None else _some_bundles(value, "beside")


def _some_bundles(value: object, field: str) -> Bundles:
    if isinstance(value, Bundles):
        return value
    if isinstance(value, str):
        return Bundles(value)
    if callable(value):
        return Bundles(where=value)
    raise wrong_type(value, "Bundles, the name of a package, or a function of a candidate", field)


def _is_name(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, str):
        raise wrong_type(value, "text", field.name)
    if not value.strip():
        raise RequestError("must not be empty", field=field.name, hint="your own words for the rule")


@attrs.frozen
class HouseRule:
    """A rule about *bundles*, by its author's own *name*: its kinds are :class:`Never`, :class:`AtLeastOne`, ...

    A text stands for the bundles of the package of this name, a function for the candidates for which it returns True.
    """

    kind: ClassVar[str]
    """The field of a document that says what the rule does with its bundles."""
    bundles: Bundles = attrs.field(converter=_bundles)
    name: str = attrs.field(validator=_is_name, kw_only=True)

    def functions(self) -> tuple[object, ...]:
        """Return the functions that the rule is made of; () for a rule that a document can hold."""
        functions_given = (getattr(self, name, None) for name in ("smallest", "largest", "of"))
        bundles = (self.bundles, getattr(self, "beside", None))
        tests = (bundle.where for bundle in bundles if bundle is not None and bundle.where is not _every)
        return tuple(test for test in (*tests, *functions_given) if callable(test))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a document. Raises RequestError for a function."""
        # No record itself: the name of its kind is the key of its bundles, and one schema holds all kinds.
        from olmsolve.classic.rule_document import HouseRuleDocument

        given = {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}
        bundles = given.pop("bundles").to_dict()
        for name, value in given.items():
            if callable(value):
                raise _unwritable(value, name)
        names = {member.keys[0]: member.name for member in members(HouseRuleDocument)}
        return HouseRuleDocument(**given, **{names[self.kind]: bundles}).to_dict()


@attrs.frozen
class Never(HouseRule):
    """No bundle of *bundles* is selected; with *beside*, none together with another bundle that is of *beside*."""

    kind: ClassVar[str] = "never"
    beside: Bundles | None = attrs.field(default=None, converter=_beside)

    def __str__(self) -> str:
        return f"never {self.bundles}{f' together with {self.beside}' if self.beside else ''}"


@attrs.frozen
class AtLeastOne(HouseRule):
    """One of *bundles* is selected, or several: as if one more subscription asked for them, after all others."""

    kind: ClassVar[str] = "atLeastOne"

    def __str__(self) -> str:
        return f"at least one of {self.bundles}"


@attrs.frozen
class Prefer(HouseRule):
    """In every choice the candidates of *bundles* come first; otherwise the order stays as it is.

    With *smallest* or *largest*, they come in the order of a number instead: the value of the property of that type, or
    what a function of a candidate returns. Candidates with equal numbers keep their order, those without a number
    (None, or no such property) come last. Without *bundles* all candidates count. Of several such rules the first
    counts most.

    Raises:
        RequestError: both *smallest* and *largest* are given, or neither of them nor *bundles*.

    >>> print(Prefer(name="save space", smallest="size"))
    prefer the smallest size
    """

    kind: ClassVar[str] = "prefer"
    bundles: Bundles = attrs.field(default=EVERY, converter=_bundles)
    smallest: Measure | None = attrs.field(default=None, validator=is_measure_or_none, kw_only=True)
    largest: Measure | None = attrs.field(default=None, validator=is_measure_or_none, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.smallest is not None and self.largest is not None:
            raise RequestError("does not go with smallest", field="largest", hint="state two rules, in their order")
        if self.measure is None and self.bundles == EVERY:
            raise RequestError("nothing is given", field="bundles", hint="give bundles, smallest or largest")

    @property
    def measure(self) -> Measure | None:
        """The number by which candidates are sorted; None where *bundles* come first."""
        return self.largest if self.smallest is None else self.smallest

    def key(self, number: float | None) -> tuple[bool, float]:
        """Return the sort key of a candidate of *bundles* by its *number*: the preferred end first, and None last."""
        if number is None:
            return True, 0
        return False, number if self.smallest is not None else -number

    def __str__(self) -> str:
        if self.measure is None:
            return f"prefer {self.bundles}"
        of = "" if self.bundles == EVERY else f" of {self.bundles}"
        return f"prefer the {'largest' if self.smallest is None else 'smallest'} {measure_words(self.measure)}{of}"


@attrs.frozen
class TotalAtMost(HouseRule):
    """The numbers of all selected bundles add up to *limit* at most: "GPU memory of at most 64 in all".

    *of* is the number of a bundle: the value of the property of that type, or what a function of a candidate returns.
    It is a whole number and not below 0; None, or no such property, is 0. Without *bundles* all count.

    Raises:
        RequestError: *limit* is not a whole number, or is below 0.

    >>> print(TotalAtMost(limit=64, of="gpu-memory", name="one machine"))
    at most 64 gpu-memory in all
    """

    kind: ClassVar[str] = "totalAtMost"
    bundles: Bundles = attrs.field(default=EVERY, converter=_bundles)
    limit: int = attrs.field(validator=is_limit, kw_only=True)
    of: WholeNumbers = attrs.field(validator=is_measure, kw_only=True)

    def __str__(self) -> str:
        of = "" if self.bundles == EVERY else f" of {self.bundles}"
        return f"at most {self.limit} {measure_words(self.of)} in all{of}"


@attrs.frozen
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
        RequestError: a rule is about several bundles, and OLM v1 resolves each extension by itself.
    """
    refusals: list[ForbiddenByRule] = []
    for rule in rules:
        if not isinstance(rule, Never) or rule.beside is not None:
            raise RequestError(
                f"house rule {rule.name!r} is about several bundles, and OLM v1 resolves each extension by itself",
                field="house_rules",
                hint="an extension takes only the house rule never, without beside",
            )
        refusals.append(ForbiddenByRule(rule))
    return tuple(refusals)


def as_house_rules(values: Iterable[HouseRule]) -> tuple[HouseRule, ...]:
    """Return *values* as a tuple. Raises RequestError unless they are several rules."""
    given: object = values
    if isinstance(given, HouseRule | str) or not isinstance(given, Iterable):
        hint = "put it in a list" if isinstance(given, HouseRule) else ""
        raise wrong_type(given, "a list of rules", "house_rules", hint)
    rules = tuple(values)
    for position, value in enumerate(rules):
        if not isinstance(value, Never | AtLeastOne | Prefer | TotalAtMost):
            raise wrong_type(value, "Never, AtLeastOne, Prefer or TotalAtMost", f"house_rules[{position}]")
    return rules
