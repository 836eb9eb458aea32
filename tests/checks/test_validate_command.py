"""``olmsolve validate``: what it prints, and the exit code that pipelines decide by."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.commands import Run, runner

VALID = """\
{"schema": "olm.package", "name": "p", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1.0.0"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1.0.0", "image": "quay.io/p/p:1",
 "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}
"""


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return runner(capsys)


def test_a_valid_catalog(olmsolve: Run) -> None:
    """Silence could also mean that nothing was done."""
    Path("catalog.json").write_text(VALID)
    outcome = olmsolve("validate", "catalog.json")
    assert (outcome.code, outcome.out, outcome.err) == (0, "Valid.\n", "")


def test_every_fault_on_a_line(olmsolve: Run) -> None:
    """Lines begin with file and line as compilers write them, so that editors find them."""
    Path("catalog.json").write_text(VALID.replace("stable", "\\u001b[31m", 1).replace("quay.io/p/p:1", "quay.io/P"))
    outcome = olmsolve("validate", "catalog.json")
    first, second, last = outcome.out.splitlines()
    assert (outcome.code, outcome.err, last) == (1, "", "Not valid: 2 errors.")
    column = VALID.splitlines()[2].index('"image"') + 1
    assert first.startswith(f"catalog.json:3:{column}: package p, bundle p.v1.0.0, image: error: 'quay.io/P'")
    assert first.endswith("[image-invalid]")
    assert second.startswith("catalog.json:1:")
    assert "\x1b" not in outcome.out


def test_json_holds_every_field(olmsolve: Run) -> None:
    """Programs get the verdict, the stage and the fields instead of the sentence."""
    Path("catalog.json").write_text(VALID.replace("stable", "beta", 1))
    outcome = olmsolve("validate", "catalog.json", "--output", "json")
    report = json.loads(outcome.out)
    assert (outcome.code, report["schema"], report["schemaVersion"]) == (1, "olmsolve.findings", 1)
    assert report["valid"] is False
    (finding,) = report["findings"]
    assert finding.pop("message")
    assert finding.pop("hint") == "its channels are stable"
    column = VALID.index('"defaultChannel"') + 1
    assert finding == {
        "severity": "error",
        "code": "default-channel-unknown",
        "stage": "convert",
        "package": "p",
        "channel": "beta",
        "origin": f"catalog.json:1:{column}",
    }


def test_warnings_do_not_fail(olmsolve: Run) -> None:
    """opm accepts these, and the exit code is opm's verdict."""
    Path("catalog.json").write_text(VALID.replace("defaultChannel", "DefaultChannel"))
    outcome = olmsolve("validate", "catalog.json")
    assert (outcome.code, outcome.out.splitlines()[-1]) == (0, "Valid: 1 warning.")


def test_nothing_at_the_path(olmsolve: Run) -> None:
    """A wrong path is no verdict on a catalog."""
    outcome = olmsolve("validate", "absent")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("olmsolve: absent: cannot be read")


def findings_of(olmsolve: Run, form: str) -> str:
    text = VALID.replace("stable", "b\\u0001<&\\n:,%", 1).replace('"name"', '"Name"', 1)
    Path("cat a.json").write_text(text)
    outcome = olmsolve("validate", "cat a.json", "--output", form)
    assert (outcome.code, outcome.err) == (1, "")
    return outcome.out


def suite_of(report: str) -> ElementTree.Element:
    return ElementTree.fromstring(report)[0]  # noqa: S314 - it is our own report


def test_junit_is_xml_whatever_names_hold(olmsolve: Run) -> None:
    """A report that does not parse fails the pipeline for the wrong reason."""
    suite = suite_of(findings_of(olmsolve, "junit"))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    warning, error = suite
    assert [child.tag for child in (*warning, *error)] == ["system-out", "failure"]
    assert error.get("classname") == "cat a.json"
    assert error[0].get("type") == "default-channel-unknown"


def test_junit_of_a_valid_catalog_has_a_test(olmsolve: Run) -> None:
    """A suite without tests counts as one that did not run."""
    Path("catalog.json").write_text(VALID)
    suite = suite_of(olmsolve("validate", "catalog.json", "--output", "junit").out)
    assert [(case.get("name"), len(case)) for case in suite] == [("valid", 0)]


def test_sarif_has_places(olmsolve: Run) -> None:
    """Code scanning drops results without a rule or a line."""
    (run,) = json.loads(findings_of(olmsolve, "sarif"))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["default-channel-unknown", "field-case"]
    assert [result["level"] for result in run["results"]] == ["warning", "error"]
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "cat%20a.json"}, "region": {"startLine": 1, "startColumn": 40}}


