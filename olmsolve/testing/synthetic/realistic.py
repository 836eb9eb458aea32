"""Catalogs shaped like a real one: any number of packages, drawn from its measured figures.

Every figure of :class:`CatalogFigures` is drawn by itself, but for what belongs together: packages with many bundles
have more channels, versions of a package share their APIs, requirements and heavy parts. Requirements point at later
packages, so there is no cycle of them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.catalog import Catalog, fbc
from olmsolve.testing.synthetic.draws import Draws, at_quantile, filled_field, filled_property

Blob: TypeAlias = dict[str, Any]
Gvk: TypeAlias = dict[str, str]

_API_VERSIONS: Final = ("v1", "v1alpha1", "v1beta1")
_MANY: Final = 2
"""The last third of the packages by bundles."""


@attrs.frozen
class PackageDraft:
    """The facts of a package that are decided before its blobs are written.

    *versions* ascend; *apis* are those of the newest bundle; *steady* is how far into the quantiles the package is with
    its heavy parts, for all its versions alike.
    """

    name: str
    versions: Sequence[str]
    apis: Sequence[Gvk]
    channels: int
    steady: float

    def bundle(self, number: int) -> str:
        """Return the name of the bundle with the version *number*."""
        return f"{self.name}.v{self.versions[number]}"


def realistic_blobs(packages: int | None = None, *, like: str = "community-prod", seed: int = 1) -> Iterator[Blob]:
    """Yield the blobs of a catalog with *packages* packages (by default as many as measured), shaped *like* a real one.

    The same arguments give the same blobs. :func:`measured_figures` has the names for *like*.

    Raises:
        ValueError: nothing is measured under the name *like*, or *packages* is below 1.
    """
    if like not in measured_figures():
        raise ValueError(f"measured catalogs are {', '.join(measured_figures())}, not {like!r}")
    figures = measured_figures()[like]
    count = figures.packages if packages is None else packages
    if count < 1:
        raise ValueError(f"a catalog needs a package, not {count}")
    return _Writer(figures, Draws(seed), count).blobs()


def realistic_catalog(packages: int | None = None, *, like: str = "community-prod", seed: int = 1) -> Catalog:
    """Return the catalog of :func:`realistic_blobs`, which has the arguments and what is raised."""
    return fbc.from_blobs(realistic_blobs(packages, like=like, seed=seed), origin=f"like {like}")


class _Writer:
    """The random draws for one catalog."""

    def __init__(self, figures: CatalogFigures, draws: Draws, count: int) -> None:
        self.figures = figures
        self.draws = draws
        self.names: set[str] = set()
        self.groups: set[str] = set()
        self.drafts: list[PackageDraft] = []
        # Each package gets its own part of the quantiles, in random order: the totals then vary little with the seed.
        parts, sizes = (draws.shuffled(range(count)) for _ in range(2))
        for part, size in zip(parts, sizes, strict=True):
            self.drafts.append(self._draft((part + draws.fraction()) / count, (size + draws.fraction()) / count))
        self.requiring = set(draws.distinct(0, count, round(figures.requiring * count)))

    def _whole(self, quantiles: Sequence[float]) -> int:
        return round(self.draws.quantile(quantiles))

    def _draft(self, part: float, steady: float) -> PackageDraft:
        """Decide about a package that is *part* (0 to 1) of the way to the package with the most bundles."""
        figures = self.figures
        name = self._name()
        bundles = max(1, round(at_quantile(figures.bundles, part)))
        third = min(_MANY, int(part * 3))
        channels = max(1, self._whole(figures.channels[third]))
        return PackageDraft(name, self._versions(bundles), self._apis(third), min(channels, bundles), steady)

    def _name(self) -> str:
        while True:
            name = self.draws.word(self._whole(self.figures.names))
            if name not in self.names:
                self.names.add(name)
                return name

    def _versions(self, count: int) -> list[str]:
        steps = list(self.figures.steps.items())
        major, minor, patch = 0, self.draws.below(3), self.draws.below(3)
        versions = [f"{major}.{minor}.{patch}"]
        while len(versions) < count:
            step = self.draws.weighted(steps)
            if step == "major":
                major, minor, patch = major + 1, 0, 0
            elif step == "minor":
                minor, patch = minor + 1, 0
            else:
                patch += 1
            suffix = f"-rc.{1 + self.draws.below(5)}" if step == "prerelease" else ""
            versions.append(f"{major}.{minor}.{patch}{suffix}")
        return versions

    def _apis(self, third: int) -> list[Gvk]:
        figures, draws = self.figures, self.draws
        group = self._group()
        apis: dict[str, Gvk] = {}
        for _ in range(self._whole(figures.apis[third])):
            if self.drafts and draws.chance(figures.shared_apis):
                others = draws.one_of(self.drafts).apis
                if others:
                    shared = draws.one_of(others)
                    apis[json.dumps(shared)] = shared
                    continue
            kind = draws.word(self._whole(figures.api_kinds)).capitalize()
            gvk = {"group": group, "kind": kind, "version": draws.one_of(_API_VERSIONS)}
            apis[json.dumps(gvk)] = gvk
        return list(apis.values())

    def _group(self) -> str:
        """Return a new API group, so that packages share APIs on purpose only."""
        while True:
            length = self._whole(self.figures.api_groups)
            group = f"{self.draws.word(length - len('.example.com'))}.example.com"
            if group not in self.groups:
                self.groups.add(group)
                return group

    def blobs(self) -> Iterator[Blob]:
        for number, draft in enumerate(self.drafts):
            channels = self._channels(draft)
            package = {"schema": "olm.package", "name": draft.name, "defaultChannel": channels[-1]["name"]}
            for field, part in self.figures.package_fields.items():
                if self.draws.chance(part.share):
                    package[field] = filled_field(self.draws, field, self._whole(part.bytes))
            yield package
            yield from channels
            yield from self._bundles(number, draft)

    def _channels(self, draft: PackageDraft) -> list[Blob]:
        """Return the channels, the default one last; together they have all bundles."""
        count = len(draft.versions)
        # The last channel ends with the newest bundle, the others end anywhere.
        ends = sorted(1 + self.draws.below(count) for _ in range(draft.channels - 1))
        spans = []
        for end in [*ends, count]:
            share = self.draws.quantile(self.figures.channel_shares) if draft.channels > 1 else 1.0
            spans.append([max(0, end - max(1, round(share * count))), end])
        self._cover(spans, count)
        names = ["stable"] if draft.channels == 1 else [f"stable-{number}" for number in range(draft.channels)]
        return [
            {
                "schema": "olm.channel",
                "package": draft.name,
                "name": name,
                "entries": self._entries(draft, first, end),
            }
            for name, (first, end) in zip(names, spans, strict=True)
        ]

    def _cover(self, spans: list[list[int]], count: int) -> None:
        """Extend spans downwards until every bundle from 0 to *count* - 1 is in one."""
        covered = {number for first, end in spans for number in range(first, end)}
        starts = {span[0]: span for span in spans}
        for number in range(count - 1, -1, -1):
            if number not in covered:
                # The next higher bundle is covered, so a span starts there.
                span = starts.pop(number + 1)
                span[0] = number
                starts[number] = span

    def _entries(self, draft: PackageDraft, first: int, end: int) -> list[Blob]:
        """Return the entries of the bundles *first* to *end* - 1.

        Each replaces the one before, or the last one that it does not skip.
        """
        figures, draws = self.figures, self.draws
        ranged = draws.chance(figures.ranged_channels)
        entries = []
        # Whoever is skipped must not skip others: their way to the head would end at the skipped entry.
        skipping: set[int] = set()
        for number in range(first, end):
            entry: Blob = {"name": draft.bundle(number)}
            replaced = number - 1
            if draws.chance(figures.skipping):
                skips: list[str] = []
                for _ in range(max(1, self._whole(figures.skips))):
                    if draws.chance(figures.skips_elsewhere) or replaced <= first or replaced in skipping:
                        skips.append(f"{draft.name}.v{draft.versions[number]}-skipped.{len(skips)}")
                    else:
                        skips.append(draft.bundle(replaced))
                        replaced -= 1
                        skipping.add(number)
                entry["skips"] = skips
            if replaced >= first:
                entry["replaces"] = draft.bundle(replaced)
            elif draws.chance(figures.replaces_elsewhere):
                entry["replaces"] = f"{draft.name}.v0.0.0-before"
            if ranged and draws.chance(figures.ranged_entries):
                entry["skipRange"] = self._skip_range(draft, first, number)
            entries.append(entry)
        return entries

    def _skip_range(self, draft: PackageDraft, first: int, number: int) -> str:
        """Return a range from some older version up to the bundle's own; ranges with an upper bound end below it."""
        before = first + self.draws.below(number - first + 1) - 1
        older = draft.versions[before] if before >= 0 else "0.0.0"
        form = self.draws.weighted(list(self.figures.skip_ranges.items()))
        bounds = [draft.versions[number] if part.startswith("<N") else older for part in form.split()]
        return " ".join(part.replace("N", bound) for part, bound in zip(form.split(), bounds, strict=True))

    def _bundles(self, number: int, draft: PackageDraft) -> Iterator[Blob]:
        requires: list[Blob] = []
        wanting = number in self.requiring
        for version, apis in enumerate(self._apis_of_versions(draft)):
            if wanting and (version == 0 or self.draws.chance(self.figures.api_changes)):
                requires = self._requirements(number)
            yield self._bundle(draft, version, apis, requires)

    def _apis_of_versions(self, draft: PackageDraft) -> list[list[Gvk]]:
        """Return the APIs of each version: fewer in older ones, now and then in another API version."""
        draws = self.draws
        last = len(draft.versions) - 1
        share = min(1.0, draws.quantile(self.figures.first_apis))
        apis = list(draft.apis)
        newest_first = []
        for version in range(last, -1, -1):
            grown = share + (1 - share) * version / last if last else 1.0
            newest_first.append(apis[: max(1, round(grown * len(apis)))])
            if apis and draws.chance(self.figures.api_changes):
                changed = draws.below(len(apis))
                apis[changed] = {**apis[changed], "version": draws.one_of(_API_VERSIONS)}
        return newest_first[::-1]

    def _bundle(self, draft: PackageDraft, version: int, apis: Sequence[Gvk], requires: Sequence[Blob]) -> Blob:
        package_property = {"packageName": draft.name, "version": draft.versions[version]}
        properties: list[Blob] = [{"type": "olm.gvk", "value": api} for api in apis]
        properties.append({"type": "olm.package", "value": package_property})
        properties.extend(requires)
        for kind, part in self.figures.properties.items():
            if self.draws.chance(part.share):
                size = round(at_quantile(part.bytes, draft.steady))
                properties.append(filled_property(self.draws, kind, size, draft.bundle(version)))
        digest = "".join(self.draws.one_of("0123456789abcdef") for _ in range(64))
        blob: Blob = {
            "schema": "olm.bundle",
            "name": draft.bundle(version),
            "package": draft.name,
            "image": f"registry.example.com/operators/{draft.name}@sha256:{digest}",
            "properties": properties,
        }
        for field, part in self.figures.bundle_fields.items():
            if self.draws.chance(part.share):
                blob[field] = filled_field(self.draws, field, round(at_quantile(part.bytes, draft.steady)))
        return blob

    def _requirements(self, number: int) -> list[Blob]:
        figures, draws = self.figures, self.draws
        kinds = list(figures.requirement_kinds.items())
        later = self.drafts[number + 1 :]
        requirements = []
        for _ in range(self._whole(figures.requirements)):
            there = later and draws.chance(figures.requirements_there)
            target = draws.one_of(later) if there else None
            kind = draws.weighted(kinds)
            if kind == "olm.gvk.required":
                requirements.append({"type": kind, "value": self._required_api(target)})
            elif kind == "olm.constraint":
                part = {"package": self._required_package(target)}
                requirements.append(
                    {"type": kind, "value": {"failureMessage": "requires a package", "all": {"constraints": [part]}}}
                )
            else:
                requirements.append({"type": kind, "value": self._required_package(target)})
        return requirements

    def _required_api(self, target: PackageDraft | None) -> Mapping[str, str]:
        if target is None or not target.apis:
            return {"group": "missing.example.com", "kind": "Missing", "version": "v1"}
        return self.draws.one_of(target.apis)

    def _required_package(self, target: PackageDraft | None) -> Blob:
        """Return a requirement in one of the measured forms, with versions that the target has (or 1.0.0)."""
        form = self.draws.weighted(list(self.figures.requirement_ranges.items()))
        if target is None:
            return {"packageName": "missing-package", "versionRange": form.replace("N", "1.0.0")}
        older = target.versions[self.draws.below(len(target.versions))]
        newest = target.versions[-1]
        bounds = [
            older if part.startswith(">=") else newest if part.startswith("<") else older for part in form.split()
        ]
        text = " ".join(part.replace("N", bound) for part, bound in zip(form.split(), bounds, strict=True))
        return {"packageName": target.name, "versionRange": text}


