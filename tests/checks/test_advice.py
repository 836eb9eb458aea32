"""Advice: what opm accepts and people should know, found where it is and said once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve import Request, Semantics, Source, Subscription, Unsatisfiable, resolve
from olmsolve.authoring.checks import ADVICE, Finding, Severity, validate
from olmsolve.authoring.checks.validation import STAGES, Stage
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cli.topics import finding_guides
from tests.cli.commands import Run, runner
from tests.recorded import real_catalog, shared
from tests.scale import sampled

CATALOGS = [
    "community-2021.jsonl.gz",
    "fbc-v4.20-full.tar.gz",
    "fbc-v4.12.jsonl.gz",
    "fbc-v4.16.jsonl.gz",
    "fbc-v4.20.jsonl.gz",
    "upstream-2021.jsonl.gz",
    "fbc-v4.22.jsonl.gz",
    "community-prod.jsonl.gz",
]


def package(name: str, *entries: dict[str, Any], default: str = "stable", **properties: list[Any]) -> list[Any]:
    """Return a package with one channel of *entries*, whose names end in their versions; *properties* by v1_0_0."""
    blobs: list[Any] = [
        {"schema": "olm.package", "name": name, "defaultChannel": default},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": list(entries)},
    ]
    for entry in entries:
        version = entry["name"].partition(".v")[2]
        own = {"type": "olm.package", "value": {"packageName": name, "version": version}}
        more = properties.get("v" + version.replace(".", "_"), [])
        blob = {"schema": "olm.bundle", "package": name, "name": entry["name"], "image": "quay.io/p/p:1"}
        blobs.append(blob | {"properties": [own, *more]})
    return blobs


def entry(name: str, replaces: str = "", skips: tuple[str, ...] = (), skip_range: str = "") -> dict[str, Any]:
    fields = {"name": name, "replaces": replaces, "skips": list(skips), "skipRange": skip_range}
    return {field: value for field, value in fields.items() if value}


def advice(*blobs: Any) -> list[Finding]:
    """Return the advice on a catalog that opm accepts."""
    findings = list(validate(from_blobs(blobs)))
    assert Severity.ERROR not in {finding.severity for finding in findings}
    return findings


def codes(*blobs: Any) -> list[str]:
    return [finding.code for finding in advice(*blobs)]


def gvk(kind: str, type_: str = "olm.gvk", version: str = "v1") -> dict[str, Any]:
    return {"type": type_, "value": {"group": "g", "version": version, "kind": kind}}


def deprecated(owner: str, **names: str) -> dict[str, Any]:
    entries = [
        {"reference": {"schema": f"olm.{schema}"} | ({"name": name} if name else {}), "message": "old"}
        for schema, name in names.items()
    ]
    return {"schema": "olm.deprecations", "package": owner, "entries": entries}


def test_a_good_package_gets_none() -> None:
    """A chain in which each version replaces the one before is how it should be."""
    assert codes(*package("p", entry("p.v1.0.0"), entry("p.v1.1.0", "p.v1.0.0"), entry("p.v1.2.0", "p.v1.1.0"))) == []


def test_a_skip_by_a_skipped_entry_strands_classic_alone() -> None:
    """1.0.0 can only become 1.1.0, which classic steps over as 1.2.0 skips it; v1 goes there and on."""
    findings = advice(
        *package("p", entry("p.v1.0.0"), entry("p.v1.1.0", skips=("p.v1.0.0",)), entry("p.v1.2.0", skips=("p.v1.1.0",)))
    )
    assert [finding.code for finding in findings] == ["upgrade-stranded-classic", "bundle-unreachable"]
    assert (findings[0].channel, findings[0].bundle) == ("stable", "p.v1.0.0")
    assert "p.v1.2.0" in findings[0].message
    # Only the two that are skipped are never installed afresh.
    assert findings[1].severity is Severity.NOTE
    assert "2 bundles" in findings[1].message


def test_an_edge_down_strands_v1_alone() -> None:
    """The head 1.0.0 replaces 2.0.0, as after a withdrawal: v1 stays at 2.0.0, which no edge leads up to."""
    finding_codes = codes(*package("p", entry("p.v2.0.0"), entry("p.v1.0.0", "p.v2.0.0")))
    assert finding_codes == ["head-not-highest", "upgrade-stranded-v1"]


def test_a_head_in_a_range_below_it_goes_round() -> None:
    """An open range lets classic take an older entry for an update of the head."""
    findings = advice(*package("p", entry("p.v1.0.0", skip_range=">=0.0.1"), entry("p.v1.1.0", "p.v1.0.0")))
    assert [finding.code for finding in findings] == ["upgrade-circle"]
    assert findings[0].bundle == "p.v1.0.0"


def test_a_range_that_contains_its_own_version() -> None:
    """OLM chooses the installed head again and changes nothing, so the range says more than its author can mean."""
    findings = advice(*package("p", entry("p.v1.0.0"), entry("p.v1.1.0", "p.v1.0.0", skip_range=">=1.0.0 <=1.1.0")))
    assert [finding.code for finding in findings] == ["skip-range-itself"]
    assert (findings[0].channel, findings[0].bundle) == ("stable", "p.v1.1.0")
    assert "changes nothing" in findings[0].message


def test_a_head_in_its_own_range_does_not_go_round() -> None:
    """OLM finds the head before the lower entry that has it in an open range too: fence-agents-remediation is so."""
    entries = (entry("p.v1.0.0", skip_range=">=0.0.1"), entry("p.v1.1.0", "p.v1.0.0", skip_range=">=0.0.1"))
    assert codes(*package("p", *entries)) == ["skip-range-itself"]


def test_a_circle_below_a_skipped_entry_breaks_classic_alone() -> None:
    """opm follows replacements down to the first skipped entry, OLM classic to the end, which here never comes."""
    findings = advice(
        *package(
            "p",
            entry("p.v1.0.0", "p.v1.1.0"),
            entry("p.v1.1.0", "p.v1.0.0"),
            entry("p.v1.2.0", "p.v1.1.0", ("p.v1.0.0",)),
        )
    )
    assert [finding.code for finding in findings] == ["channel-order"]
    assert "cycle" in findings[0].message


def test_what_can_never_be_selected_meets_nothing() -> None:
    """A skipped bundle, one with olm.deprecated, and one whose own requirements do not parse."""
    for broken in (
        {"type": "olm.deprecated", "value": {}},
        {"type": "olm.constraint", "value": {"cel": {"rule": "("}}},
    ):
        finding_codes = codes(
            *package("p", entry("p.v1.0.0"), v1_0_0=[gvk("A", "olm.gvk.required")]),
            *package("q", entry("q.v1.0.0"), v1_0_0=[gvk("A"), broken]),
        )
        assert "requirement-unmet" in finding_codes
    finding_codes = codes(
        *package("p", entry("p.v1.0.0"), v1_0_0=[gvk("A", "olm.gvk.required")]),
        *package("q", entry("q.v1.0.0"), entry("q.v1.1.0", skips=("q.v1.0.0",)), v1_0_0=[gvk("A")]),
    )
    assert finding_codes == ["requirement-unmet", "bundle-unreachable"]


def test_unmet_requirements_by_kind() -> None:
    """Each finding names the missing bundle; a requirement that another package or an alternative meets has none."""
    in_package = {"type": "olm.package.required", "value": {"packageName": "q", "versionRange": ">=2.0.0"}}
    absent = {"type": "olm.package.required", "value": {"packageName": "r", "versionRange": ">=0.0.0"}}
    parts = [{"gvk": {"group": "g", "version": "v1", "kind": kind}} for kind in ("There", "Absent")]
    alternative = {"type": "olm.constraint", "value": {"any": {"constraints": parts}}}
    both = {"type": "olm.constraint", "value": {"all": {"constraints": parts}}}
    required = [in_package, absent, gvk("Absent", "olm.gvk.required"), gvk("There", "olm.gvk.required", "v2")]
    findings = advice(
        *package("p", entry("p.v1.0.0"), v1_0_0=[*required, alternative, both]),
        *package("q", entry("q.v1.0.0"), v1_0_0=[gvk("There")]),
    )
    unmet = [finding for finding in findings if finding.code == "requirement-unmet"]
    assert [(finding.property, finding.message) for finding in unmet] == [
        (
            "properties[1] (olm.package.required)",
            "no bundle of package q that can be installed is in >=2.0.0: its only version is 1.0.0",
        ),
        ("properties[2] (olm.package.required)", "the catalog has no package r"),
        # Also what the compound constraint of properties[6] lacks.
        ("properties[3] (olm.gvk.required)", "no bundle that can be installed provides the API g/v1/Absent"),
        (
            "properties[4] (olm.gvk.required)",
            "no bundle that can be installed provides the API g/v2/There; only version v1 is provided",
        ),
    ]


def test_what_repeats_is_told_once_of_the_highest() -> None:
    """A requirement lives on from version to version, and a page of the same would hide the rest."""
    required = [gvk("Absent", "olm.gvk.required")]
    versions = [f"1.{minor}.0" for minor in range(12)]
    entries = [
        entry(f"p.v{version}", f"p.v{before}" if before else "")
        for version, before in zip(versions, ["", *versions], strict=False)
    ]
    properties: Any = {f"v{version.replace('.', '_')}": required for version in versions}
    (finding,) = advice(*package("p", *entries, **properties))
    assert finding.bundle == "p.v1.11.0"
    assert finding.message.endswith("; the same in 11 other bundles: p.v1.0.0, p.v1.1.0 ... p.v1.10.0")


def test_deprecated_defaults_and_heads() -> None:
    """The default channel should not install a deprecated head; the head of an old channel may be deprecated."""
    blobs = package("p", entry("p.v1.0.0"))
    other = {"schema": "olm.channel", "package": "p", "name": "beta", "entries": [entry("p.v1.0.0")]}
    assert codes(*blobs, deprecated("p", bundle="p.v1.0.0")) == ["head-deprecated"]
    assert codes(*blobs, other, deprecated("p", channel="stable")) == ["default-channel-deprecated"]
    assert codes(*blobs, other, deprecated("p", channel="beta")) == []
    assert codes(*blobs, deprecated("p", channel="stable")) == []
    assert codes(*blobs, deprecated("p", package="", bundle="p.v1.0.0")) == []


def test_an_api_with_two_owners() -> None:
    """Only one of them can be installed; one finding for all that two packages share."""
    (finding,) = advice(
        *package("p", entry("p.v1.0.0"), v1_0_0=[gvk("A"), gvk("B"), gvk("C")]),
        *package("q", entry("q.v1.0.0"), v1_0_0=[gvk("B"), gvk("A")]),
    )
    assert (finding.code, finding.severity, finding.package) == ("api-owners", Severity.NOTE, "p")
    assert finding.message == "the packages p, q provide the same 2 APIs: g/v1/A, g/v1/B"


def test_names_that_differ_in_case() -> None:
    """Names that differ only in case are one on some file systems, and people take them for one everywhere."""
    channel = {"schema": "olm.channel", "package": "p", "name": "Stable", "entries": [entry("p.v1.0.0")]}
    finding, unwritable = advice(*package("p", entry("p.v1.0.0")), channel)
    assert (unwritable.code, unwritable.channel) == ("v1-channel", "Stable")
    assert (finding.code, finding.message) == (
        "name-case",
        "channels whose names differ only in case: Stable, stable",
    )


def test_lints_are_advice_and_no_verdict() -> None:
    """A requirement that does not parse makes a bundle useless, and opm accepts it all the same."""
    broken = {"type": "olm.constraint", "value": {"cel": {"rule": "("}}}
    (finding,) = advice(*package("p", entry("p.v1.0.0"), v1_0_0=[broken]))
    assert (finding.code, finding.severity) == ("requirement-syntax", Severity.WARNING)


def test_packages_with_errors_get_none_but_count(tmp_path: Path) -> None:
    """Errors come first; what a broken package provides is not missing, and where files are broken nothing is."""
    good = package("p", entry("p.v1.0.0"), v1_0_0=[gvk("A", "olm.gvk.required"), gvk("B", "olm.gvk.required")])
    bad = package("q", entry("q.v1.0.0"), default="nonesuch", v1_0_0=[gvk("A"), gvk("C", "olm.gvk.required")])
    file = tmp_path / "catalog.json"
    file.write_text("".join(map(json.dumps, good + bad)))
    findings = validate(tmp_path)
    assert [(finding.code, finding.package) for finding in findings] == [
        ("default-channel-unknown", "q"),
        ("requirement-unmet", "p"),
    ]
    assert findings[1].message.endswith("g/v1/B")
    assert str(findings[1].origin) == f"{file}:1"
    (tmp_path / "other.json").write_text("{")
    assert {finding.code for finding in validate(tmp_path)} == {"unreadable"}


def test_another_letter_case_changes_no_advice(tmp_path: Path) -> None:
    """Entries are entries to opm, to loading and to advice; only the spelling itself is worth a warning."""
    odd = package("p", entry("p.v1.0.0", skip_range=">=0.0.1"), entry("p.v1.1.0", "p.v1.0.0"))
    odd[1] = {"Entries" if key == "entries" else key: value for key, value in odd[1].items()}
    other = package("q", entry("q.v1.0.0", skip_range=">=0.0.1"), entry("q.v1.1.0", "q.v1.0.0"))
    (tmp_path / "catalog.json").write_text("".join(map(json.dumps, odd + other)))
    findings = validate(tmp_path)
    expected = [("field-case", "p"), ("upgrade-circle", "p"), ("upgrade-circle", "q")]
    assert [(finding.code, finding.package) for finding in findings] == expected


def test_every_code_is_described() -> None:
    """People look codes up, and choose by them."""
    guides = finding_guides()
    assert [code for code in ADVICE if not (guides[code].means and guides[code].do and guides[code].severity)] == []
    assert {code for code, stage in STAGES.items() if stage is Stage.ADVICE} == set(ADVICE)


@pytest.mark.parametrize("name", sampled(CATALOGS, 4, 1))
def test_real_catalogs_are_valid_and_not_flooded(name: str) -> None:
    """opm accepts real catalogs, and each gets at most fifty pieces of advice; a quarter in the short run."""
    findings = validate(shared() / "catalogs" / name if name.endswith(".tar.gz") else real_catalog(name))
    assert {finding.code for finding in findings} <= set(ADVICE)
    assert Severity.ERROR not in {finding.severity for finding in findings}
    assert len(findings) <= 50


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, beside a catalog with a warning and a note."""
    monkeypatch.chdir(tmp_path)
    blobs = [
        *package("p", entry("p.v1.0.0"), v1_0_0=[gvk("A"), gvk("B", "olm.gvk.required")]),
        *package("q", entry("q.v1.0.0"), v1_0_0=[gvk("A")]),
    ]
    Path("catalog.json").write_text("".join(map(json.dumps, blobs)))
    return runner(capsys)


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        ([], 0, ["requirement-unmet", "api-owners"]),
        (["--level", "warning"], 0, ["requirement-unmet"]),
        (["--level", "error"], 0, []),
        (["--only", "api-owners"], 0, ["api-owners"]),
        (["--ignore", "api-owners"], 0, ["requirement-unmet"]),
        (["--strict"], 1, ["requirement-unmet", "api-owners"]),
        (["--strict", "--ignore", "requirement-unmet"], 0, ["api-owners"]),
    ],
)
def test_choosing_what_is_reported(olmsolve: Run, options: list[str], code: int, expected: list[str]) -> None:
    """Only --strict lets advice decide, and only what is reported."""
    outcome = olmsolve("validate", "catalog.json", "--output", "json", *options)
    report = json.loads(outcome.out)
    assert (outcome.code, report["valid"]) == (code, True)
    assert [finding["code"] for finding in report["findings"]] == expected
    assert {finding["stage"] for finding in report["findings"]} <= {"advice"}


