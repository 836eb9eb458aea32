"""A certificate names what it is about: the request, each catalog's content, the semantics; others are refused."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml

import olmsolve
from olmsolve import (
    AtLeastOne,
    Bundles,
    Catalog,
    Installed,
    Never,
    Prefer,
    Request,
    RequestError,
    Semantics,
    Source,
    Subscription,
    certificate,
    verify,
)
from olmsolve.answers.verification import World, catalog_digests, request_digest
from olmsolve.catalog import fbc, index_files
from olmsolve.eligibility import CandidateFacts
from olmsolve.testing import classic_request
from tests.certificates.brute_force import NoTruth, truth
from tests.certificates.trapped_requests import changed, questions
from tests.cli.commands import runner
from tests.scale import scaled

EXAMPLES = Path(olmsolve.__file__).parent / "examples"

Blobs = list[dict[str, Any]]
Document = dict[str, Any]


def blobs() -> Blobs:
    """Return a catalog with everything that a digest covers, and some of what it leaves out."""
    own = {"type": "olm.package", "value": {"packageName": "app", "version": "1.0.0"}}
    tier = {"type": "tier", "value": {"level": 2, "share": 0.5, "of": [1, 2.0, True, None]}}
    needs = [
        {"type": "olm.package.required", "value": {"packageName": name, "versionRange": ">=1.0.0"}}
        for name in ("cache", "queue")
    ]
    entries = [
        {"name": "app.v2.0.0", "replaces": "app.v1.0.0", "skips": ["app.v1.1.0", "app.v1.2.0"], "skipRange": "<2.0.0"},
        {"name": "app.v1.0.0"},
    ]
    return [
        {"schema": "olm.package", "name": "app", "defaultChannel": "stable", "description": "An app"},
        {"schema": "olm.channel", "package": "app", "name": "stable", "entries": entries},
        {"schema": "olm.channel", "package": "app", "name": "beta", "entries": entries[1:]},
        {"schema": "olm.bundle", "package": "app", "name": "app.v1.0.0", "image": "a@1", "properties": [own]},
        {"schema": "olm.bundle", "package": "app", "name": "app.v2.0.0", "properties": [own, tier, *needs]},
        {"schema": "olm.package", "name": "empty", "defaultChannel": ""},
    ]


def catalog_digest(catalog: Catalog) -> str:
    [digest] = catalog_digests([Source("main", "olm", 0, catalog)]).values()
    return digest


def digest_of(content: Blobs) -> str:
    return catalog_digest(fbc.from_blobs(content))


def test_a_catalog_has_one_digest_whatever_its_files(tmp_path: Path) -> None:
    """The order and number of files and blobs, JSON or YAML, an index beside them, the order of keys: none counts."""
    content = blobs()
    expected = digest_of(content)
    shuffled = content[::-1]
    for blob in shuffled:
        if "entries" in blob:
            blob["entries"] = blob["entries"][::-1]
    backwards = [dict(reversed(blob.items())) for blob in shuffled]
    one, many, indexed = (tmp_path / name for name in ("one", "many", "indexed"))
    for folder in (one, many, indexed):
        folder.mkdir()
    (one / "catalog.yaml").write_text("---\n".join(yaml.safe_dump(blob) for blob in backwards), "utf-8")
    for number, blob in enumerate(backwards):
        (many / f"{number}.json").write_text(json.dumps(blob), "utf-8")
    (indexed / "catalog.json").write_text("\n".join(map(json.dumps, content)), "utf-8")
    index_files.write_index(indexed)
    for folder in (one, many, indexed):
        assert catalog_digest(olmsolve.load(folder)) == expected, folder.name


def test_numbers_that_are_equal_are_one() -> None:
    """YAML keeps 2.0, opm prints 2, and CEL rules take every number for a double; 2.5 and texts stay what they are."""

    def having(value: Any) -> str:
        content = blobs()
        content[4]["properties"].append({"type": "number", "value": value})
        return digest_of(content)

    assert having(2) == having(2.0) != having(2.5)
    assert having([{"a": 1e3}]) == having([{"a": 1000}])
    assert having([1e300]) == having([10**300 * 1.0])
    assert len({having(value) for value in (1, "1", "1.0", 1.5, True, None, [1], "true", '"1.5', "\\")}) == 10


def test_a_number_keeps_no_zeros(tmp_path: Path) -> None:
    """A loaded catalog keeps the zeros of 4.10, which opm would print, and which are nothing to a rule."""

    def having(number: str) -> str:
        text = json.dumps(blobs()[3]).replace('"properties": [', f'"properties": [{{"type": "n", "value": {number}}}, ')
        file = tmp_path / f"{number}.json"
        file.write_text("\n".join([*map(json.dumps, blobs()[:3]), text, json.dumps(blobs()[4])]), "utf-8")
        return catalog_digest(olmsolve.load(file))

    assert having("4.10") == having("4.1") == having("41e-1") != having("4.11")
    assert having("4.0") == having("4") == having("4.00")


LEFT_OUT: dict[str, Callable[[Blobs], object]] = {
    "a description": lambda content: content[0].update(description="Another"),
    "an icon": lambda content: content[0].update(icon={"base64data": "eA==", "mediatype": "image/png"}),
    "an image": lambda content: content[3].update(image="b@2"),
    "a bundle in no channel": lambda content: content.append({**content[3], "name": "app.v9.0.0"}),
    "an entry without a bundle": lambda content: content[2]["entries"].append({"name": "gone"}),
    "a deprecation": lambda content: content.append(
        {
            "schema": "olm.deprecations",
            "package": "app",
            "entries": [{"reference": {"schema": "olm.package"}, "message": "old"}],
        }
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_digest_leaves_out_what_no_plan_depends_on(name: str) -> None:
    """A catalog with a new icon keeps its certificates."""
    content = copy.deepcopy(blobs())
    LEFT_OUT[name](content)
    assert digest_of(content) == digest_of(blobs())


COVERED: dict[str, Callable[[Blobs], object]] = {
    "the default channel": lambda content: content[0].update(defaultChannel="beta"),
    "a package without channels": lambda content: content.pop(),
    "a channel": lambda content: content.pop(2),
    "the name of a channel": lambda content: content[2].update(name="alpha"),
    "an entry": lambda content: content[1]["entries"].pop(),
    "replaces": lambda content: content[1]["entries"][0].update(replaces="app.v0"),
    "skips": lambda content: content[1]["entries"][0]["skips"].pop(),
    "skipRange": lambda content: content[1]["entries"][0].update(skipRange="<1.0.0"),
    "a property": lambda content: content[4]["properties"].pop(),
    "the order of requirements": lambda content: content[4]["properties"].reverse(),
    "the type of a property": lambda content: content[4]["properties"][1].update(type="level"),
    "a value": lambda content: content[4]["properties"][1]["value"].update(level=3),
    "a deprecated bundle": lambda content: content[3]["properties"].append({"type": "olm.deprecated", "value": {}}),
}


@pytest.mark.parametrize("name", COVERED)
def test_a_digest_covers_what_plans_depend_on(name: str) -> None:
    """Each of these may give the request another answer."""
    content = copy.deepcopy(blobs())
    COVERED[name](content)
    assert digest_of(content) != digest_of(blobs())


def test_names_do_not_run_into_each_other() -> None:
    """Everything is written part by part: no entry can end where the next one begins."""

    def with_skips(*names: str) -> str:
        content = blobs()
        content[1]["entries"][0]["skips"] = list(names)
        return digest_of(content)

    assert len({with_skips("a", "b"), with_skips("a,b"), with_skips('a", "b'), with_skips("a\nb")}) == 4


# -- requests


def document() -> Document:
    own = {"type": "olm.package", "value": {"packageName": "old", "version": "1.0.0"}}
    return {
        "name": "first",
        "namespaces": ["team", "olm", "global"],
        "catalogs": [
            {"name": "main", "namespace": "olm", "priority": 5, "blobs": blobs()},
            {"name": "more", "namespace": "team", "blobs": blobs()},
            {"name": "hidden", "namespace": "elsewhere", "blobs": blobs()},
        ],
        "installed": [
            {"name": "old.v1.0.0", "version": "1.0.0", "properties": [own]},
            {"name": "new.v1.0.0", "version": "1.0.0", "properties": []},
        ],
        "subscriptions": [{"name": "app", "package": "app"}, {"name": "empty", "package": "empty", "channel": "beta"}],
        "houseRules": [{"name": "one", "never": "x"}, {"name": "two", "never": {"package": "y", "versions": "<2.0.0"}}],
    }


def digest_of_request(content: Document) -> str:
    request = classic_request(content)
    return request_digest(request, World(request))


SAME_REQUEST: dict[str, Callable[[Document], object]] = {
    "the name": lambda content: content.update(name="second"),
    "an operator that makes way": lambda content: content["installed"][0].update(givesWay=True),
    "the order of catalogs": lambda content: content["catalogs"].reverse(),
    "the order of operators": lambda content: content["installed"].reverse(),
    "the order of global namespaces": lambda content: content.update(namespaces=["team", "global", "olm"]),
    "a namespace that is named twice": lambda content: content["namespaces"].extend(["olm", "team"]),
    "a catalog that is not seen": lambda content: content["catalogs"].pop(),
    "the namespace of a subscription": lambda content: content["subscriptions"][0].update(namespace="team"),
    "the content of a catalog": lambda content: content["catalogs"][0].update(blobs=[]),
    "a catalog that cannot be read": lambda content: content["catalogs"].append(
        {"name": "lost", "namespace": "olm", "error": "no route"}
    ),
}


@pytest.mark.parametrize("name", SAME_REQUEST)
def test_the_digest_of_a_request_leaves_out_what_it_does_not_ask(name: str) -> None:
    """What has no order has none here; contents have digests of their own, and a verdict names what is unreadable."""
    content = document()
    SAME_REQUEST[name](content)
    assert digest_of_request(content) == digest_of_request(document())


OTHER_REQUEST: dict[str, Callable[[Document], object]] = {
    "the target namespace": lambda content: content.update(namespaces=["olm", "team", "global"]),
    "a priority": lambda content: content["catalogs"][0].update(priority=6),
    "the order of subscriptions": lambda content: content["subscriptions"].reverse(),
    "a channel": lambda content: content["subscriptions"][0].update(channel="beta"),
    "a source": lambda content: content["subscriptions"][0].update(source="main", sourceNamespace="olm"),
    "a startingCSV": lambda content: content["subscriptions"][0].update(startingCSV="app.v1.0.0"),
    "an owner": lambda content: content["subscriptions"][0].update(installedCSV="old.v1.0.0"),
    "what replaces an operator": lambda content: content["installed"][0].update(replacedBy="new.v1.0.0"),
    "a version": lambda content: content["installed"][0].update(version="1.0.1"),
    "a property": lambda content: content["installed"][1]["properties"].append({"type": "a", "value": 1}),
    "the order of rules": lambda content: content["houseRules"].reverse(),
    "a rule": lambda content: content["houseRules"].pop(),
    "what a rule does": lambda content: content["houseRules"][0].update(beside="y"),
    "the versions of a rule": lambda content: content["houseRules"][1]["never"].update(versions="<2.0.1"),
}


@pytest.mark.parametrize("name", OTHER_REQUEST)
def test_the_digest_of_a_request_covers_what_it_asks(name: str) -> None:
    """Each of these may have another answer."""
    content = document()
    OTHER_REQUEST[name](content)
    assert digest_of_request(content) != digest_of_request(document())


def test_every_field_is_covered_or_left_out() -> None:
    """A new field of a request fails here until somebody decides whether plans depend on it."""
    covered = {
        Request: "namespaces sources subscriptions installed eligibility house_rules",
        Subscription: "name package channel source source_namespace starting_csv installed_csv",
        Installed: "name version properties subscription replaced_by",
        Source: "name namespace priority",
        Bundles: "package versions name api catalog constraint",
        Never: "bundles name beside",
        AtLeastOne: "bundles name",
        Prefer: "bundles name",
    }
    left_out = {
        # A label; what verdicts name; what only explanations read; who owns what, which the other fields say.
        Request: "name unreadable health_policy hidden _owners",
        # The target namespace, or the same by ""; where the object stands in its file, which only explanations read.
        Subscription: "namespace origin",
        Installed: "gives_way stalled_by stall origin",  # ways out depend on them, plans do not
        Source: "catalog",  # it has a digest of its own
        Bundles: "predicates where",  # made of the other fields; certificates refuse functions
        Prefer: "smallest largest",  # certificates refuse rules about numbers
    }
    for kind, names in covered.items():
        fields = {field.name for field in attrs.fields(kind)}
        assert fields == {*names.split(), *left_out.get(kind, "").split()}, kind.__name__


def test_system_constraints_count_by_what_they_refuse() -> None:
    """They are functions, so two of them are the same where they refuse the same bundles, for whatever reason."""
    request = classic_request(document())

    def refusing(*names: str, reason: str = "no") -> Callable[[CandidateFacts], str]:
        return lambda candidate: reason if candidate.name in names else ""

    def digest(*eligibility: Callable[[CandidateFacts], str]) -> str:
        limited = attrs.evolve(request, eligibility=eligibility)
        return request_digest(limited, World(limited))

    assert digest() == digest(refusing()) == digest(refusing("unknown"))
    assert digest(refusing("app.v1.0.0")) == digest(refusing(), refusing("app.v1.0.0", reason="never"))
    assert len({digest(), digest(refusing("app.v1.0.0")), digest(refusing("app.v1.0.0", "app.v2.0.0"))}) == 3


def test_one_digest_is_one_answer() -> None:
    """Random requests and their changes: where all digests are the same, the brute force has the same answer."""
    chance, alike, different = random.Random(3), 0, 0
    for number, (written, question) in enumerate(questions(chance)):
        if number == scaled(800, 16):
            break
        other = copy.deepcopy(written)
        changed(other, chance)
        request = classic_request(other)
        try:
            answer = truth(request, question.semantics)
        except NoTruth:
            continue
        if labels(request, question.semantics) == labels(question.request, question.semantics):
            assert answer.preferred == question.truth.preferred
            alike += 1
        elif answer.preferred != question.truth.preferred:
            different += 1
    assert alike, "some changes change nothing"
    assert different, "some changes change the answer"


def labels(request: Request, semantics: Semantics) -> tuple[Any, ...]:
    world = World(request, semantics)
    return request_digest(request, world), *sorted(catalog_digests(world.sources).items())


# -- what verify says of others


def example(name: str = "install") -> tuple[Request, Document]:
    request = olmsolve.read_request(EXAMPLES / f"{name}.yaml")
    assert isinstance(request, Request)
    return request, json.loads(json.dumps(certificate(olmsolve.resolve(request))))


def reason_against(written: Document, request: Request, **wanted: Any) -> str:
    return str(verify(written, request, **wanted).reason)


def test_a_certificate_names_what_it_is_about() -> None:
    """The fields are part of the format: other programs compare them."""
    request, written = example()
    digests = {catalog["name"]: catalog["content"] for catalog in written["catalogs"]}
    assert digests == {source.name: catalog_digest(source.catalog) for source in request.sources}
    assert written["request"] == request_digest(request, World(request))
    assert all(digest.startswith("sha256:") and len(digest) == 71 for digest in [written["request"], *digests.values()])


def test_another_request_is_refused() -> None:
    """A certificate of yesterday's request says nothing about today's, though its plan may still be right."""
    request, written = example()
    more = attrs.evolve(request, installed=[olmsolve.Installed("other.v1.0.0", "1.0.0")])
    assert reason_against(written, more).startswith("it is for a request with other namespaces")
    assert not verify({**written, "request": "sha256:0"}, request)


def test_other_catalogs_are_named() -> None:
    """Which catalog changed, came or went is what people look for first."""
    request, written = example()
    orchard, commons = request.sources
    first = next(iter(orchard.catalog))
    other = Catalog({**orchard.catalog.packages, first.name: attrs.evolve(first, default_channel="other")})
    altered = attrs.evolve(request, sources=[attrs.evolve(orchard, catalog=other), commons])
    assert reason_against(written, altered) == "it is for other content of olm/orchard; certify the answer again"
    renamed = attrs.evolve(request, sources=[orchard, attrs.evolve(commons, name="public")])
    expected = "it is for other catalogs: olm/commons as well, not olm/public; certify the answer again"
    assert reason_against(written, renamed) == expected
    # The same content in other files is no other content.
    reversed_commons = attrs.evolve(commons, catalog=fbc.from_blobs(list(fbc.blobs(commons.catalog))[::-1]))
    assert verify(written, attrs.evolve(request, sources=[reversed_commons, orchard]))


def test_other_semantics_are_refused_where_some_are_asked_for() -> None:
    """Without a wish the verdict names the semantics; with one, nothing else will do."""
    request, written = example()
    assert verify(written, request)
    assert verify(written, request, semantics="documented")
    expected = "it is for documented semantics, not for controller semantics"
    assert reason_against(written, request, semantics=Semantics.CONTROLLER) == expected
    with pytest.raises(RequestError, match="there are no semantics 'mine'"):
        verify(written, request, semantics="mine")  # type: ignore[arg-type]


def test_earlier_versions_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A certificate without digests may have been about anything."""
    _, written = example()
    old = {field: value for field, value in written.items() if field not in ("request", "catalogs")}
    file = tmp_path / "old.json"
    file.write_text(json.dumps({**old, "schemaVersion": 1}), "utf-8")
    outcome = runner(capsys)("verify", file, EXAMPLES / "install.yaml")
    assert outcome.code == 2
    assert "certificates of this version do not name their request and catalogs" in outcome.err
    assert "certify the answer again" in outcome.err


def test_the_command_asks_for_semantics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--semantics refuses others; for the objects of a cluster the controller's are asked for."""
    run, file, request = runner(capsys), tmp_path / "certificate.json", EXAMPLES / "install.yaml"
    assert run("certify", request, "--to", file).code == 0
    assert run("verify", file, request, "--semantics", "documented").code == 0
    refused = run("verify", file, request, "--semantics", "controller")
    assert refused.code == 1
    assert "documented semantics" in refused.out
    cluster: list[object] = ["--cluster", EXAMPLES / "cluster.yaml", "--namespace", "shop"]
    for name in ("orchard", "commons"):
        cluster += ["--catalog", f"olm/{name}={EXAMPLES / 'catalogs' / name}"]
    assert run("certify", *cluster, "--semantics", "documented", "--to", file).code == 0
    assert run("verify", file, *cluster).code == 1
    assert run("verify", file, *cluster, "--semantics", "documented").code == 0
    assert run("certify", *cluster, "--to", file).code == 0
    assert run("verify", file, *cluster).code == 0
