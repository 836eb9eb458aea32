"""The measured figures of real catalogs, which generated catalogs follow."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TypeAlias

import attrs

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
    found = {}
    for name, fields in json.loads(text).items():
        parts = {part: {key: PartFigures(**value) for key, value in fields[part].items()} for part in _PARTS}
        found[name] = CatalogFigures(**{**fields, **parts})
    return found
