"""Messages of cases that are hard to bring about: each is asked of the function that says it."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

import olmsolve
from olmsolve import cel, cli
from olmsolve._record_reading import from_dict
from olmsolve._records import Record, field, plain, record
from olmsolve.answers.auditing import AuditReport
from olmsolve.answers.plain_reading import bundles as plain_bundles
from olmsolve.authoring.checks import validate
from olmsolve.authoring.in_place import changing
from olmsolve.authoring.templates import rendering
from olmsolve.catalog import Bundle, Catalog, Package, fbc
from olmsolve.catalog.hosts import visits
from olmsolve.catalog.images import ImageReference, registry
from olmsolve.classic import Installed, Request, Subscription, upgrade_path
from olmsolve.cli.topics import texts
from olmsolve.cluster import Blocking
from olmsolve.cluster.hindrances import _waiting_for
from olmsolve.errors import OlmsolveError
from olmsolve.fields import Fields
from olmsolve.lifecycle import BlockingExtension, BlockingOperator, ClusterUpdate, WayToUpdate, migration
from olmsolve.lifecycle.impact import comparing
from olmsolve.lifecycle.impact.state import ComparisonState
from olmsolve.lifecycle.simulation import Ending, simulating, situation_runs
from olmsolve.predicates import Conjunction, InPackage, Positive, Property
from olmsolve.render import Style, audit, held_back
from olmsolve.requests import extension_request_of, only_namespace
from olmsolve.requests.extension import _document_settings
from olmsolve.semver import BlangRange
from olmsolve.testing import Variation, outline
from olmsolve.testing.fuzzing import questions
from olmsolve.testing.timing import measuring, running
from olmsolve.testing.timing import report as timing_report
from olmsolve.v1 import Extension, ExtensionRequest, FeatureGates, InstalledBundle
from olmsolve.v1.installing import bundle_validators, checking, inline_config
from tests.cli.small_cluster import namespace
from tests.cluster.manifests import state
from tests.images.databases import write_database


def stub(**fields: Any) -> Any:
    """Return a value with these *fields*, for a function that reads no others."""
    return SimpleNamespace(**fields)


@record
class Pair(Record):
    """A record with a tuple of a fixed length."""

    both: tuple[str, str] = field("Two texts.")


def pending() -> Any:
    """Return an install plan with a bundle that is not unpacked, of which OLM says no more."""
    condition = stub(type="BundleLookupPending", status="True", reason="JobIncomplete", message="")
    return stub(bundle_lookups=[stub(identifier="shop.v1", conditions=[condition])], conditions=[], message="")


def comparison() -> Any:
    """Return the state of a comparison whose second cluster was done before the first."""
    state: Any = ComparisonState.__new__(ComparisonState)
    state.start = stub(done=0, beyond={1: "another"}, chain="")
    state._path, state._waiting, state._chain, state._done = Path("state"), {}, "", 0
    return state


def positive(name: str) -> Positive:
    """Return a leaf of a normal form: any version of the package *name*."""
    return Positive(InPackage(name, BlangRange.parse(">=1.0.0")))


def released_bundle() -> Any:
    """Return what is found about a bundle whose release cannot be read."""
    value = {"packageName": "shop", "version": "1.0.0", "release": "1..2"}
    blob = {"schema": "olm.bundle", "package": "shop", "name": "shop.v1", "image": "example.com/shop:v1"}
    findings = validate(fbc.from_blobs([{**blob, "properties": [{"type": "olm.package", "value": value}]}]))
    return next(finding for finding in findings if finding.code == "release-invalid")


EXTENSION: Final = ExtensionRequest(
    Extension("shop", upgrade_constraint_policy="SelfCertified"), (), InstalledBundle("shop.v1", "1.0.0")
)
ODD: Final = Bundle("shop", "shop.v1", (Property("olm.package.required", {"packageName": 5}),))
WATCHING: Final = stub(config={"watchNamespace": "till"}, namespace="shop")
OWN_GATE: Final = FeatureGates({"SingleOwnNamespaceInstallSupport": True})
UPDATE: Final = ClusterUpdate(
    "4.19",
    (
        BlockingOperator(Blocking("shop.v1", "4.19", "4.18"), WayToUpdate("shop", ("shop.v2",))),
        BlockingOperator(Blocking("till.v1", "4.19", "4.18")),
    ),
    (BlockingExtension("door", Blocking("door.v1", "4.19", "4.18")),),
)
UNMEASURED: Final = stub(yardstick=[1.0], phases=[], backends=["deciding"], requests=[stub(seconds={"deciding": 0.0})])
REPORT: Final = timing_report.BenchReport("1", "3", "documented", (), (1.0,), (), (), ())

# A call, and the text that it returns or the error that it raises.
CASES: Final[dict[str, Callable[[], object]]] = {
    "both: must have 2 elements": lambda: from_dict(Pair, {"both": ["a"]}),
    "a document cannot have <object object": lambda: plain(object()),
    "substitutions[0]: shop.v1 has no property olm.package": lambda: rendering._version(
        {"name": "shop.v1"}, "substitutions[0]", "t.yaml"
    ),
    "substitutions[0] must be an object, not the number 5": lambda: rendering._object(5, "substitutions[0]", "t.yaml"),
    "a request with a line break in it": lambda: visits._send(stub(), "GET", "/a\r\nb", {}),
    "the encryption failed": lambda: visits._words(ssl.SSLError()),
    "the registry cannot be reached: a URL without a host or with a wrong port": lambda: registry._Connection(
        ImageReference("example.com:99999", "a/b", "v1", "")
    ),
    "names catalog 'cat' without its namespace (a catalog is named by both)": lambda: Request(
        namespaces=("shop",), sources=(), subscriptions=(Subscription("shop", "shop", "shop", source="cat"),)
    ),
    "channel: package shop has no default channel": lambda: upgrade_path._channel_graph(
        Package("shop", "", {}, {}), ""
    ),
    "no text for <!-- news -->": lambda: list(texts._additions("<!-- news -->")),
    "('JobIncomplete', 'bundle shop.v1 is not unpacked')": lambda: _waiting_for(pending()),
    "the cluster does not come to rest (limit)": lambda: comparing._failures(
        stub(simulation=stub(ended=Ending.LIMIT, left=(), extensions=None, errors=()))
    ),
    "cluster number 2 has changed since it was written": lambda: list(comparison().missing(["a", "b"])),
    "something that cannot be read: properties[0] (olm.package.required): packageName: must be a string": lambda: [
        str(remark) for remark in migration._remarks_on_bundle(ODD)
    ],
    "contents: the contents of the catalogs are needed": lambda: situation_runs._simulate(state()),
    "no subscription is in 'shop' (no subscription is among the cluster's objects)": lambda: simulating._chosen(
        state(), ["shop"]
    ),
    "Audited 0 packages, 0 channels, 0 bundles of no catalog, under documented semantics: nothing found.": (
        lambda: audit.audit_summary(AuditReport((), "documented", ()))
    ),
    "\n    freed where subscription shop gets shop.v2\n": lambda: olmsolve.render.cluster_update_text(UPDATE),
    "door.v1 of extension door works up to OpenShift 4.18\n    no other way out was found: freed": (
        lambda: olmsolve.render.cluster_update_text(UPDATE)
    ),
    "namespace: no subscriptions (there is no question for classic OLM)": lambda: only_namespace(state()),
    "namespace: subscriptions are in 2 namespaces: shop, till (choose one)": lambda: only_namespace(
        state(*namespace("shop"), *namespace("till"))
    ),
    "extension shop: no such ClusterExtension is among the cluster's objects": lambda: extension_request_of(
        state(),
        stub(),
        "shop",
    ),
    "there is no enforcement 'Never' (Strict or None)": lambda: _document_settings(
        Fields({"crdUpgradeSafety": "Never"})
    ),
    "these catalogs have nothing to ask for": lambda: measuring.loaded(measuring.BenchWork({})),
    "the baseline: measured no phase of this report (measure a new baseline)": lambda: timing_report.changes(
        REPORT, REPORT
    ),
    "requests[0].seconds', 'must have the seconds of deciding": lambda: list(timing_report._faults(UNMEASURED)),
    "package name is empty": lambda: list(bundle_validators._package_is_named(stub(package=""))),
    "supported install modes [AllNamespaces] do not support target namespaces [till]": lambda: str(
        checking._without_target(stub(install_modes=["AllNamespaces"]), WATCHING, OWN_GATE)
    ),
    "do not support targeting own namespace": lambda: str(
        checking._without_target(
            stub(install_modes=["AllNamespaces"]), stub(config={"watchNamespace": "shop"}, namespace="shop"), OWN_GATE
        )
    ),
    'invalid type for field "watchNamespace": got number, want null': lambda: list(
        inline_config._namespace_faults(5, {"AllNamespaces", "OwnNamespace"}, "shop")
    ),
    "all of (package a in >=1.0.0; package b in >=1.0.0)": lambda: str(Conjunction((positive("a"), positive("b")))),
    "nothing changed": lambda: str(Variation(Catalog({}), (), ())),
    "the release '1..2' is not valid: ": lambda: released_bundle().message,
    "a release has identifiers between dots: 1, or alpha.1": lambda: released_bundle().hint,
    "installed: shop.v1 in version 1.0.0\nwish: package shop by any update": lambda: outline(EXTENSION),
    "installed: door.v1, must stay": lambda: outline(
        Request(namespaces=("shop",), sources=(), subscriptions=(), installed=(Installed("door.v1", "1.0.0"),))
    ),
    "there is a property without a type": lambda: cel.compile(
        "properties.exists(p, p.type == 'a' && p.value == 1)"
    ).evaluate([{"value": 1}]),
    "it has fields that olmsolve would write differently": lambda: changing._otherwise({}, {}),
}


@pytest.mark.parametrize("words", CASES)
def test_rare_cases(words: str) -> None:
    """The text is whole, and says where and what to do."""
    try:
        outcome = CASES[words]()
    except (OlmsolveError, OSError, ValueError, TypeError) as error:
        outcome = error
    assert words in (outcome if isinstance(outcome, str) else str(outcome))


def test_a_channel_that_skips_what_is_required() -> None:
    """A version that no channel offers meets nothing."""
    from olmsolve.testing import catalog_of, package

    catalog = catalog_of(
        package("shop").channel("stable", "1.0.0").requires("till", "1.0.0"),
        package("till").channel("stable", "(1.0.0) < 1.1.0"),
    )
    hints = [finding.message for finding in validate(catalog)]
    assert any(hint.endswith("is in 1.0.0: channels skip the versions in the range") for hint in hints)


def test_changes_that_cannot_be_made_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text is only changed where what comes of it is read again as it was meant."""
    file = tmp_path / "catalog.json"
    file.write_text('{"schema": "olm.package", "name": "a"}\n', "utf-8")
    edits: Any = stub(changed={}, removed=set(), added={1: [{"schema": "x"}]})
    values = changing._values
    with monkeypatch.context() as patch:
        patch.setattr(changing, "_values", lambda text, path: values(text, path) if "x" not in text else [])
        with pytest.raises(OlmsolveError, match="the change would also touch other lines of this text"):
            changing._file_change(str(file), edits)
    monkeypatch.setattr(changing, "_values", lambda *_: [])
    with pytest.raises(OlmsolveError, match="it is not clear where its documents begin and end"):
        changing._file_change(str(file), edits)


