"""What real catalogs look like, in figures: ``python -m benchmarks.shapes`` measures them anew.

It reads the real catalogs of the shared folder and writes ``olmsolve/testing/synthetic/figures.json``, from which
:mod:`olmsolve.testing.synthetic` generates catalogs shaped alike. The catalogs themselves are other projects' data and
stay where they are; the figures hold counts, shares and lengths only, no name and no text.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from benchmarks.measuring import shared
from olmsolve import fbc
from olmsolve.errors import VersionError
from olmsolve.semver import Version

Blob: TypeAlias = Mapping[str, Any]

CATALOGS = {"community-prod": "community-prod.jsonl.gz", "fbc-v4.20-full": "fbc-v4.20-full.tar.gz"}
"""The measured catalogs: all of a community's operators without heavy parts, and a smaller one with them."""
TARGET = Path(__file__).parents[1] / "olmsolve" / "testing" / "synthetic" / "figures.json"

_REQUIREMENTS = ("olm.gvk.required", "olm.package.required", "olm.constraint")
_DRAWN_ELSEWHERE = ("olm.package", "olm.gvk", *_REQUIREMENTS)
_FIELDS = ("icon", "description", "relatedImages")
_CANONICAL = json.JSONEncoder(sort_keys=True)
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_NUMBER = re.compile(r"\d[^\s<>=|&]*")


@attrs.frozen
class _Package:
    """The blobs of one package; *bundles* in the order of versions, *channels* as they stand."""

    blob: Blob
    channels: Sequence[Blob]
    bundles: Sequence[Blob]


def measured(blobs: Iterable[Blob]) -> dict[str, Any]:
    """Return the figures of one catalog, named as the fields of ``olmsolve.testing.synthetic.CatalogFigures``."""
    packages = _packages(blobs)
    bundles = [bundle for package in packages for bundle in package.bundles]
    return {
        "packages": len(packages),
        "bundles": _quantiles([len(package.bundles) for package in packages], 40),
        "names": _quantiles([len(package.blob["name"]) for package in packages]),
        "steps": _steps(packages),
        **_channels(packages),
        **_entries([channel for package in packages for channel in package.channels]),
        **_apis(packages),
        **_requirements(packages),
        "properties": _others(
            [{item["type"]: item for item in bundle.get("properties", ())} for bundle in bundles], _DRAWN_ELSEWHERE
        ),
        "bundle_fields": _fields(bundles),
        "package_fields": _fields([package.blob for package in packages]),
    }


def _packages(blobs: Iterable[Blob]) -> list[_Package]:
    found: dict[str, tuple[list[Blob], list[Blob], list[Blob]]] = defaultdict(lambda: ([], [], []))
    numbers = {"olm.package": 0, "olm.channel": 1, "olm.bundle": 2}
    for blob in blobs:
        number = numbers.get(blob["schema"])
        if number is not None:
            found[blob["package" if number else "name"]][number].append(blob)
    return [_Package(own[0], channels, sorted(bundles, key=_version)) for own, channels, bundles in found.values()]


def _version(bundle: Blob) -> Version:
    for item in _values(bundle, "olm.package"):
        try:
            return Version.parse(item["version"])
        except VersionError:
            break
    return Version.parse("0.0.0")


def _values(bundle: Blob, kind: str) -> list[Any]:
    return [item["value"] for item in bundle.get("properties", ()) if item["type"] == kind]


def _steps(packages: Iterable[_Package]) -> dict[str, int]:
    """Count which part of the version each bundle raises over the one before it."""
    found: Counter[str] = Counter()
    for package in packages:
        for before, after in pairwise(map(_version, package.bundles)):
            if after.pre:
                found["prerelease"] += 1
            elif after.major != before.major:
                found["major"] += 1
            else:
                found["minor" if after.minor != before.minor else "patch"] += 1
    return dict(found.most_common())


def _channels(packages: Sequence[_Package]) -> dict[str, Any]:
    """Return how many channels packages have, and how long channels are."""
    shares = [
        len(channel["entries"]) / len(package.bundles)
        for package in packages
        for channel in package.channels
        if len(package.channels) > 1
    ]
    return {
        "channels": [_quantiles([len(package.channels) for package in third]) for third in _thirds(packages)],
        "channel_shares": _quantiles(shares),
    }


