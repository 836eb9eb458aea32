"""Strategies for the content of catalogs, from properties and constraints up to whole catalogs.

Each takes *catalog*, whose words (:class:`~olmsolve.testing.Vocabulary`) it draws from, or a vocabulary itself; the
default is an invented one. Parts of documents are drawn as JSON values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from hypothesis import note
from hypothesis import strategies as st

from olmsolve.catalog import Catalog, fbc
from olmsolve.predicates import Predicate, parse_constraint
from olmsolve.testing.outlining import outline
from olmsolve.testing.vocabulary import INVENTED, Vocabulary

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]


class Outlined:
    """A value whose text is made when Hypothesis prints it, which it does for failing examples only."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return outline(self._value)


def vocabulary_of(catalog: Catalog | Vocabulary | None) -> Vocabulary:
    """Return the words of *catalog*; None stands for invented ones.

    Raises:
        ValueError: the catalog has no package.
    """
    if catalog is None:
        return INVENTED
    vocabulary = (
        catalog if isinstance(catalog, Vocabulary) else catalog.derived(__name__, lambda: Vocabulary.of(catalog))
    )
    if not vocabulary.packages:
        raise ValueError("the catalog has no package to draw from")
    return vocabulary


def constraints(
    *, catalog: Catalog | Vocabulary | None = None, levels: int = 3, parts: int = 3
) -> st.SearchStrategy[Json]:
    """Draw values of ``olm.constraint`` properties, trees of at most *levels* levels and *parts* parts each."""
    return _constraints(vocabulary_of(catalog), levels, parts)


# Making a strategy takes longer than drawing from it, and hypothesis validates each object once.
@lru_cache(maxsize=64)
def _constraints(words: Vocabulary, levels: int, parts: int) -> st.SearchStrategy[Json]:
    leaves: list[st.SearchStrategy[Json]] = [_package_ranges(words).map(lambda value: {"package": value})]
    if words.apis:
        leaves.append(st.sampled_from(words.apis).map(lambda api: {"gvk": api._asdict()}))
    if words.rules:
        leaves.append(st.sampled_from(words.rules).map(lambda rule: {"cel": {"rule": rule}}))
    tree = st.one_of(leaves)
    for _ in range(levels - 1):
        inner = st.lists(tree, min_size=1, max_size=parts).map(lambda inner_trees: {"constraints": inner_trees})
        # To exclude broadly leaves nothing to choose from, so exclusions have one part.
        excluded = tree.map(lambda excluded_tree: {"not": {"constraints": [excluded_tree]}})
        compound = st.tuples(st.sampled_from(["all", "any", "any"]), inner).map(lambda pair: {pair[0]: pair[1]})
        tree = st.one_of([*leaves, compound, excluded])
    return tree


def predicates(
    *, catalog: Catalog | Vocabulary | None = None, levels: int = 3, parts: int = 3
) -> st.SearchStrategy[Predicate]:
    """Draw the predicates that :func:`constraints` state."""
    return constraints(catalog=catalog, levels=levels, parts=parts).map(parse_constraint)


def properties(*, catalog: Catalog | Vocabulary | None = None, levels: int = 3) -> st.SearchStrategy[Json]:
    """Draw properties of bundles, facts and requirements: objects with ``type`` and ``value``."""
    return _properties(vocabulary_of(catalog), levels)


@lru_cache(maxsize=64)
def _properties(words: Vocabulary, levels: int) -> st.SearchStrategy[Json]:
    kinds = [_typed_values("olm.package.required", _package_ranges(words))]
    if words.apis:
        apis = st.sampled_from(words.apis).map(lambda api: api._asdict())
        kinds += [_typed_values("olm.gvk", apis), _typed_values("olm.gvk.required", apis)]
    if words.labels:
        labels = st.sampled_from(words.labels).map(lambda label: {"label": label})
        kinds += [_typed_values("olm.label", labels), _typed_values("olm.label.required", labels)]
    if words.properties:
        kinds.append(
            st.sampled_from(words.properties).map(lambda property_: {"type": property_.type, "value": property_.value})
        )
    kinds.append(_typed_values("olm.constraint", constraints(catalog=words, levels=levels)))
    return st.one_of(kinds)


@st.composite
def bundles(
    draw: st.DrawFn,
    package: str = "",
    version: str = "",
    *,
    catalog: Catalog | Vocabulary | None = None,
    most_properties: int = 2,
) -> Json:
    """Draw bundle blobs, by default of any package in any of its versions, with few further properties."""
    words = vocabulary_of(catalog)
    package = package or element(draw, tuple(words.packages))
    version = version or element(draw, _versions(words, package))
    return _bundle(draw, words, package, version, most_properties)


def _bundle(draw: st.DrawFn, words: Vocabulary, package: str, version: str, most_properties: int) -> Json:
    stated: list[Json] = [{"type": "olm.package", "value": {"packageName": package, "version": version}}]
    api = words.api_of(package) if package in words.packages else None
    if api is not None:
        # Versions of one package mostly provide the same API, as in life.
        stated.append({"type": "olm.gvk", "value": api._asdict()})
    more = draw(_property_lists(words, most_properties))
    name = f"{package}.v{version}"
    return {"schema": "olm.bundle", "package": package, "name": name, "properties": stated + more}


