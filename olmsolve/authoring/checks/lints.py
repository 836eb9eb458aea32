"""The lints of a whole catalog, and the order in which they report.

Everything that OLM v1 refuses in a package is among them: bundles, channels, and updates of definitions. A report of
``olmsolve catalog v1`` has each by itself (:func:`installing_findings`). A lint has one finding for all bundles of a
package that are refused alike, and for all updates to one bundle, because most faults live on from version to version.
It leaves out bundles with dependencies, which OLM classic serves and whose authors mean them::

    package etcd, bundle etcd.v3: OLM v1 refuses it: ...; the same in 2 other bundles: etcd.v1, etcd.v2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._patterns import pattern
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import (
    Edit,
    FieldFix,
    Finding,
    Severity,
    on_bundle,
    path_steps,
    shortened,
    shortlist,
)
from olmsolve.authoring.installability import (
    InstallableBundle,
    InstallableList,
    UnsafeUpdate,
    UnwritableChannel,
    refused_bundles,
    unsafe_updates,
    unwritable_channels,
)
from olmsolve.catalog import Bundle, Catalog, Package, PerList, has_requirement
from olmsolve.errors import RangeError
from olmsolve.predicates import GVK_NAMES, named
from olmsolve.semver import BlangRange, reading_by
from olmsolve.v1 import PackageOffers, offers_of

CODES: Final = {
    "api-name": "a group, version or kind of an API that Kubernetes does not accept",
    "empty-range": "a version range that contains no version",
    "excludes-itself": "a `not` that the requiring bundle itself breaks, with documented semantics",
    "property-type": "a property type that is nearly one that has a meaning",
    "range-warning": "a version range that means something else than it seems to",
    "requirement-syntax": "a requirement that does not parse, so the bundle can never be selected",
    "requirements-circular": "a bundle that is never installed: its requirements need another bundle in its place",
    "rule-never-matches": "a CEL rule that no bundle can satisfy",
    "second-opinion": "a range or CEL rule that another library reads differently (only with a second opinion)",
    "semantics-differ": "a constraint for which documented and controller semantics differ",
    "skip-range-syntax": "a skipRange that does not parse, and so skips nothing",
    "v1-bundle": "a bundle that OLM v1 does not install, for another reason than its dependencies",
    "v1-channel": "a channel that no extension of OLM v1 can name",
    "v1-update": "an update that OLM v1 refuses, because of its changes to a definition",
}
"""Every code of :func:`lint`, with the fault that it reports."""

_HINTS: Final = {"olm.skipRange": "the field skipRange of a channel's entry", "olm.skips": "the field skips of one"}


def lint(
    catalog: Catalog,
    *,
    second_opinion: bool = False,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> tuple[Finding, ...]:
    """Return everything in *catalog* that is probably not what its authors meant.

    With *second_opinion*, other libraries judge each range and rule as well; differing answers come last.

    Findings are sorted by package; in a package, channels come before bundles, each sorted by name, and what OLM v1
    refuses comes last; inside a channel or bundle, findings follow the document. They depend only on the catalog's
    content, not on files or their order. No content makes this raise. *timeout*, *cancel* and *observer* are as in
    :func:`olmsolve.resolve`.

    Raises:
        Incomplete: a limit was met, or the caller cancelled.

    >>> from olmsolve import from_blobs
    >>> package = {"schema": "olm.package", "name": "p", "defaultChannel": "c"}
    >>> entry = {"name": "p.v1.0.0", "skipRange": "<1.0.0 >2.0.0"}
    >>> channel = {"schema": "olm.channel", "package": "p", "name": "c", "entries": [entry]}
    >>> [finding] = lint(from_blobs([package, channel]))
    >>> print(finding.location(), finding.message, sep=": ")
    package p, channel c, bundle p.v1.0.0, entries[0].skipRange: no version is in the range <1.0.0 >2.0.0
    """
    if not isinstance(catalog, Catalog):
        raise wrong_type(catalog, "a Catalog", "catalog", "olmsolve.load reads one")
    with scoped(timeout=timeout, cancel=cancel, observer=observer), reading_by(catalog.scheme):
        findings = tuple(_findings(catalog))
        if not second_opinion:
            return findings
        # The other libraries take a process of their own, which few need.
        from olmsolve.authoring.checks.opinions import second_opinions

        return (*findings, *second_opinions(catalog).findings)


def _findings(catalog: Catalog) -> Iterator[Finding]:
    # Catalogs repeat themselves from version to version: each text is judged once.
    skip_ranges: dict[str, tuple[Finding, ...]] = {}
    judged = _RequirementFindings(catalog)
    properties = _PropertyFindings(judged)
    for _, package in sorted(catalog.packages.items()):
        for _, channel in sorted(package.channels.items()):
            for index, entry in enumerate(checked(channel.entries, every=64)):
                if entry.skip_range:
                    if entry.skip_range not in skip_ranges:
                        skip_ranges[entry.skip_range] = tuple(_skip_range_findings(entry.skip_range))
                    for finding in skip_ranges[entry.skip_range]:
                        yield evolve(
                            finding,
                            package=channel.package,
                            channel=channel.name,
                            bundle=entry.name,
                            property=f"entries[{index}].skipRange",
                            origin=channel.origin,
                        )
        for _, bundle in checked(sorted(package.bundles.items())):
            if not properties.are_quiet(bundle):
                yield from properties.of_bundle(bundle)
        yield from judged.of_package(package)
        offers = offers_of(catalog, package.name, release_support=False)
        assert offers is not None
        yield from installing_lints(package, offers)


def requires_anything(catalog: Catalog) -> bool:
    """Return whether any bundle of *catalog* has a requirement."""
    requires = PerList(has_requirement)
    return any(requires(bundle) for package in catalog.packages.values() for bundle in package.bundles.values())


class _RequirementFindings:
    """The findings on requirements, for which rules in CEL and the index are loaded only where something is required.

    A small catalog requires nothing, and its validation takes three quarters of the time without them.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._is_empty = not requires_anything(catalog)
        if not self._is_empty:
            from olmsolve.authoring.checks.requirements import CircularRequirements, RequirementLints

            self._requirements = RequirementLints()
            self._circular = CircularRequirements(catalog)

    def of_bundle(self, bundle: Bundle) -> Iterator[Finding]:
        """Yield the findings on the requirements of *bundle*."""
        if not self._is_empty:
            yield from self._requirements.findings(bundle)

    def of_package(self, package: Package) -> Iterator[Finding]:
        """Yield the findings on requirements that lead back to *package*."""
        if not self._is_empty:
            yield from self._circular.findings(package)