def test_errors_cannot_be_left_out(olmsolve: Run) -> None:
    """A verdict without its reason helps nobody."""
    Path("other.json").write_text('{"schema": "olm.package", "name": "r"}')
    outcome = olmsolve("validate", ".", "--ignore", "default-channel-missing", "--only", "name-case")
    assert outcome.code == 1
    assert "[default-channel-missing]" in outcome.out


def test_unknown_codes_are_refused(olmsolve: Run) -> None:
    """A slip in the code would otherwise report everything, or nothing."""
    outcome = olmsolve("validate", "catalog.json", "--ignore", "api-owner")
    assert outcome.code == 2
    assert "did you mean api-owners?" in outcome.err


@pytest.mark.parametrize("form", ["text", "junit", "sarif", "github"])
def test_every_form_carries_advice(olmsolve: Run, form: str) -> None:
    """It is of most use where changes are reviewed."""
    outcome = olmsolve("validate", "catalog.json", "--output", form)
    assert outcome.code == 0
    assert "requirement-unmet" in outcome.out
    assert "api-owners" in outcome.out


@pytest.mark.parametrize(
    ("head", "documented"),
    [
        ({"skips": ["p.v1.0.0"]}, True),
        ({"skips": ["p.v1.0.0"], "skipRange": "<2.0.0"}, False),
        ({"replaces": "p.v1.0.0", "skips": ["p.v1.0.0"], "skipRange": "<2.0.0"}, True),
        ({"skips": ["p.v1.0.0"], "skipRange": "<1.0.0"}, True),
    ],
)
def test_what_is_said_of_starting_is_what_a_resolution_does(head: dict[str, Any], documented: bool) -> None:
    """The note on a skipped bundle says "only by startingCSV" exactly where a startingCSV installs it."""
    catalog = from_blobs(package("p", {"name": "p.v2.0.0", **head}, {"name": "p.v1.0.0"}))
    [note] = [finding for finding in validate(catalog) if finding.code == "bundle-unreachable"]
    assert ("only by startingCSV" in note.message) == documented
    wish = Subscription("p", "ns", "p", starting_csv="p.v1.0.0")
    request = Request(["ns"], [Source("main", "ns", 0, catalog)], [wish])
    for semantics, installs in ((Semantics.DOCUMENTED, documented), (Semantics.CONTROLLER, True)):
        if installs:
            assert [install.name for install in resolve(request, semantics=semantics).installs] == ["p.v1.0.0"]
        else:
            with pytest.raises(Unsatisfiable):
                resolve(request, semantics=semantics)