Quantiles: TypeAlias = Sequence[float]
"""The least value, evenly spaced quantiles, and the largest value."""
Counts: TypeAlias = Mapping[str, int]


@attrs.frozen
class CatalogFigures:
    """The measurements of one real catalog: counts, shares (0 to 1) and lengths, and no name or text of it.

    ``python -m benchmarks.shapes`` measures them and writes ``figures.json``. Where nothing else is said, quantiles are
    over packages.

    * *packages*; *bundles* of a package; *names*, their length; *steps*: how often a bundle raises which part of the
      version before it.
    * *channels* of a package and *apis* of its newest bundle, each in three parts: the third of the packages with the
      fewest bundles, the middle one, the one with the most.
    * *channel_shares*: which share of its package's bundles a channel of several has.
    * *skipping*: the share of channel entries that skip others; *skips*, how many (over these entries);
      *skips_elsewhere*: the share of skipped names that the channel lacks; *replaces_elsewhere*: entries that replace
      such a name, for each channel; *ranged_channels* with a skipRange, *ranged_entries* that have one in these
      channels; *skip_ranges*: their forms (``>=N <N``) with their counts.
    * *first_apis*: how many APIs a package's oldest bundle provides, as a multiple of its newest's; *api_changes*: the
      share of updates that change them; *shared_apis*: the share of APIs that several packages provide; *api_groups*
      and *api_kinds*, the length of these names (over APIs).
    * *requiring*: the share of packages with requirements; *requirements* of a bundle (over all bundles of these
      packages); *requirement_kinds* and *requirement_ranges* with their counts; *requirements_there*: the share of
      required APIs and packages that the catalog has.
    * *properties*, *bundle_fields* and *package_fields*: of all others, the share of blobs that have them and the bytes
      of their JSON (over these blobs).
    """

    packages: int
    bundles: Quantiles
    names: Quantiles
    steps: Counts
    channels: Sequence[Quantiles]
    channel_shares: Quantiles
    skipping: float
    skips: Quantiles
    skips_elsewhere: float
    ranged_channels: float
    ranged_entries: float
    skip_ranges: Counts
    replaces_elsewhere: float
    apis: Sequence[Quantiles]
    first_apis: Quantiles
    api_changes: float
    shared_apis: float
    api_groups: Quantiles
    api_kinds: Quantiles
    requiring: float
    requirements: Quantiles
    requirement_kinds: Counts
    requirement_ranges: Counts
    requirements_there: float
    properties: Mapping[str, PartFigures]
    bundle_fields: Mapping[str, PartFigures]
    package_fields: Mapping[str, PartFigures]


@attrs.frozen
class PartFigures:
    """The *share* of blobs that have a property or a field, and the *bytes* of its compact JSON where they have it."""

    share: float
    bytes: Quantiles


_PARTS = ("properties", "bundle_fields", "package_fields")


@functools.cache
def measured_figures() -> Mapping[str, CatalogFigures]:
    """Return the figures of ``community-prod``, and of ``fbc-v4.20-full``, whose bundles have heavy parts."""
    text = resources.files(__package__).joinpath("figures.json").read_text("utf-8")
    figures = {}
    for name, fields in json.loads(text).items():
        parts = {part: {key: PartFigures(**value) for key, value in fields[part].items()} for part in _PARTS}
        figures[name] = CatalogFigures(**{**fields, **parts})
    return figures