class _PropertyFindings:
    """The findings on the properties of bundles; nearly all lists of properties have none, which is seen once."""

    def __init__(self, judged: _RequirementFindings) -> None:
        self.are_quiet = PerList(self._are_quiet)
        """Whether nothing is wrong with the properties of a bundle, whatever its name and version."""
        self._judged = judged
        self._meant_types: dict[str, str] = {}
        self._api_faults: dict[bytes, tuple[tuple[str, str], ...]] = {}

    def of_bundle(self, bundle: Bundle) -> Iterator[Finding]:
        """Yield the findings on types, then on APIs, then on requirements."""
        yield from _property_type_findings(bundle, self._meant_types)
        yield from _api_name_findings(bundle, self._api_faults)
        yield from self._judged.of_bundle(bundle)

    def _are_quiet(self, bundle: Bundle) -> bool:
        # A requirement may be at odds with the bundle's own version.
        return not has_requirement(bundle) and not any(self.of_bundle(bundle))


def _skip_range_findings(text: str) -> Iterator[Finding]:
    """Yield the findings on a ``skipRange``; the caller adds where it is."""
    try:
        versions = BlangRange.parse(text)
    except RangeError as error:
        reason = f"{shortened(text)} does not parse, so nothing is skipped: {shortened(error.reason)}"
        yield Finding(Severity.WARNING, "skip-range-syntax", reason)
        return
    for warning in versions.warnings:
        yield Finding(Severity.WARNING, "range-warning", f"in {shortened(text)}: {shortened(warning)}")
    if versions.is_empty:
        yield Finding(Severity.WARNING, "empty-range", f"no version is in the range {shortened(text)}")