@st.composite
def channels(draw: st.DrawFn, package: str, names: Sequence[str], *, name: str = "stable") -> Json:
    """Draw channel blobs over the bundles *names*, ascending: valid chains with one head, the last name.

    An entry replaces the one below it, or skips it and replaces what that one replaces; some have a ``skipRange`` of
    all versions below their own.

    >>> from olmsolve.testing import channels
    >>> strategy = channels("etcd", ["etcd.v1", "etcd.v2"])
    """
    return _channel(draw, package, names, name)


def _channel(draw: st.DrawFn, package: str, names: Sequence[str], name: str) -> Json:
    entries: list[Json] = []
    for position, bundle in enumerate(names):
        entry: Json = {"name": bundle}
        if position:
            below = entries[-1]
            edge = draw(_EDGES)
            if edge == "skips":
                entry["skips"] = [below["name"], *below.get("skips", ())]
                if "replaces" in below:
                    entry["replaces"] = below["replaces"]
            else:
                entry["replaces"] = below["name"]
            if edge == "skipRange":
                entry["skipRange"] = f"<{bundle.rpartition('.v')[2]}"
        entries.append(entry)
    return {"schema": "olm.channel", "package": package, "name": name, "entries": entries}


@st.composite
def packages(
    draw: st.DrawFn,
    name: str = "",
    *,
    catalog: Catalog | Vocabulary | None = None,
    most_bundles: int = 3,
    most_channels: int = 2,
    most_properties: int = 2,
) -> list[Json]:
    """Draw the blobs of a package: bundles, and channels of which the first holds them all, others the lower ones."""
    words = vocabulary_of(catalog)
    name = name or element(draw, tuple(words.packages))
    return _package(draw, words, name, most_bundles, most_channels, most_properties)


def _package(
    draw: st.DrawFn, words: Vocabulary, name: str, most_bundles: int, most_channels: int, most_properties: int
) -> list[Json]:
    all_versions = _versions(words, name)
    made = {
        version: _bundle(draw, words, name, version, most_properties)
        for version in several(draw, all_versions, most_bundles)
    }
    versions = [made[version] for version in all_versions if version in made]
    names = [bundle["name"] for bundle in versions]
    streams = [_channel(draw, name, names, "stable")]
    for stream in ("beta", "alpha")[: max(0, most_channels - 1)]:
        length = element(draw, (0, *range(len(names) + 1)))
        if length:
            streams.append(_channel(draw, name, names[:length], stream))
    default = element(draw, [stream["name"] for stream in streams])
    return [{"schema": "olm.package", "name": name, "defaultChannel": default}, *streams, *versions]


@st.composite
def catalogs(
    draw: st.DrawFn,
    *,
    catalog: Catalog | Vocabulary | None = None,
    most_packages: int = 4,
    most_bundles: int = 3,
    most_channels: int = 2,
    most_properties: int = 2,
) -> Catalog:
    """Draw catalogs of one to *most_packages* packages, and note each as an outline.

    The packages, versions, APIs, labels, ranges and rules are those of *catalog*; their combinations are new.
    :func:`variations` keeps the combinations as well.
    """
    made = draw_catalog(draw, vocabulary_of(catalog), most_packages, most_bundles, most_channels, most_properties)
    note(Outlined(made))
    return made


def draw_catalog(
    draw: st.DrawFn,
    words: Vocabulary,
    most_packages: int,
    most_bundles: int,
    most_channels: int = 2,
    most_properties: int = 2,
) -> Catalog:
    """Draw a catalog as :func:`catalogs` does, and note nothing."""
    blobs: list[Json] = []
    for name in several(draw, tuple(words.packages), most_packages):
        blobs += _package(draw, words, name, most_bundles, most_channels, most_properties)
    return fbc.from_blobs(blobs, origin="a generated catalog")


# Of the entries of community-prod, 93 % replace another, 13 % have a skipRange, and 2 % skip.
_EDGES: Final = st.sampled_from(["replaces", "replaces", "replaces", "skips", "skipRange"])


_MORE: Final = st.sampled_from([False, True, True])


def several(draw: st.DrawFn, values: Sequence[T], most: int) -> Iterator[T]:
    """Draw one to *most* of *values*, each once, while the caller draws what belongs to each.

    The choices about a value are then neighbours, and Hypothesis can leave it out with all that belongs to it.
    """
    remaining = list(values)
    for number in range(min(most, len(remaining))):
        if number and not draw(_MORE):
            return
        yield remaining.pop(draw(_positions(len(remaining))))


def element(draw: st.DrawFn, values: Sequence[T]) -> T:
    """Draw one of *values*."""
    return values[draw(_positions(len(values)))]


# Making a strategy takes longer than drawing from it, so all sequences of one length share a strategy: 60 catalogs take
# 95 ms to draw, and 124 where each draw makes its own.
@lru_cache(maxsize=1024)
def _positions(length: int) -> st.SearchStrategy[int]:
    return st.sampled_from(range(length))


@lru_cache(maxsize=64)
def _property_lists(words: Vocabulary, most: int) -> st.SearchStrategy[list[Json]]:
    return st.lists(properties(catalog=words), max_size=most)


def _versions(words: Vocabulary, package: str) -> tuple[str, ...]:
    return words.packages.get(package) or ("1.0.0",)


def _package_ranges(words: Vocabulary) -> st.SearchStrategy[Json]:
    ranges = st.just(">=0.0.0")
    if words.ranges:
        ranges |= st.sampled_from(words.ranges)
    return st.tuples(st.sampled_from(list(words.packages)), ranges).map(
        lambda pair: {"packageName": pair[0], "versionRange": pair[1]}
    )


def _typed_values(type_: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return values.map(lambda value: {"type": type_, "value": value})
