"""Lints of requirements: do they parse, do they mean what they seem to say, can any bundle meet them?

A requirement may also lead back to another version of the bundle that has it, so that it cannot be installed. OLM
classic installs one bundle of a package, and one that provides an API. So a bundle is out where all that its
requirements can be met with needs another bundle of its package, or another owner of its API::

    lamp.v1 requires bulb >=1    bulb.v1 requires lamp >=2    lamp.v1 would be beside lamp.v2

:class:`CircularRequirements` searches nothing: it crosses out the bundles that cannot be installed together with the
first, and then the ones with a requirement for which no bundle is left, until nothing changes. Every report is true,
and a contradiction that only a search finds is left to ``olmsolve audit``. Requirements that nothing in the catalog
meets count as met, by another catalog; not so one that leads back to the package of the first bundle, since whoever
meets it is another bundle of that package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, assert_never

from olmsolve._limits import check
from olmsolve._named_tuples import NamedTuple
from olmsolve.authoring.checks.findings import Finding, Severity, on_bundle, shortened
from olmsolve.catalog import Bundle, Catalog, Package, PerList, has_requirement
from olmsolve.catalog.index import index_of
from olmsolve.errors import ConstraintError, pointed
from olmsolve.predicates import (
    GVK,
    REQUIREMENT_TYPES,
    AllOf,
    AnyOf,
    Conjunction,
    Disjunction,
    Negative,
    NoneOf,
    NormalForm,
    Positive,
    Predicate,
    Property,
    Requirement,
    normalise,
    published,
    requirements,
    semantics_differ,
)

if TYPE_CHECKING:
    from olmsolve.cel import Rule

_FIELDS: Final[dict[type[Predicate], str]] = {AllOf: "all", AnyOf: "any", NoneOf: "not"}


class RequirementLints:
    """The lints of requirements, for all bundles of one catalog; each text of a CEL rule is judged once."""

    def __init__(self) -> None:
        self._why_never_by_rule: dict[str, str | None] = {}

    def findings(self, bundle: Bundle) -> Iterator[Finding]:
        """Yield the findings on *bundle*, in the order of its properties."""
        for index, property_ in enumerate(bundle.properties):
            if property_.type in REQUIREMENT_TYPES:
                yield from self._on_property(bundle, property_, f"properties[{index}] ({property_.type})")

    def _on_property(self, bundle: Bundle, property_: Property, location: str) -> Iterator[Finding]:
        try:
            (requirement,) = requirements((property_,))
        except ConstraintError as error:
            path = error.path.partition(": ")[2]
            shown = shortened(pointed(error.reason, error.excerpt))
            reason = f"this bundle can never be selected, because its requirement does not parse: {shown}"
            where = f"{location}: {path}" if path else location
            yield on_bundle(Severity.ERROR, "requirement-syntax", reason, bundle, where)
            return
        predicate = requirement.predicate
        # A requirement that nothing can meet makes its bundle useless; as a part of `any` or `not` it may be harmless.
        severity = Severity.ERROR if self._impossible(predicate) else Severity.WARNING
        for path, leaf in _leaves(predicate, "" if property_.type == "olm.constraint" else None):
            where = f"{location}: {path}"
            if leaf.package_range is not None:
                _, wanted = leaf.package_range
                versions = shortened(wanted)
                for warning in wanted.warnings:
                    reason = f"in {versions}: {shortened(warning)}"
                    yield on_bundle(Severity.WARNING, "range-warning", reason, bundle, where)
                if wanted.is_empty:
                    yield on_bundle(severity, "empty-range", f"no version is in the range {versions}", bundle, where)
            elif (why := self._why_never(leaf.cel_rule)) is not None:
                yield on_bundle(severity, "rule-never-matches", f"the rule can never match: {why}", bundle, where)
        if semantics_differ(predicate):
            reason = f"documented and controller semantics differ for {shortened(predicate)}"
            yield on_bundle(Severity.NOTE, "semantics-differ", reason, bundle, location)
            yield from self._excluding_itself(bundle, normalise(predicate), location)

    def _excluding_itself(self, bundle: Bundle, form: NormalForm, location: str) -> Iterator[Finding]:
        # *certain*: `not X` alone keeps the bundle from being selected; in `any: [not X, Y]` the bundle may meet Y.
        facts = published(bundle.package, bundle.properties)
        for negative, certain in _negatives(form, certain=True):
            if negative.predicate.test(facts):
                reason = (
                    f"this bundle excludes itself, as it requires {shortened(negative)}: with documented semantics it"
                )
                reason += " can never be selected" if certain else " can never meet this alternative"
                yield on_bundle(Severity.WARNING, "excludes-itself", reason, bundle, location)

    def _why_never(self, rule: Rule | None) -> str | None:
        if rule is None:
            return None
        text = rule.text
        if text not in self._why_never_by_rule:
            # Imported on first use, with all of CEL: few catalogs have a rule.
            from olmsolve.authoring.checks.rules import why_never

            self._why_never_by_rule[text] = why_never(rule)
        return self._why_never_by_rule[text]

    def _impossible(self, predicate: Predicate) -> bool:
        """Return whether certainly no set of bundles meets *predicate*."""
        if predicate.any_of:
            return all(map(self._impossible, predicate.any_of))
        if any(map(self._impossible, predicate.all_of)) or self._why_never(predicate.cel_rule) is not None:
            return True
        return predicate.package_range is not None and predicate.package_range[1].is_empty


def _leaves(predicate: Predicate, path: str | None) -> Iterator[tuple[str, Predicate]]:
    """Yield the leaves of *predicate* with the paths of their texts; *path* is None outside ``olm.constraint``."""
    if predicate.parts:
        for index, part in enumerate(predicate.parts):
            yield from _leaves(part, f"{path}{_FIELDS[type(predicate)]}.constraints[{index}].")
    elif predicate.package_range is not None:
        yield "versionRange" if path is None else f"{path}package.versionRange", predicate
    elif predicate.cel_rule is not None:
        yield f"{path}cel.rule", predicate


def _negatives(form: NormalForm, *, certain: bool) -> Iterator[tuple[Negative, bool]]:
    """Yield each negative leaf of *form*, and whether the leaf must hold: *certain*, and in no disjunction."""
    match form:
        case Positive():
            return
        case Negative():
            yield form, certain
        case Conjunction() | Disjunction():
            for part in form.parts:
                yield from _negatives(part, certain=certain and isinstance(form, Conjunction))
        case _:
            assert_never(form)


CODE: Final = "requirements-circular"
_HINT: Final = "widen a range, or release versions that fit together"
_MOST_BUNDLES: Final = 2_000
"""A bundle whose requirements reach more bundles than this is passed over: real ones reach a few dozen."""
_MOST_STEPS: Final = 8  # requirements in a message, one leading to the next: a reader follows no more

BundleName = tuple[str, str]
"""A package and a bundle of it."""


class _MetByOthers(NamedTuple):
    requirement: Requirement
    meeting: frozenset[BundleName]

    def is_met(self, available: set[BundleName], package: str) -> bool:
        """Return whether one of *available* meets it, or another catalog may: with no bundle of *package*."""
        wanted = self.requirement.predicate.package_range
        if self.meeting or wanted is None:
            return not self.meeting.isdisjoint(available)
        return wanted[0] != package


class CircularRequirements:
    """The bundles of a catalog that cannot be installed for what they require; each is looked up once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._needs: dict[BundleName, tuple[_MetByOthers, ...]] = {}
        self._apis: dict[BundleName, frozenset[GVK]] = {}
        self._requires = PerList(has_requirement)
        self._meeting: dict[str, frozenset[BundleName]] = {}

    def findings(self, package: Package) -> Iterator[Finding]:
        """Yield a finding for all bundles of *package* that cannot be installed, at the first by name."""
        requiring = sorted(name for name, bundle in package.bundles.items() if self._requires(bundle))
        circles = [(name, circle) for name in requiring if (circle := self._circle_text((package.name, name)))]
        if not circles:
            return
        first, circle = circles[0]
        reason = f"no cluster can install it from this catalog alone: {circle}"
        finding = on_bundle(Severity.WARNING, CODE, reason, package.bundles[first], hint=_HINT)
        yield finding.repeated_in([name for name, _ in circles[1:]])

    def _circle_text(self, wanted: BundleName) -> str:
        """Return why *wanted* cannot be installed; "" if this does not show it."""
        if not self._needs_of(wanted):
            return ""
        reached = self._reached(wanted)
        beside = {bundle for bundle in reached if self._can_be_together(bundle, wanted)}
        if len(reached) > _MOST_BUNDLES:
            return ""
        lost: dict[BundleName, _MetByOthers] = {}
        available = beside | {wanted}
        # Until nothing changes: a bundle that is lost may be the one that another needed.
        is_changing = True
        while is_changing and wanted not in lost:
            check()
            is_changing = False
            for bundle in [wanted, *sorted(beside)]:
                need = next((need for need in self._needs_of(bundle) if not need.is_met(available, wanted[0])), None)
                if need is not None and bundle not in lost:
                    lost[bundle] = need
                    beside.discard(bundle)
                    available = beside | {wanted}
                    is_changing = True
        return self._steps(wanted, lost) if wanted in lost else ""

    def _steps(self, wanted: BundleName, lost: dict[BundleName, _MetByOthers]) -> str:
        """Return the steps from *wanted* to a bundle that cannot be beside it, by the first bundle of each step."""
        steps: list[str] = []
        at = wanted
        while len(steps) < _MOST_STEPS:
            need = lost[at]
            steps.append(f"{at[1]} requires {shortened(need.requirement.predicate)}")
            following = sorted(need.meeting)
            onward = next((step for step in following if step in lost), None)
            if not following:
                none_here = f"only another bundle of package {wanted[0]} could meet it, and the catalogs have none"
                return f"{'; '.join(steps)}; {none_here}"
            if onward is None:
                last = following[0]
                same = last[0] == wanted[0]
                why = (
                    f"another bundle of package {wanted[0]}"
                    if same
                    else f"which provides an API that {wanted[1]} provides too"
                )
                others = f" (and {len(following) - 1} more)" if len(following) > 1 else ""
                return f"{'; '.join(steps)}; only {last[1]}{others} meets it, {why}"
            at = onward
        return "; ".join(steps)

    def _can_be_together(self, other: BundleName, wanted: BundleName) -> bool:
        """Return whether both can be installed together, judged by their packages and APIs alone."""
        return other == wanted or (other[0] != wanted[0] and not self._apis_of(other) & self._apis_of(wanted))

    def _reached(self, wanted: BundleName) -> set[BundleName]:
        reached = {wanted}
        waiting = [wanted]
        while waiting and len(reached) <= _MOST_BUNDLES:
            for need in self._needs_of(waiting.pop()):
                new = need.meeting - reached
                reached |= new
                waiting += new
        return reached

    def _apis_of(self, name: BundleName) -> frozenset[GVK]:
        if name not in self._apis:
            bundle = self._catalog.packages[name[0]].bundles[name[1]]
            self._apis[name] = frozenset(published(name[0], bundle.properties).gvks)
        return self._apis[name]

    def _needs_of(self, name: BundleName) -> tuple[_MetByOthers, ...]:
        if name not in self._needs:
            bundle = self._catalog.packages[name[0]].bundles[name[1]]
            try:
                required = requirements(bundle.properties) if self._requires(bundle) else ()
            except ConstraintError:
                # The lint "requirement-syntax" reports it.
                required = ()
            if not required:
                self._needs[name] = ()
                return ()
            facts = published(name[0], bundle.properties)
            # Only what another bundle has to meet leads anywhere.
            others = [unmet for unmet in required if not unmet.predicate.test(facts)]
            needs = (_MetByOthers(other, self._meeting_of(other)) for other in others)
            self._needs[name] = tuple(
                need for need in needs if need.meeting or need.requirement.predicate.package_range is not None
            )
        return self._needs[name]

    def _meeting_of(self, requirement: Requirement) -> frozenset[BundleName]:
        key = str(requirement.predicate)
        if key not in self._meeting:
            index = index_of(self._catalog)
            slots = (index.slots[number] for number in index.candidates(requirement.predicate))
            meeting = [(slot.channel.package, slot.entry.name) for slot in slots if slot.bundle >= 0]
            self._meeting[key] = frozenset(meeting)
        return self._meeting[key]
