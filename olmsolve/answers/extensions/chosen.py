"""The reasons why an extension gets its bundle: its wish, the bundles that each filter left, and the rules of order."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import assert_never

from olmsolve._arguments import counted
from olmsolve._reader import for_reader
from olmsolve._records import Record, documented, field, record
from olmsolve.answers.wording import enumerated
from olmsolve.errors import RequestError
from olmsolve.v1 import (
    Extension,
    ExtensionRequest,
    ExtensionResolution,
    FilterCounts,
    Funnel,
    HeldBack,
    Outcome,
    held_back,
    resolve,
)


class PreferenceRule(enum.Enum):
    """A rule by which the bundle comes first, in the order in which OLM v1 applies them."""

    ONLY = "only"
    NOT_DEPRECATED = "not-deprecated"
    HIGHEST_VERSION = "highest-version"
    ONLY_CATALOG = "only-catalog"
    CATALOG_NOT_DEPRECATED = "catalog-not-deprecated"
    PRIORITY = "priority"


@record(layout=("rule", "catalogs", "text"), text="The rule in words.")
class AppliedRule(Record):
    """A *rule* with the numbers and names that it is about: *count* bundles, or the *catalogs* that it puts behind."""

    rule: PreferenceRule = field("The rule that put the bundle before others.")
    count: int = 0
    catalogs: tuple[str, ...] = field("The catalogs that it decides between.", default=())
    priority: int = 0

    def __str__(self) -> str:
        catalogs = enumerated(self.catalogs)
        match self.rule:
            case PreferenceRule.ONLY:
                return "it is the only bundle that the filters leave"
            case PreferenceRule.NOT_DEPRECATED:
                return f"the filters leave deprecated bundles too, which come after it ({self.count})"
            case PreferenceRule.HIGHEST_VERSION:
                return f"it has the highest version of the {counted(self.count, 'bundle')} left"
            case PreferenceRule.ONLY_CATALOG:
                return "no other catalog has a bundle left"
            case PreferenceRule.CATALOG_NOT_DEPRECATED:
                return f"the best bundles of {catalogs} are deprecated"
            case PreferenceRule.PRIORITY:
                return f"its catalog has priority {self.priority}, a higher one than {catalogs}"
            case _:
                assert_never(self.rule)


@record
class _VersionOfCatalog(Record):
    """A bundle of a catalog, and the installed bundle that it replaces."""

    bundle: str = field("The bundle.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")
    installed: str = field("The bundle that it follows.", empty="null")


def _located(resolution: ExtensionResolution) -> _VersionOfCatalog:
    return _VersionOfCatalog(resolution.bundle, resolution.full_version, resolution.catalog, resolution.installed)


@record(
    definition="olmsolve.v1.why",
    title="Why an extension gets its bundle",
    about="docs/why.md gives the meaning of the fields.",
    layout=("resolution", "wish", "_left", "rules", "held_back"),
)
class ExtensionWhy(Record):
    """The reasons why *resolution* is the answer for *extension*.

    *funnel* is the account of the winning catalog, *rules* are the ones that put the bundle first. *held_back* are the
    newer bundles that it does not get.
    """

    extension: Extension
    resolution: ExtensionResolution = field(path="*", written=_located)
    funnel: Funnel
    rules: tuple[AppliedRule, ...] = field("The rules that decide.")
    held_back: tuple[HeldBack, ...] = field("The newer bundles that are not selected.")

    @property
    @documented("", path="left")
    def _left(self) -> FilterCounts:
        return self.funnel.left

    @property
    @documented("The wish of the extension, in words.")
    def wish(self) -> str:
        """The wish of the extension, as a clause."""
        wish = self.extension
        parts = [f"the extension wants package {wish.package}"]
        if wish.channels:
            parts.append(f"from {'channel' if len(wish.channels) == 1 else 'channels'} {enumerated(wish.channels)}")
        if wish.version:
            parts.append(f"in version {wish.version}")
        return " ".join(parts)

    @property
    def left(self) -> str:
        """The bundles of the winning catalog that the filters left, as a clause."""
        wish, funnel = self.extension, self.funnel
        parts = [f"catalog {funnel.catalog} has {funnel.package} of its bundles"]
        if wish.channels:
            parts.append(f"{funnel.channel} in the wanted channels")
        if wish.version:
            parts.append(f"{funnel.version} in the range")
        if self.resolution.installed and wish.enforces_edges:
            parts.append(f"{funnel.edges} that are {self.resolution.installed} or can follow it")
        return ", ".join(parts)

    def __str__(self) -> str:
        return "; ".join((self.wish, self.left, *map(str, self.rules)))


def why_extension(request: ExtensionRequest, name: str) -> ExtensionWhy:
    """Say why the bundle *name* ("" or its package: whichever it is) is the answer to *request*.

    Raises:
        RequestError: the answer is another bundle.
        ResolutionError: there is no answer.
    """
    resolution = resolve(request)
    if name not in ("", resolution.bundle, resolution.package):
        verb = for_reader(python="why_not", option="why-not")
        hint = f"it gets {resolution.bundle}; {verb} says why it does not get another"
        raise RequestError(f"the extension does not get {name!r}", hint=hint)
    funnel = next(tried for tried in resolution.explanation.funnels if tried.outcome is Outcome.SELECTED)
    rules = tuple(_rules(resolution, funnel))
    return ExtensionWhy(request.extension, resolution, funnel, rules, held_back(request))


def _rules(resolution: ExtensionResolution, funnel: Funnel) -> Iterator[AppliedRule]:
    if funnel.edges == 1:
        yield AppliedRule(PreferenceRule.ONLY)
    else:
        if funnel.deprecation < funnel.edges:
            yield AppliedRule(PreferenceRule.NOT_DEPRECATED, funnel.edges - funnel.deprecation)
        if funnel.deprecation > 1:
            yield AppliedRule(PreferenceRule.HIGHEST_VERSION, funnel.deprecation)
    others = [other for other in resolution.explanation.funnels if other is not funnel]
    behind = tuple(other.catalog for other in others if other.outcome is Outcome.OUTRANKED)
    deprecated = tuple(other.catalog for other in others if other.outcome is Outcome.DEPRECATED)
    if deprecated:
        yield AppliedRule(PreferenceRule.CATALOG_NOT_DEPRECATED, catalogs=deprecated)
    if behind:
        yield AppliedRule(PreferenceRule.PRIORITY, catalogs=behind, priority=funnel.priority)
    if others and not behind and not deprecated:
        yield AppliedRule(PreferenceRule.ONLY_CATALOG)