def _property_type_findings(bundle: Bundle, meant_types: dict[str, str]) -> Iterator[Finding]:
    for index, property_ in enumerate(bundle.properties):
        type_ = property_.type
        if type_ not in meant_types:
            meant_types[type_] = meant_type(type_)
        if wanted := meant_types[type_]:
            reason = f"the type {type_[:80]!r} means nothing to Operator Lifecycle Manager"
            path, hint = f"properties[{index}] ({type_[:80]})", f"did you mean {_HINTS.get(wanted, wanted)}?"
            fix = FieldFix(Edit.SET, path_steps(f"properties[{index}].type"), wanted, bundle.origin)
            fixes = () if wanted in _HINTS else (fix,)
            yield on_bundle(Severity.WARNING, "property-type", reason, bundle, path, hint, fixes)


def _api_name_findings(bundle: Bundle, faults_of: dict[bytes, tuple[tuple[str, str], ...]]) -> Iterator[Finding]:
    for index, property_ in enumerate(bundle.properties):
        if property_.type not in _API_TYPES:
            continue
        # By its text, which is hashed faster than its value, and is the same in most bundles of a package.
        if property_.text not in faults_of:
            faults_of[property_.text] = tuple(api_name_faults(property_.value))
        for field, reason in faults_of[property_.text]:
            path = f"properties[{index}] ({property_.type}): {field}"
            yield on_bundle(Severity.WARNING, "api-name", reason, bundle, path, "no cluster has an API of this name")


KNOWN_TYPES: Final = (
    "olm.bundle.object",
    "olm.channel",
    "olm.constraint",
    "olm.csv.metadata",
    "olm.deprecated",
    "olm.gvk",
    "olm.gvk.required",
    "olm.label",
    "olm.label.required",
    "olm.maxOpenShiftVersion",
    "olm.package",
    "olm.package.required",
    "olm.search.metadata",
    "olm.skipRange",
    "olm.skips",
    "olm.substitutesFor",
)
"""The types that have a meaning to some version of Operator Lifecycle Manager, its registry or OpenShift.

Any other type is allowed, and only CEL rules see its value: ``olm.gvk.require`` requires nothing.
"""

_SEPARATORS: Final = pattern(r"[\s._/-]+")
# "olm.gvk.require" is to "olm.gvk.required" as 0.96, and the nearest two types with a meaning are as 0.77.
_SIMILAR: Final = 0.88
_LONGEST: Final = 60  # more than twice as long as any type with a meaning, and a comparison takes its square


def meant_type(type_: str) -> str:
    """Return the known type that *type_* probably stands for; "" if *type_* is known itself, or similar to none.

    >>> meant_type("olm.gvk.require"), meant_type("OLM.Package"), meant_type("certified")
    ('olm.gvk.required', 'olm.package', '')
    """
    if type_ in KNOWN_TYPES or len(type_) > _LONGEST:
        return ""
    plain = _plain(type_)
    for type_name, letters in _PLAIN.items():
        # The prefix is forgotten often; a bare "package" or "label" may be somebody's own property.
        if plain == letters or (f"olm{plain}" == letters and "." in type_):
            return type_name
    import difflib  # slow to load, and few need it

    near = difflib.get_close_matches(plain, _PLAIN.values(), n=1, cutoff=_SIMILAR)
    return next((type_name for type_name, letters in _PLAIN.items() if letters in near), "")


def _plain(type_: str) -> str:
    """Return *type_* without case and separators."""
    return _SEPARATORS.sub("", type_.casefold())


_PLAIN: Final = {type_name: _plain(type_name) for type_name in KNOWN_TYPES}


_API_TYPES: Final = ("olm.gvk", "olm.gvk.required")
"""The property types whose value is an API."""