def test_github_gets_one_command_a_finding(olmsolve: Run) -> None:
    """A line end in a name must not begin another command."""
    warning, error = findings_of(olmsolve, "github").splitlines()
    assert warning.startswith("::warning file=cat a.json,line=1,col=27,title=field-case::package p, Name: ")
    assert error.startswith("::error file=cat a.json,line=1,col=40,title=default-channel-unknown::package p, channel b")
    assert "%25" in error
    Path("catalog.json").write_text(VALID)
    assert olmsolve("validate", "catalog.json", "--output", "github").out == ""


SLIPS = """\
# the package
schema: olm.package
name: p   # its name
defaultChanel: stable
---
schema: olm.channel
package: p
name: stable
entries:
  - name: p.v1.0.0
    replaces: ""   # the first
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p/p:1
properties:
  - type: olm.label.require
    value: {label: x}
  - type: olm.package
    value:
      packageName: p
      version: 1.0.0
"""
MENDED = SLIPS.replace("defaultChanel", "defaultChannel").replace('    replaces: ""   # the first\n', "")


def test_fixes_are_shown_first(olmsolve: Run) -> None:
    """Nobody wants files to change at a command that checks them."""
    Path("c.yaml").write_text(SLIPS)
    outcome = olmsolve("validate", "c.yaml", "--fix")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[:2] == ["--- a/c.yaml", "+++ b/c.yaml"]
    assert {"-defaultChanel: stable", "+defaultChannel: stable", '-    replaces: ""   # the first'} < set(lines)
    assert Path("c.yaml").read_text() == SLIPS


def test_fixes_are_written_round_by_round(olmsolve: Run) -> None:
    """What is right at last may show the next slip; comments and order stay."""
    Path("c.yaml").write_text(SLIPS)
    outcome = olmsolve("validate", "c.yaml", "--fix", "--write", "--level", "warning")
    # The type is advice, which a catalog gets once it has no error: the second round mends it.
    assert Path("c.yaml").read_text() == MENDED.replace("label.require", "label.required")
    assert outcome.code == 0
    assert outcome.out.count("--- a/c.yaml") == 2


def test_without_doubt_there_is_a_fix_and_else_none(olmsolve: Run) -> None:
    """A valid catalog stays as it is, to the byte, and so does a fault that could be meant in two ways."""
    for text in (VALID, VALID.replace("stable", "beta", 1)):
        Path("c.json").write_text(text)
        olmsolve("validate", "c.json", "--fix", "--write")
        assert Path("c.json").read_text() == text


@pytest.mark.parametrize(
    "arguments",
    [("c.json", "--write"), ("c.json", "--fix", "--output", "json"), ("-", "--fix")],
)
def test_fixes_need_a_file_and_text(olmsolve: Run, arguments: tuple[str, ...]) -> None:
    """A diff is no JSON, and a stream cannot be changed."""
    Path("c.json").write_text(VALID)
    assert olmsolve("validate", *arguments).code == 2


def test_files_of_windows_keep_their_line_ends(olmsolve: Run) -> None:
    """A fix changes what is wrong and nothing else."""
    Path("c.yaml").write_bytes(SLIPS.replace("\n", "\r\n").encode())
    olmsolve("validate", "c.yaml", "--fix", "--write", "--level", "error")
    assert Path("c.yaml").read_bytes() == MENDED.replace("\n", "\r\n").encode()
