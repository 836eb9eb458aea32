"""The tables of OLM v1's documentation: what a comparison string stands for."""

from __future__ import annotations

from itertools import product

import pytest

from olmsolve import v1
from olmsolve.catalog import fbc
from olmsolve.semver import MastermindsRange, Version

# Comparison string, and the comparisons that the documentation says it matches.
TABLES = [
    ("1.11.x", ">=1.11.0, <1.12.0"),
    (">=1.12.X", ">=1.12.0"),
    ("<=2.x", "<3"),
    ("*", ">=0.0.0"),
    ("~1.11.0", ">=1.11.0, <1.12.0"),
    ("~1", ">=1, <2"),
    ("~1.12", ">=1.12, <1.13"),
    ("~1.12.x", ">=1.12.0, <1.13.0"),
    ("~1.x", ">=1, <2"),
    ("^0", ">=0.0.0, <1.0.0"),
    ("^0.0", ">=0.0.0, <0.1.0"),
    ("^0.0.3", ">=0.0.3, <0.0.4"),
    ("^0.2", ">=0.2.0, <0.3.0"),
    ("^0.2.3", ">=0.2.3, <0.3.0"),
    ("^1.2.x", ">=1.2.0, <2.0.0"),
    ("^1.2.3", ">=1.2.3, <2.0.0"),
    ("^2.x", ">=2.0.0, <3"),
    ("^2.3", ">=2.3, <3"),
]
# Around every bound of the tables.
NUMBERS = product([0, 1, 2, 3, 4], [0, 1, 2, 3, 10, 11, 12, 13], [0, 1, 2, 3, 4, 9])
VERSIONS = [Version(*numbers) for numbers in NUMBERS]


def meant(comparisons: str, version: Version) -> bool:
    """The comparisons read as arithmetic on three numbers, without any grammar of ranges."""
    numbers = (version.major, version.minor, version.patch)
    for comparison in comparisons.split(", "):
        at_least = comparison.startswith(">=")
        bound = tuple(int(number) for number in comparison.lstrip("<>=").split("."))
        padded = bound + (0,) * (3 - len(bound))
        if numbers < padded if at_least else numbers >= padded:
            return False
    return True


@pytest.mark.parametrize(("text", "comparisons"), TABLES)
def test_a_comparison_string_stands_for_what_the_table_says(text: str, comparisons: str) -> None:
    """The range contains what its table row says, for every version around the bounds."""
    versions = [version for version in VERSIONS if version in MastermindsRange.parse(text)]
    assert versions == [version for version in VERSIONS if meant(comparisons, version)]


@pytest.fixture(scope="module")
def catalog() -> v1.ClusterCatalog:
    blobs = [
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": f"p.v{version}",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": str(version)}}],
        }
        for version in VERSIONS
    ]
    return v1.ClusterCatalog("a", fbc.from_blobs(blobs))


@pytest.mark.parametrize(("text", "comparisons"), TABLES)
def test_the_latest_version_of_the_range_is_resolved(text: str, comparisons: str, catalog: v1.ClusterCatalog) -> None:
    """ "OLM v1 installs the latest version that can be resolved within the version range"."""
    resolution = v1.resolve(v1.ExtensionRequest(v1.Extension("p", text), [catalog]))
    assert resolution.version == str(max(version for version in VERSIONS if meant(comparisons, version)))
