"""Random small requests that are full of conflicts, as documents that can be printed and kept.

Catalogs are small and their bundles share few packages, APIs and labels, so that choices meet each other.
About half of the requests have a solution, and a few ask for what does not exist or is broken.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.classic import Request
from olmsolve.requests import read_request

Document: TypeAlias = dict[str, Any]

_CHANNELS: Final = ("stable", "beta", "alpha")
_LABELS: Final = ("certified", "edge")
_VERSIONS: Final = ("1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0", "2.0.0")
_RANGES: Final = (
    ">=0.0.0",
    "<1.2.0",
    ">=1.1.0",
    "1.x",
    ">=2.0.0",
    "!=1.1.0",
    "<1.1.0 || >=1.2.0-rc1",
    "1.0.0",
)
_RULES: Final = (
    'properties.exists(p, p.type == "tier" && p.value >= 2)',
    'properties.exists(p, p.type == "color" && p.value == "red")',
    '!properties.exists(p, p.type == "color")',
    'properties.all(p, p.type != "tier")',
)


@attrs.frozen
class RequestShape:
    """The size of a random request, and the probability (0 to 1) of each of its parts.

    *catalogs* to *installed* are largest numbers: *bundles* counts the versions of a package in one catalog, and at
    least half of *packages* exist. The others are likelihoods: *provides* that a bundle provides a second API,
    *requirement* that a bundle has one more requirement, *compound* that a constraint has parts, *odd* that a part of
    the request is broken, unknown or unusual, wherever that is possible.
    """

    catalogs: int = 2
    packages: int = 6
    bundles: int = 3
    channels: int = 2
    subscriptions: int = 2
    installed: int = 1
    provides: float = 0.15
    requirement: float = 0.55
    compound: float = 0.6
    odd: float = 0.03


SMALL: Final = RequestShape(packages=4, bundles=2, channels=1)
"""About four candidates, seldom more than twelve: small enough to look at every subset."""
DENSE: Final = RequestShape()
"""About ten candidates."""
COMPOUND: Final = RequestShape(requirement=0.65, compound=0.95, odd=0.02)
"""Like DENSE, with more nested all, any and not."""
WIDE: Final = RequestShape(catalogs=3, packages=9, bundles=4, channels=3, subscriptions=4, installed=3)
"""About thirty candidates, seldom more than a hundred: more than a brute force can always answer."""


def random_request(generator: random.Random, shape: RequestShape = DENSE) -> Request:
    """Return the request that :func:`random_document` writes.

    >>> random_request(random.Random(1)) == random_request(random.Random(1))
    True
    """
    return classic_request(random_document(generator, shape))


def classic_request(document: Document) -> Request:
    """Read *document*. Raises :class:`~olmsolve.errors.RequestError` if it is not a request with subscriptions."""
    return read_request(document)


def random_document(generator: random.Random, shape: RequestShape = DENSE) -> Document:
    """Return a request document with its catalogs in it; *generator* alone decides its content."""
    return _RequestWriter(generator, shape).document()


def random_constraint(generator: random.Random, shape: RequestShape = DENSE, *, levels: int = 3) -> Document:
    """Return an ``olm.constraint`` value with at most *levels* levels."""
    writer = _RequestWriter(generator, shape)
    return writer.constraint(levels, writer.packages)


def random_house_rules(
    generator: random.Random, document: Document, shape: RequestShape = DENSE, *, most: int = 3
) -> list[Document]:
    """Return 1 to *most* house rules about what the request *document* has, as documents."""
    writer = _RequestWriter(generator, shape)
    return [writer.house_rule(number, document) for number in range(generator.randint(1, most))]


class _RequestWriter:
    """The random choices for one document; *generator* may be hypothesis's, which shrinks towards zero."""

    def __init__(self, generator: random.Random, shape: RequestShape) -> None:
        self.generator = generator
        self.shape = shape
        fewest = (shape.packages + 1) // 2
        self.packages = [f"p{number}" for number in range(generator.randint(fewest, shape.packages))]

    def chance(self, likelihood: float) -> bool:
        # Zero, to which hypothesis shrinks, means no.
        return self.generator.random() >= 1 - likelihood

    def one_of(self, values: Sequence[Any]) -> Any:
        return values[self.generator.randrange(len(values))]

    def document(self) -> Document:
        """Return a request document: catalogs, installed operators, subscriptions to some packages."""
        catalogs = [self.catalog(number) for number in range(self.generator.randint(1, self.shape.catalogs))]
        blobs = [blob for catalog in catalogs for blob in catalog["blobs"]]
        installed = self.installed([blob for blob in blobs if blob["schema"] == "olm.bundle"])
        wanted = self.generator.randint(1, min(self.shape.subscriptions, len(self.packages)))
        subscriptions = [
            self.subscription(number, package, catalogs)
            for number, package in enumerate(self.generator.sample(self.packages, wanted))
        ]
        for operator in installed:
            self.give_owner(operator, subscriptions)
        return {
            "namespaces": ["ns", "olm"],
            "catalogs": catalogs,
            "installed": installed,
            "subscriptions": subscriptions,
        }

    def catalog(self, number: int) -> Document:
        namespace = "elsewhere" if self.chance(self.shape.odd) else self.one_of(["ns", "olm"])
        blobs: list[Document] = []
        for package in self.packages:
            if self.chance(0.85):
                blobs.extend(self.package(package))
        return {
            "name": f"cat{number}",
            "namespace": namespace,
            "priority": self.one_of([0, 0, 0, 5, -5]),
            "blobs": blobs,
        }

    def package(self, name: str) -> list[Document]:
        versions = sorted(self.generator.sample(range(len(_VERSIONS)), self.generator.randint(1, self.shape.bundles)))
        bundles = [self.bundle(name, _VERSIONS[index]) for index in versions]
        channels = [
            self.channel(name, channel, [bundle["name"] for bundle in bundles])
            for channel in self.generator.sample(_CHANNELS, self.generator.randint(1, self.shape.channels))
        ]
        default = "none" if self.chance(self.shape.odd) else self.one_of(channels)["name"]
        return [{"schema": "olm.package", "name": name, "defaultChannel": default}, *channels, *bundles]

    def channel(self, package: str, name: str, bundles: list[str]) -> Document:
        """Return a channel blob whose entries replace each other in order, now and then with skips."""
        chosen = [bundle for bundle in bundles if self.chance(0.8)] or bundles[-1:]
        entries: list[Document] = []
        for index, bundle in enumerate(chosen):
            entry: Document = {"name": bundle}
            if index and not self.chance(self.shape.odd):
                entry["replaces"] = chosen[index - 1]
            elif self.chance(0.3):
                entry["replaces"] = f"{package}.v0.9.0"
            if index and self.chance(0.2):
                entry["skips"] = [self.one_of(chosen[:index])]
            if self.chance(0.2):
                entry["skipRange"] = self.one_of(["<1.2.0", ">=1.0.0 <2.0.0", "<3.0.0"])
            if index and self.chance(self.shape.odd):
                entries[0]["replaces"] = bundle
            entries.append(entry)
        self.generator.shuffle(entries)
        return {"schema": "olm.channel", "package": package, "name": name, "entries": entries}

    def bundle(self, package: str, version: str) -> Document:
        """Return a bundle blob with its own API, some labels and CEL properties, and random requirements."""
        properties = [_property("olm.package", packageName=package, version=version)]
        if self.chance(self.shape.odd):
            other = self.one_of(self.packages)
            properties.append(_property("olm.package", packageName=other, version=self.one_of(_VERSIONS)))
        # Versions of one package mostly provide the same API, as in life.
        if self.chance(0.85):
            properties.append(_property("olm.gvk", **_gvk(package)))
        if self.chance(self.shape.provides):
            properties.append(_property("olm.gvk", **self.gvk(self.packages)))
        properties.extend(_property("olm.label", label=label) for label in _LABELS if self.chance(0.3))
        if self.chance(0.3):
            properties.append({"type": "tier", "value": self.one_of([1, 2, 3])})
        if self.chance(0.3):
            properties.append({"type": "color", "value": self.one_of(["red", "blue"])})
        if self.chance(self.shape.odd):
            properties.append({"type": "olm.deprecated", "value": {}})
        # Only the bundle itself can meet a requirement of its own package, so such a requirement is drawn rarely.
        others = [other for other in self.packages if other != package or self.chance(0.15)]
        while self.chance(self.shape.requirement):
            properties.append(self.requirement(others or self.packages))
        self.generator.shuffle(properties)
        name = f"{package}.v{version}"
        return {"schema": "olm.bundle", "package": package, "name": name, "properties": properties}

    def requirement(self, about: Sequence[str]) -> Document:
        if self.chance(self.shape.odd):
            return {"type": "olm.constraint", "value": self.one_of([{}, {"cel": {"rule": "1"}}])}
        # Five of eight: compound constraints are where two semantics and two readings differ most.
        kind = self.one_of(["gvk", "package", "label", *["constraint"] * 5])
        if kind == "gvk":
            return _property("olm.gvk.required", **self.gvk(about))
        if kind == "package":
            return _property("olm.package.required", **self.package_range(about))
        if kind == "label":
            return _property("olm.label.required", label=self.one_of(_LABELS))
        return {"type": "olm.constraint", "value": self.constraint(3, about)}

    def gvk(self, packages: Sequence[str]) -> dict[str, str]:
        return _gvk("unknown" if self.chance(self.shape.odd) else self.one_of(packages))

    def package_range(self, packages: Sequence[str]) -> Document:
        return {"packageName": self.one_of(packages), "versionRange": self.one_of(_RANGES)}

    def constraint(self, levels: int, about: Sequence[str]) -> Document:
        """Return an ``olm.constraint`` value of at most *levels* levels that mentions the packages *about*."""
        if levels > 1 and self.chance(self.shape.compound):
            kind = self.one_of(["all", "all", "any", "any", "any", "not"])
            if kind == "not" and self.chance(0.8):
                # Excluding broadly leaves nothing to choose from.
                return {"not": {"constraints": [{"package": self.package_range(about)}]}}
            parts = [self.constraint(levels - 1, about) for _ in range(self.one_of([1, 2, 2, 3]))]
            return {kind: {"constraints": parts}}
        kind = self.one_of(["gvk", "gvk", "package", "package", "package", "cel"])
        if kind == "gvk":
            return {"gvk": self.gvk(about)}
        if kind == "package":
            return {"package": self.package_range(about)}
        return {"cel": {"rule": self.one_of(_RULES)}}

    def installed(self, bundles: list[Document]) -> list[Document]:
        """Return installed operators: bundles of the catalogs, or older operators that no catalog has."""
        installed: dict[str, Document] = {}
        for _ in range(self.generator.randint(0, self.shape.installed)):
            if bundles and not self.chance(0.2):
                blob = self.one_of(bundles)
                installed[blob["name"]] = {
                    "name": blob["name"],
                    "version": blob["name"].partition(".v")[2],
                    "properties": blob["properties"],
                }
            else:
                name = self.one_of(self.packages)
                properties = [_property("olm.package", packageName=name, version="0.9.0")]
                if self.chance(0.5):
                    properties.append(_property("olm.gvk", **self.gvk(self.packages)))
                installed[f"{name}.v0.9.0"] = {
                    "name": f"{name}.v0.9.0",
                    "version": "0.9.0",
                    "properties": properties if self.chance(0.8) else [],
                }
        return list(installed.values())

    def house_rule(self, number: int, document: Document) -> Document:
        """Return a house rule about packages, versions, APIs, bundles, catalogs or constraints of *document*."""
        kind = self.one_of(["never", "beside", "beside", "atLeastOne", "prefer", "prefer"])
        rule: Document = {"name": f"rule {number}"}
        if kind == "beside":
            return {**rule, "never": self.bundles(document), "beside": self.bundles(document)}
        return {**rule, kind: self.bundles(document)}

    def bundles(self, document: Document) -> Document:
        """Return what some bundles of *document* have in common."""
        kind = self.one_of(["package", "package", "versions", "versions", "api", "name", "catalog", "constraint"])
        package = self.one_of(self.packages)
        if kind == "versions":
            return {"package": package, "versions": self.one_of(_RANGES)}
        if kind == "api":
            return {"api": "/".join(_gvk(package).values())}
        if kind == "name":
            return {"name": f"{package}.v{self.one_of(_VERSIONS)}"}
        if kind == "catalog":
            catalog = self.one_of(document["catalogs"])
            return {"package": package, "catalog": f"{catalog['namespace']}/{catalog['name']}"}
        if kind == "constraint":
            return {"constraint": self.constraint(2, self.packages)}
        return {"package": package}

    def subscription(self, number: int, package: str, catalogs: list[Document]) -> Document:
        """Return a subscription to *package*, in most cases with a catalog and a channel that have it."""
        if self.chance(self.shape.odd):
            package = self.one_of(["unknown", *self.packages])
        holding = [c for c in catalogs if any(blob["name"] == package for blob in c["blobs"])]
        catalog = self.one_of(holding or catalogs)
        blobs = [blob for blob in catalog["blobs"] if blob.get("package") == package]
        channels = [blob["name"] for blob in blobs if blob["schema"] == "olm.channel"]
        bundles = [blob["name"] for blob in blobs if blob["schema"] == "olm.bundle"]
        result: Document = {"name": f"sub{number}", "namespace": "ns", "package": package}
        if self.chance(0.85):
            result["source"], result["sourceNamespace"] = catalog["name"], catalog["namespace"]
        elif self.chance(self.shape.odd):
            result["source"], result["sourceNamespace"] = "unknown", "ns"
        if channels and self.chance(0.8):
            result["channel"] = self.one_of(channels)
        elif self.chance(self.shape.odd):
            result["channel"] = "unknown"
        if bundles and self.chance(0.15):
            result["startingCSV"] = "unknown" if self.chance(self.shape.odd) else self.one_of(bundles)
        return result

    def give_owner(self, operator: Document, subscriptions: list[Document]) -> None:
        """Give *operator*, in most cases, to a subscription of its package that owns no operator yet."""
        package = operator["name"].partition(".v")[0]
        for subscription in subscriptions:
            free = "installedCSV" not in subscription
            if subscription["package"] == package and free and self.chance(0.95):
                subscription["installedCSV"] = operator["name"]
                if self.chance(0.7):
                    operator["subscription"] = subscription["name"]
                return


def _property(type_: str, **value: str) -> Document:
    return {"type": type_, "value": value}


def _gvk(package: str) -> dict[str, str]:
    return {"group": f"{package}.example.com", "version": "v1", "kind": "Kind"}
