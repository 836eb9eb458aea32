"""Random small requests with what forgers of certificates like, and the truth about them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import attrs

from olmsolve import Request, RequestError, Semantics
from olmsolve.testing import COMPOUND, DENSE, SMALL, classic_request, random_document, random_house_rules
from tests.certificates.brute_force import NoTruth, Truth, truth

__all__ = ["Document", "Question", "changed", "questions"]

Document: TypeAlias = dict[str, Any]


def trapped_document(chance: random.Random) -> Document:
    """Return a random small request with what forgers like: exclusions in disjunctions, alike APIs, house rules."""
    shape = chance.choice((SMALL, DENSE, COMPOUND))
    document = random_document(chance, shape)
    bundles = [blob for catalog in document["catalogs"] for blob in catalog["blobs"] if blob["schema"] == "olm.bundle"]
    packages = sorted({blob["package"] for blob in bundles})
    for _ in range(chance.choice((0, 1, 1, 2)) if packages else 0):
        blob = chance.choice(bundles)
        blob["properties"].insert(chance.randrange(len(blob["properties"]) + 1), trap(packages, chance))
    if chance.random() < 0.5:
        set_trap(document, chance)
    if chance.random() < 0.15:
        set_operator(document, chance)
    if chance.random() < 0.3:
        for blob in bundles:
            if chance.random() < 0.4:
                kind = chance.choice(("olm.gvk", "olm.gvk", "olm.gvk.required"))
                blob["properties"].append({"type": kind, "value": alike_api(chance)})
    if chance.random() < 0.25:
        # An operator that names no package shares no group with its updates.
        for operator in document["installed"]:
            own = [property_ for property_ in operator["properties"] if property_["type"] != "olm.package"]
            operator["properties"] = [*own, {"type": "olm.gvk", "value": alike_api(chance)}]
    if chance.random() < 0.25:
        for operator in document["installed"]:
            operator["properties"] = [*operator["properties"], {"type": "olm.deprecated", "value": {}}]
    if chance.random() < 0.5:
        document["houseRules"] = random_house_rules(chance, document, shape)
    return document


def trap(packages: Sequence[str], chance: random.Random) -> Document:
    """Return a disjunction one part of which wants a package that another bundle may bring to be absent."""
    absent, wanted, instead = (package_constraint(chance.choice(packages), chance) for _ in range(3))
    return trapped_property(absent, wanted, instead, chance)


def trapped_property(absent: Document, wanted: Document, instead: Document, chance: random.Random) -> Document:
    part = {"all": {"constraints": [{"not": {"constraints": [absent]}}, wanted]}}
    parts = [part, instead] if chance.random() < 0.8 else [instead, part]
    if chance.random() < 0.2:
        parts.append({"not": {"constraints": [absent]}})
    return {"type": "olm.constraint", "value": {"any": {"constraints": parts}}}


def set_trap(document: Document, chance: random.Random) -> None:
    """Add a package to *document* whose bundle has a trap, and then requires what is wanted, absent and instead.

    So a walk can take the false part and end with a selection that meets the other one.
    """
    catalog = chance.choice(document["catalogs"])
    packages = [blob["name"] for blob in catalog["blobs"] if blob["schema"] == "olm.package"]
    if len(packages) < 3:
        return
    wanted = dict(zip(("absent", "wanted", "instead"), chance.sample(packages, 3), strict=True))
    absent, present, instead = (package_constraint(name, chance) for name in wanted.values())
    required = [wanted["instead"], *(name for name in wanted.values() if chance.random() < 0.4)]
    chance.shuffle(required)
    needs = [
        {"type": "olm.package.required", "value": {"packageName": name, "versionRange": ">=0.0.0"}} for name in required
    ]
    catalog["blobs"] += package_blobs("trap", [[trapped_property(absent, present, instead, chance), *needs]])
    wish(document, "trap", chance)
    if chance.random() < 0.7:
        wish(document, wanted["absent"], chance)


def set_operator(document: Document, chance: random.Random) -> None:
    """Add an installed operator to *document* that names no package, its update, and a bundle that requires its API.

    So nothing but the update itself rules the operator out.
    """
    catalog = chance.choice(document["catalogs"])
    api = alike_api(chance)
    provides, requires = ({"type": kind, "value": api} for kind in ("olm.gvk", "olm.gvk.required"))
    catalog["blobs"] += [
        *package_blobs("kept", [[], []]),
        *package_blobs("needy", [[requires]]),
        *package_blobs("maker", [[provides], [provides]]),
    ]
    wish(document, "needy", chance)
    wish(document, "kept", chance, installedCSV="kept.v1.0.0")
    document["installed"].append({"name": "kept.v1.0.0", "version": "1.0.0", "properties": [provides]})


def package_blobs(name: str, bundles: Sequence[Sequence[Document]]) -> list[Document]:
    """Return a package whose *bundles* are properties of its versions 1.0.0, 2.0.0, each updating the one before."""
    names = [f"{name}.v{number}.0.0" for number in range(1, len(bundles) + 1)]
    entries = [{"name": name, "replaces": below} for name, below in zip(names, ["", *names], strict=False)]
    blobs: list[Document] = [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": entries},
    ]
    for bundle, properties in zip(names, bundles, strict=True):
        own = {"type": "olm.package", "value": {"packageName": name, "version": bundle.partition(".v")[2]}}
        blobs.append({"schema": "olm.bundle", "package": name, "name": bundle, "properties": [own, *properties]})
    return blobs


def wish(document: Document, package: str, chance: random.Random, **fields: str) -> None:
    """Add a subscription to *package* to *document*, unless there is one."""
    wishes = document["subscriptions"]
    if all(wish["package"] != package for wish in wishes):
        wanted = {"name": f"for {package}", "namespace": "ns", "package": package, **fields}
        wishes.insert(chance.randrange(len(wishes) + 1), wanted)


def package_constraint(package: str, chance: random.Random) -> Document:
    versions = chance.choice((">=0.0.0", ">=0.0.0", "<1.2.0", ">=1.1.0"))
    return {"package": {"packageName": package, "versionRange": versions}}


def alike_api(chance: random.Random) -> dict[str, str]:
    """Return one of several APIs that are all written ``g/v/x/K``."""
    parts = chance.choice((("g", "v/x", "K"), ("g/v", "x", "K"), ("g", "v", "x/K")))
    return dict(zip(("group", "version", "kind"), parts, strict=True))


@attrs.frozen
class Question:
    """A request under *semantics*, and the *truth* about it by brute force."""

    request: Request
    semantics: Semantics
    truth: Truth


def questions(chance: random.Random) -> Iterator[tuple[Document, Question]]:
    """Yield random requests that the brute force answers, without end; three in four of them have a plan."""
    while True:
        document = trapped_document(chance)
        request = classic_request(document)
        semantics = chance.choice(list(Semantics))
        try:
            question = Question(request, semantics, truth(request, semantics))
        except (NoTruth, RequestError):
            continue
        if question.truth.preferred is not None or chance.random() < 0.25:
            yield document, question


def changed(document: Document, chance: random.Random) -> None:
    """Change what a request *document* asks, or what its catalogs hold."""
    blobs = [blob for catalog in document["catalogs"] for blob in catalog["blobs"]]
    bundles = [blob for blob in blobs if blob["schema"] == "olm.bundle"]
    channels = [blob for blob in blobs if blob["schema"] == "olm.channel"]
    change = chance.randrange(7)
    if change == 0:
        document.pop("houseRules", None)
    elif change == 1 and document["subscriptions"]:
        del document["subscriptions"][chance.randrange(len(document["subscriptions"]))]
    elif change == 2 and document["catalogs"]:
        chance.choice(document["catalogs"])["priority"] += chance.choice((-10, 10))
    elif change == 3 and channels:
        chance.choice(channels)["entries"].reverse()
    elif bundles:
        properties = chance.choice(bundles)["properties"]
        if change == 4 and properties:
            del properties[chance.randrange(len(properties))]
        elif change == 5:
            properties.append({"type": "olm.deprecated", "value": {}})
        else:
            chance.shuffle(properties)
