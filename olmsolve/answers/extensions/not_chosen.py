"""The reasons why an extension does not get a bundle: its obstacles, and changes after which the extension gets it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve._near_names import did_you_mean, nearest_names, similar_names
from olmsolve._records import Record, field, record
from olmsolve.answers.bundle_filter import Absence, BundleFilter, Missing, owning_packages, parse_version
from olmsolve.answers.extensions.fixes import ExtensionFix, Target, find_fixes, package_names, readable_catalogs, toward
from olmsolve.errors import RequestError
from olmsolve.v1 import ExtensionRequest, ExtensionResolution, HeldBack, HeldBackBy, ObstacleView, Offer, Walk

_FIXES: Final = 3  # ways to get the bundle that was asked about
_TRIES: Final = 100

# Which of two equally good bundles is not chosen because the other one comes first.
_PREFERENCES: Final = frozenset({HeldBackBy.DEPRECATED, HeldBackBy.PRIORITY, HeldBackBy.OUTRANKED})


class ExtensionVerdict(enum.Enum):
    """The answer to a question "why not" about an extension, in a word."""

    SELECTED = "selected"
    ABSENT = "absent"
    IMPOSSIBLE = "impossible"
    LESS_PREFERRED = "less-preferred"
    LATER = "later"


@record(
    definition="olmsolve.v1.why-not",
    title="Why an extension does not get a bundle",
    about="docs/why.md gives the meaning of the fields.",
    text="The answer in one sentence.",
    layout=("verdict", "text", ...),
)
class ExtensionWhyNot(Record):
    """The reasons why an extension gets none of *candidates*, the bundles of the question, the newest first.

    The *verdict* is about the first of them: SELECTED (then *selected* is the answer to the request), LATER (updates
    lead there by themselves), LESS_PREFERRED (another bundle comes first), IMPOSSIBLE (it is filtered out, refused, or
    nothing is selected), or ABSENT: there is no such bundle, and *absence* says what is missing.

    *fixes* are the smallest changes tried after which the extension gets the first candidate, at once or after updates
    in between; there are none where it gets it anyway. *exhausted* is True if the search for them was cut off.
    """

    verdict: ExtensionVerdict = field("In one word, why the extension does not get it.")
    candidates: tuple[HeldBack, ...] = field("The bundles that the question is about.", default=())
    selected: ExtensionResolution | None = None
    absence: Absence | None = None
    fixes: tuple[ExtensionFix, ...] = field("Changes after which it gets the first of them.", default=())
    exhausted: bool = field("Whether the search for fixes was cut off.", default=False)

    @property
    def reason(self) -> str:
        """The answer in one sentence, without a full stop."""
        if self.selected is not None:
            stays = self.selected.installed == self.selected.bundle
            return f"{self.selected.bundle} ({self.selected.catalog}) {'stays' if stays else 'will be'} installed"
        return str(self.absence) if self.absence is not None else str(self.candidates[0])

    def __str__(self) -> str:
        return self.reason


def why_not_extension(
    request: ExtensionRequest,
    package: str,
    *,
    version: str,
    channel: str,
    catalog: str,
) -> ExtensionWhyNot:
    """Say why *request* does not get a bundle of this *version*, from this *channel* and *catalog*; "" stands for any.

    *package* is the extension's own ("" for it), or the name of a bundle of it. *version* is compared as a version,
    build metadata aside. At most three fixes are looked for, by resolving at most a hundred changed requests.

    Raises:
        RequestError: *version* is not a version, or the extension is for another package.
        InvalidWishError: the selector or the version range cannot be read.
    """
    wanted_package = request.extension.package
    if not is_about(request, package):
        hint = did_you_mean(nearest_names(package, (wanted_package,)))
        raise RequestError(f"the extension is for package {wanted_package}, not {package}", field="package", hint=hint)
    bundle = "" if package in ("", wanted_package) else package
    wanted = BundleFilter(wanted_package, parse_version(version), channel, catalog, bundle)
    view = ObstacleView(request)
    matching = sorted(_matching(wanted, view), key=_height, reverse=True)
    if not matching:
        return ExtensionWhyNot(ExtensionVerdict.ABSENT, absence=_absence(wanted, view))
    selected = next((target for target in matching if view.is_selected(*target)), None)
    if selected is not None:
        assert isinstance(view.outcome, ExtensionResolution)
        others = tuple(view.held_back(*target) for target in checked(matching) if target is not selected)
        return ExtensionWhyNot(ExtensionVerdict.SELECTED, others, view.outcome)
    candidates = tuple(view.held_back(*target) for target in checked(matching))
    verdict = _verdict(candidates[0])
    if verdict is ExtensionVerdict.LATER:
        return ExtensionWhyNot(verdict, candidates)
    catalog_name, goal = matching[0][0].name, matching[0][1].name

    def suggest(changed: ExtensionRequest) -> Iterable[Any]:
        changed_view = ObstacleView(changed)
        return toward(_same(catalog_name, goal, changed_view), changed_view)

    def reached(changed: ExtensionRequest, following: Walk) -> bool:
        gets = [*following.updates, following.stays]
        return any(get is not None and (get.catalog, get.bundle) == (catalog_name, goal) for get in gets)

    offered, exhausted = find_fixes(request, suggest, reached, most=_FIXES, tries=_TRIES)
    return ExtensionWhyNot(verdict, candidates, fixes=offered, exhausted=exhausted)


def is_about(request: ExtensionRequest, name: str) -> bool:
    """Return whether *name* is the package of the extension ("" for it), or a bundle of it in a catalog."""
    wanted_package = request.extension.package
    return name in ("", wanted_package) or any(
        wanted_package in owning_packages(content, name) for content in readable_catalogs(request)
    )


def _matching(wanted: BundleFilter, view: ObstacleView) -> Iterable[Target]:
    for catalog, offers in view.offered():
        if wanted.catalog not in ("", catalog.name):
            continue
        for offer in offers.offers:
            if wanted.bundle not in ("", offer.name):
                continue
            if wanted.channel and offer.name not in offers.names_in.get(wanted.channel, ()):
                continue
            if wanted.version is None or (offer.version is not None and offer.version.version == wanted.version):
                yield catalog, offer


def _same(catalog_name: str, bundle: str, view: ObstacleView) -> Iterable[Target]:
    """Yield the bundle of a catalog as another request sees it."""
    for catalog, offers in view.offered():
        if catalog.name == catalog_name:
            yield catalog, offers.offer(bundle)


def _height(target: Target) -> tuple[Any, ...]:
    offer: Offer = target[1]
    return () if offer.version is None else (offer.version.key,)


def _verdict(candidate: HeldBack) -> ExtensionVerdict:
    if candidate.because is HeldBackBy.LATER:
        return ExtensionVerdict.LATER
    return ExtensionVerdict.LESS_PREFERRED if candidate.because in _PREFERENCES else ExtensionVerdict.IMPOSSIBLE


def _absence(wanted: BundleFilter, view: ObstacleView) -> Absence:
    """Return the first name, from the catalog down to the version, that no catalog has."""
    names = tuple(catalog.name for catalog in view.request.catalogs)
    if wanted.catalog and wanted.catalog not in names:
        return Absence(wanted, Missing.CATALOG, names)
    offered = [(catalog, offers) for catalog, offers in view.offered() if wanted.catalog in ("", catalog.name)]
    if not offered:
        return Absence(wanted, Missing.PACKAGE, similar_names(wanted.package, sorted(set(package_names(view.request)))))
    channels = sorted({name for _, offers in offered for name in offers.names_in})
    if wanted.channel and wanted.channel not in channels:
        return Absence(wanted, Missing.CHANNEL, tuple(channels))
    return Absence(wanted, Missing.BUNDLE)
