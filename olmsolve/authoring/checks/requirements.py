"""Lints of requirements: do they parse, do they mean what they seem to say, can any bundle meet them?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.catalog import Bundle
from olmsolve.errors import ConstraintError, pointed
from olmsolve.predicates import (
    REQUIREMENT_TYPES,
    AllOf,
    AnyOf,
    Conjunction,
    Disjunction,
    InPackage,
    Negative,
    NoneOf,
    NormalForm,
    Positive,
    Predicate,
    Property,
    Satisfies,
    normalise,
    published,
    requirements,
    semantics_differ,
)

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
            yield _finding(Severity.ERROR, "requirement-syntax", reason, bundle, where)
            return
        predicate = requirement.predicate
        # A requirement that nothing can meet makes its bundle useless; as a part of `any` or `not` it may be harmless.
        severity = Severity.ERROR if self._impossible(predicate) else Severity.WARNING
        for path, leaf in _leaves(predicate, "" if property_.type == "olm.constraint" else None):
            where = f"{location}: {path}"
            if isinstance(leaf, InPackage):
                versions = shortened(leaf.versions)
                for warning in leaf.versions.warnings:
                    reason = f"in {versions}: {shortened(warning)}"
                    yield _finding(Severity.WARNING, "range-warning", reason, bundle, where)
                if leaf.versions.is_empty:
                    yield _finding(severity, "empty-range", f"no version is in the range {versions}", bundle, where)
            elif isinstance(leaf, Satisfies) and (why := self._why_never(leaf)) is not None:
                yield _finding(severity, "rule-never-matches", f"the rule can never match: {why}", bundle, where)
        if semantics_differ(predicate):
            reason = f"documented and controller semantics differ for {shortened(predicate)}"
            yield _finding(Severity.NOTE, "semantics-differ", reason, bundle, location)
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
                yield _finding(Severity.WARNING, "excludes-itself", reason, bundle, location)

    def _why_never(self, leaf: Satisfies) -> str | None:
        text = leaf.rule.text
        if text not in self._why_never_by_rule:
            # Imported on first use, with all of CEL: few catalogs have a rule.
            from olmsolve.authoring.checks.rules import why_never

            self._why_never_by_rule[text] = why_never(leaf.rule)
        return self._why_never_by_rule[text]

    def _impossible(self, predicate: Predicate) -> bool:
        """Return whether certainly no set of bundles meets *predicate*."""
        match predicate:
            case InPackage():
                return predicate.versions.is_empty
            case Satisfies():
                return self._why_never(predicate) is not None
            case AllOf():
                return any(map(self._impossible, predicate.parts))
            case AnyOf():
                return all(map(self._impossible, predicate.parts))
            case _:
                return False


def _finding(severity: Severity, code: str, message: str, bundle: Bundle, location: str) -> Finding:
    return Finding(
        severity, code, message, package=bundle.package, bundle=bundle.name, property=location, origin=bundle.origin
    )


def _leaves(predicate: Predicate, path: str | None) -> Iterator[tuple[str, Predicate]]:
    """Yield the leaves of *predicate* with the paths of their texts; *path* is None outside ``olm.constraint``."""
    if predicate.parts:
        for index, part in enumerate(predicate.parts):
            yield from _leaves(part, f"{path}{_FIELDS[type(predicate)]}.constraints[{index}].")
    elif isinstance(predicate, InPackage):
        yield "versionRange" if path is None else f"{path}package.versionRange", predicate
    elif isinstance(predicate, Satisfies):
        yield f"{path}cel.rule", predicate


def _negatives(form: NormalForm, *, certain: bool) -> Iterator[tuple[Negative, bool]]:
    """Yield the negative leaves of *form*, and for each whether *form* can hold only if the leaf does."""
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