def _thirds(packages: Sequence[_Package]) -> list[list[_Package]]:
    """Return the third of *packages* with the fewest bundles, the middle one, and the one with the most."""
    by_bundles = sorted(packages, key=lambda package: len(package.bundles))
    count = len(packages)
    return [by_bundles[count * number // 3 : count * (number + 1) // 3] for number in range(3)]


def _entries(channels: Sequence[Blob]) -> dict[str, Any]:
    skipping, skips_elsewhere, ranges, replaces_elsewhere = [], 0, Counter[str](), 0
    ranged = [sum("skipRange" in entry for entry in channel["entries"]) for channel in channels]
    for channel in channels:
        names = {entry["name"] for entry in channel["entries"]}
        for entry in channel["entries"]:
            if entry.get("skips"):
                skipping.append(len(entry["skips"]))
                skips_elsewhere += sum(name not in names for name in entry["skips"])
            if "skipRange" in entry:
                ranges[_form(entry["skipRange"])] += 1
            replaces_elsewhere += "replaces" in entry and entry["replaces"] not in names
    entries = sum(len(channel["entries"]) for channel in channels)
    within = sum(len(channel["entries"]) for channel, count in zip(channels, ranged, strict=True) if count)
    return {
        "skipping": _share(len(skipping), entries),
        "skips": _quantiles(skipping),
        "skips_elsewhere": _share(skips_elsewhere, sum(skipping)),
        "ranged_channels": _share(sum(count > 0 for count in ranged), len(channels)),
        "ranged_entries": _share(sum(ranged), within),
        "skip_ranges": dict(ranges.most_common()),
        "replaces_elsewhere": _share(replaces_elsewhere, len(channels)),
    }


def _apis(packages: Sequence[_Package]) -> dict[str, Any]:
    """Return the figures of provided APIs: how many, how they change between versions, how long their names are."""
    apis = [[_texts(bundle, "olm.gvk") for bundle in package.bundles] for package in packages]
    steps = [before != after for rows in apis for before, after in pairwise(rows)]
    providers = Counter(api for rows in apis for api in set().union(*rows))
    values = [json.loads(api) for api in providers]
    return {
        "apis": [
            _quantiles([len(_values(package.bundles[-1], "olm.gvk")) for package in third])
            for third in _thirds(packages)
        ],
        "first_apis": _quantiles([len(rows[0]) / len(rows[-1]) for rows in apis if rows[-1]]),
        "api_changes": _share(sum(steps), len(steps)),
        "shared_apis": _share(sum(count > 1 for count in providers.values()), len(providers)),
        "api_groups": _quantiles([len(value["group"]) for value in values]),
        "api_kinds": _quantiles([len(value["kind"]) for value in values]),
    }


def _requirements(packages: Sequence[_Package]) -> dict[str, Any]:
    requiring = [[_required(bundle) for bundle in package.bundles] for package in packages]
    asking = [rows for rows in requiring if any(rows)]
    every = [item for rows in asking for row in rows for item in row]
    names = {package.blob["name"] for package in packages}
    provided = {api for package in packages for bundle in package.bundles for api in _texts(bundle, "olm.gvk")}
    apis = {json.dumps(item["value"], sort_keys=True) for item in every if item["type"] == "olm.gvk.required"}
    others = [item["value"] for item in every if item["type"] == "olm.package.required"]
    wanted = {value["packageName"] for value in others}
    return {
        "requiring": _share(len(asking), len(packages)),
        "requirements": _quantiles([len(row) for rows in asking for row in rows]),
        "requirement_kinds": dict(Counter(item["type"] for item in every).most_common()),
        "requirement_ranges": dict(Counter(_form(value["versionRange"]) for value in others).most_common()),
        "requirements_there": _share(len(apis & provided) + len(wanted & names), len(apis) + len(wanted)),
    }


def _required(bundle: Blob) -> list[Blob]:
    return [item for item in bundle.get("properties", ()) if item["type"] in _REQUIREMENTS]


def _texts(bundle: Blob, kind: str) -> set[str]:
    return set(map(_CANONICAL.encode, _values(bundle, kind)))


def _form(text: str) -> str:
    """Return a range with an N for each version: ``>=1.0.0 <2.0.0`` is ``>=N <N``."""
    return _NUMBER.sub("N", " ".join(text.split()))


def _fields(blobs: Sequence[Blob]) -> dict[str, Any]:
    return _others([{name: blob[name] for name in _FIELDS if name in blob} for blob in blobs], ())


def _others(parts: Sequence[Mapping[str, Any]], left_out: Sequence[str]) -> dict[str, Any]:
    """Return for each name in *parts* the share of the parts that have it, and the bytes of its compact JSON."""
    sizes: dict[str, list[int]] = defaultdict(list)
    for part in parts:
        for name, value in part.items():
            if name not in left_out:
                sizes[name].append(len(_COMPACT.encode(value).encode()))
    return {
        name: {"share": _share(len(each), len(parts)), "bytes": _quantiles(each)}
        for name, each in sorted(sizes.items())
    }


def _quantiles(values: Sequence[float], parts: int = 20) -> list[float]:
    """Return the least value, the values that divide all into *parts* parts, and the largest; zeros for no values."""
    ascending = sorted(values) or [0]
    last = len(ascending) - 1
    return [round(ascending[round(number * last / parts)], 3) for number in range(parts + 1)]


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _blobs(path: Path) -> list[Blob]:
    if path.suffixes[-2:] != [".tar", ".gz"]:
        return list(fbc.blobs(fbc.load(path)))
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
        return list(fbc.blobs(fbc.load(folder)))


def figures(folder: Path, names: Iterable[str] = CATALOGS) -> dict[str, Any]:
    """Return the figures of the measured catalogs *names* in *folder*, by the name of the catalog."""
    return {name: measured(_blobs(folder / "catalogs" / CATALOGS[name])) for name in names}


def main() -> int:
    folder = shared()
    if folder is None:
        return 1
    lines = [
        f"{json.dumps(name)}: {{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in each.items()) + "\n}"
        for name, each in figures(folder).items()
    ]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