def test_a_link_to_itself_in_place_of_a_new_file(tmp_path: Path) -> None:
    """Nobody can say where such a file would be."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OlmsolveError, match=r"loop/a\.json: cannot be written: "):
        changing._refuse_outside(tmp_path / "loop" / "a.json", tmp_path)


def test_a_database_with_one_bundle_in_many_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each package would have all of its text."""
    from olmsolve.catalog.fbc import database

    monkeypatch.setattr(database, "_TEXT", -(10**9))
    facts = {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}}
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "a", "defaultChannel": "c"},
        {"schema": "olm.channel", "package": "a", "name": "c", "entries": [{"name": "a.v1"}]},
        {"schema": "olm.bundle", "package": "a", "name": "a.v1", "image": "i", "properties": [facts]},
    ]
    write_database(tmp_path / "index.db", blobs)
    with pytest.raises(OlmsolveError, match="a database whose bundles are in many packages at once"):
        fbc.load(tmp_path / "index.db")


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The system's own words say why the output cannot be written."""

    def full(_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli, "_run", full)
    monkeypatch.setattr(cli, "_forget", lambda _: None)
    assert cli.main(["backends"]) == cli.Exit.UNWRITABLE
    assert "the output cannot be written: No space left on device" in capsys.readouterr().err


def test_a_measuring_process_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last line tells why."""
    monkeypatch.setattr(running, "_WORKER", ("-c", "import sys; sys.exit('no room')"))
    with pytest.raises(OlmsolveError, match=r"a measuring process of .* ended with 1: no room"):
        running._in_new_process(measuring.BenchWork({}), Path(sys.executable), 0)


def test_dead_ends_that_repeat() -> None:
    """Most of them repeat from version to version, and one is told."""
    from olmsolve.answers.auditing import NoUpdate

    stops = [NoUpdate("olm/c", "shop", "stable", name, (name,), ()) for name in ("1.0.0", "1.1.0")]
    auditor = stub(audit=lambda *_: stub(findings=stops))
    [dead_end] = questions.Examiner._dead_ends(stub(_auditor=auditor), "olm/c", "shop")
    assert dead_end.stop.endswith(" (1 more like this)")


def test_what_is_held_back_for_many_reasons() -> None:
    """A text shows the first reasons."""
    entries = [
        {"bundle": f"b{number}", "version": "1.0.0", "catalog": "c", "obstacles": [{"text": f"t{number}"}]}
        for number in range(40)
    ]
    lines = held_back.held_back_lines(entries, Style())
    assert lines[-1].startswith("  ... and more for ")
    assert lines[-1].endswith(" other reasons; the JSON form has all")


UNREADABLE: Final[dict[str, Callable[[], object]]] = {
    "olm.gvk.required: not an object": lambda: plain_bundles._required("olm.gvk.required", 5),
    "a constraint has more than ": lambda: plain_bundles._constraint({}, 10_000),
    "a constraint has 2 kinds: cel, all": lambda: plain_bundles.constraint({"all": {}, "cel": {}}),
    "a package has two names": lambda: plain_bundles.constraint({"package": {"packageName": "a", "name": "a"}}),
    "a CEL rule that does not compile: (": lambda: plain_bundles.constraint({"cel": {"rule": "("}}),
    "all has no constraints": lambda: plain_bundles.constraint({"all": {}}),
    "not a version range: x": lambda: plain_bundles.constraint({"package": {"packageName": "a", "versionRange": "x"}}),
    "unknown fields: b": lambda: plain_bundles.constraint({"gvk": {"b": 1}}),
    "gvk: kind is not text": lambda: plain_bundles.constraint({"gvk": {"kind": 1}}),
    "not an object": lambda: plain_bundles.constraint({"gvk": 5}),
}


@pytest.mark.parametrize("words", UNREADABLE)
def test_requirements_that_the_plain_reading_cannot_read(words: str) -> None:
    """The reading that judges answers says in its own words what it refuses."""
    with pytest.raises(plain_bundles.UnreadableRequirementError) as caught:
        UNREADABLE[words]()
    assert words in str(caught.value)