# Kubernetes' names of labels (RFC 1123, and RFC 1035 for words that begin with a letter).
_LABEL: Final = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_WORD: Final = pattern(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
# RFC 1035 and RFC 1123, as API servers check the names of definitions.
_LONGEST_LABEL: Final = 63
_LONGEST_GROUP: Final = 253


def api_name_faults(value: Any) -> Iterator[tuple[str, str]]:
    """Yield field and reason for each part of the API *value* that is there and that Kubernetes does not accept.

    CustomResourceDefinitions have these rules: the group is a DNS subdomain (RFC 1123), the version and the kind
    in lower case are DNS labels that begin with a letter (RFC 1035). The group of the core is empty.

    >>> list(api_name_faults({"group": "example.com", "version": "1", "kind": "Widget"}))
    [('version', "'1' is not a label: lower-case letters, digits and hyphens, beginning with a letter")]
    """
    if not isinstance(value, dict):
        return
    fields = named(value, GVK_NAMES)
    for field, rule, wanted in _RULES:
        text = fields.get(field)
        if isinstance(text, str) and text and not rule(text):
            yield field, f"{_quoted(text)} is not {wanted}"


def _is_subdomain(text: str) -> bool:
    labels = text.split(".")
    return len(text) <= _LONGEST_GROUP and all(
        len(label) <= _LONGEST_LABEL and _LABEL.fullmatch(label) is not None for label in labels
    )


def _is_word(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _WORD.fullmatch(text) is not None


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}...")


_RULES: Final[tuple[tuple[str, Callable[[str], bool], str], ...]] = (
    ("group", _is_subdomain, "a subdomain: labels of lower-case letters, digits and hyphens, with dots between them"),
    ("version", _is_word, "a label: lower-case letters, digits and hyphens, beginning with a letter"),
    ("kind", lambda kind: _is_word(kind.lower()), "a kind: letters, digits and hyphens, beginning with a letter"),
)


_BUNDLE, _CHANNEL, _UPDATE = "v1-bundle", "v1-channel", "v1-update"
_REFUSED_FOR: Final = {
    "api-service": "its operator brings an API service",
    "dependency": "it declares a dependency",
    "install-mode": "its operator does not serve all namespaces",
    "manifests": "it brings no operator",
    "validator": "its manifests break a rule",
    "webhook": "its operator brings webhooks",
}


def installing_lints(package: Package, offers: PackageOffers) -> Iterator[Finding]:
    """Yield what OLM v1 refuses in *package*: channels, then bundles by their fault, then updates by their bundle."""
    yield from (_of_channel(package, channel) for channel in unwritable_channels(package))
    by_fault: dict[tuple[str, str], list[InstallableBundle]] = {}
    for refusal in refused_bundles(package, offers):
        by_fault.setdefault((refusal.rule, refusal.note), []).append(refusal)
    for bundles in by_fault.values():
        # The newest comes first.
        others = sorted(bundle.bundle for bundle in bundles[1:])
        yield _of_bundle(package, bundles[0]).repeated_in(others)
    by_bundle: dict[tuple[str, str], list[UnsafeUpdate]] = {}
    for update in unsafe_updates(package, offers):
        by_bundle.setdefault((update.bundle, update.reason), []).append(update)
    for updates in by_bundle.values():
        yield _of_updates(package, updates)


def installing_findings(verdicts: InstallableList, catalog: Catalog) -> Iterator[Finding]:
    """Yield a finding for each channel, bundle and update of *catalog* that OLM v1 refuses by *verdicts*."""
    for channel in verdicts.channels:
        yield _of_channel(catalog.packages[channel.package], channel)
    for bundle in verdicts.refused:
        yield _of_bundle(catalog.packages[bundle.package], bundle)
    for update in verdicts.updates:
        yield _of_updates(catalog.packages[update.package], [update])


def _of_channel(package: Package, channel: UnwritableChannel) -> Finding:
    origin = package.channels[channel.channel].origin
    location: dict[str, Any] = {"package": package.name, "channel": channel.channel, "origin": origin}
    # The words of Kubernetes (channel.reason) end with a regular expression of two lines.
    message = "no extension of OLM v1 can name the channel, whose name is not a lower-case DNS subdomain (RFC 1123)"
    return Finding(Severity.WARNING, _CHANNEL, message, channel.note, **location)


def _of_bundle(package: Package, bundle: InstallableBundle) -> Finding:
    reason = _REFUSED_FOR[bundle.rule]
    if bundle.rule == "validator":
        reason = f"{reason}: {shortened(bundle.reason)}"
    message, refused = f"OLM v1 refuses the bundle, because {reason}", package.bundles[bundle.bundle]
    return on_bundle(Severity.WARNING, _BUNDLE, message, refused, hint=bundle.note)


def _of_updates(package: Package, updates: Iterable[UnsafeUpdate]) -> Finding:
    given = list(updates)
    befores = shortlist([update.before for update in given])
    message = f"OLM v1 refuses the update from {befores}: {shortened(given[0].reason)}"
    return on_bundle(Severity.WARNING, _UPDATE, message, package.bundles[given[0].bundle], hint=given[0].note)
