"""Lists for people: tables that fit, findings folded on terminals, and patches and logs that programs take."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from olmsolve import from_blobs, render, validate
from olmsolve.authoring import FileChange, write_changes
from olmsolve.authoring.checks import Finding, Severity
from olmsolve.catalog import Origin
from olmsolve.catalog.images import image_fault
from olmsolve.cli.findings import as_sarif, folded, print_findings
from olmsolve.render import Style

ROWS = [
    {
        "package": "lamp",
        "channel": "stable",
        "name": f"lamp.v1.{minor}.0",
        "version": f"1.{minor}.0",
        "replaces": f"lamp.v1.{minor - 1}.0",
        "skips": [f"lamp.v1.{minor - 1}.{patch}" for patch in range(minor)],
        "skipRange": f">=1.0.0 <1.{minor}.0",
        "image": "quay.io/example/lamp@sha256:" + "0123456789abcdef" * 4,
        "deprecated": "use the next one" if minor == 1 else "",
    }
    for minor in (2, 1)
]


def test_a_table_fits_the_width() -> None:
    """481 columns for one package are read by nobody; names are whole, and what is left out is said."""
    for width in (200, 160, 120, 100, 80, 60):
        lines = render.catalog_list_text(ROWS, "bundles", width=width, wider="-o wide").splitlines()
        assert max(map(len, lines)) <= width
        assert all("lamp.v1.2.0" in line or "lamp.v1.1.0" in line for line in lines[1:3])
    narrow = render.catalog_list_text(ROWS, "bundles", width=80, wider="-o wide").splitlines()
    assert narrow[1].split() == ["lamp", "stable", "lamp.v1.2.0", "1.2.0", "lamp.v1.1.0", "2", "bundles"]
    assert narrow[-1] == "Left out: IMAGE, SKIP RANGE (-o wide)."
    narrowest = render.catalog_list_text(ROWS, "bundles", width=30).splitlines()
    assert narrowest[0].split() == ["CHANNEL", "BUNDLE", "VERSION"]
    assert narrowest[-1].endswith("REPLACES, DEPRECATED, PACKAGE.")
    two = [ROWS[0], {**ROWS[1], "package": "lantern"}]
    assert render.catalog_list_text(two, "bundles", width=30).startswith("PACKAGE  CHANNEL  BUNDLE")
    medium = render.catalog_list_text(ROWS, "bundles", width=160)
    assert "quay.io/example/lamp@sha256:01234567..." in medium
    assert "use the next one" not in medium
    wide = render.catalog_list_text(ROWS, "bundles", width=80, wider=None)
    assert all(text in wide for text in ("0123456789abcdef" * 4, "use the next one", "lamp.v1.1.0, lamp.v1.1.1"))


PATHS = [
    "plain.yaml",
    "a b/c d.yaml",
    'quo"te.yaml',
    "back\\slash.yaml",
    "t\ta\nb.yaml",
    "über/x.yaml",
    "./here/../there/x.yaml",
]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(
    ("path", "place"), [*((path, "relative") for path in PATHS), ("a b/c.yaml", "absolute"), ("über.yaml", "absolute")]
)
@pytest.mark.parametrize("kind", ["changed", "new", "gone"])
def test_git_takes_every_patch(
    path: str, kind: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Authors apply what a dry run showed; git has quotes, tabs and escapes of its own for odd names."""
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    path = os.path.join(tmp_path, path) if place == "absolute" else path  # noqa: PTH118 - as it is typed
    before, after = {"changed": ("a\nb\n", "a\nc"), "new": (None, "a\n"), "gone": ("a\n", None)}[kind]
    file = Path(os.path.normpath(path))
    if before is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before)
    change = FileChange(path, before, after)
    Path("p.diff").write_text(change.diff(), "utf-8")
    process = subprocess.run(["git", "apply", "p.diff"], capture_output=True, text=True, check=False)  # noqa: S607
    assert process.returncode == 0, process.stderr
    assert (file.read_text() if file.exists() else None) == after
    if before is None:
        file.unlink()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before)
    write_changes([change])
    assert (file.read_text() if file.exists() else None) == after


def test_a_file_elsewhere_is_named_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program takes a path with two dots out of a diff."""
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    lines = FileChange("../x.yaml", "a\n", "b\n").diff().splitlines()
    assert lines[0] == f"--- a{tmp_path.as_posix()}/x.yaml"


def test_findings_are_told_again_by_their_fingerprints() -> None:
    """A finding that has moved by a line is not a new one; two that are equal are two."""

    def fingerprints(line: int) -> list[str]:
        finding = Finding(
            Severity.ERROR, "version-invalid", "no version", package="p", origin=Origin("a/c.yaml", 1, line)
        )
        other = Finding(
            Severity.ERROR, "version-invalid", "no version", package="q", origin=Origin("a/c.yaml", 1, line)
        )
        results = json.loads(as_sarif([finding, finding, other]))["runs"][0]["results"]
        return [result["partialFingerprints"]["olmsolve/v1"] for result in results]

    first = fingerprints(3)
    assert first == fingerprints(40)
    assert len(set(first)) == 3
    assert [fingerprint.split(":")[1] for fingerprint in first] == ["1", "2", "1"]


FAULTS = {
    "https://quay.io/a/b:1": "it begins with https://, and a reference has no scheme",
    "quay.io/a /b": "it has white space (' ')",
    "quay.io/a/b@sha256:12": "the text after the @ is not a digest ('sha256:12')",
    "quay.io/a/b:": "the tag is empty",
    "quay.io/a/b:v1+2": "the tag 'v1+2' is not valid: up to 128 letters, digits, _, . and -",
    "quay.io//b": "a part between slashes is empty",
    "quay.io/Shop/b:1": "the part 'Shop' of its path has capital letters",
    "quay.io:5000/a_-b": "the part 'a_-b' of its path is not valid: letters and digits, with one of . _ or - between",
    "a" * 5000: "it has more than 4,096 characters",
    "a1" * 32: "64 hexadecimal digits alone are the identifier of an image, not its name",
    "[::1/x": "the part '[::1' of its path is not valid: letters and digits, with one of . _ or - between",
}


@pytest.mark.parametrize("reference", FAULTS)
def test_a_wrong_image_is_told_by_its_wrong_part(reference: str) -> None:
    """Whoever reads "not a reference" looks for the mistake in eighty characters."""
    assert image_fault(reference) == f"{FAULTS[reference]}; the form is domain/path:tag@sha256:digest"


def test_findings_fold_on_terminals(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong comes first, and no line is longer than the terminal; programs get a line for each finding."""
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1"}, {"name": "p.v2"}]},
    ]
    (finding,) = [finding for finding in validate(from_blobs(blobs)) if finding.code == "channel-heads"]
    lines = folded(finding, Style(60))
    assert lines[0] == "error[channel-heads]: the channel has 2 heads: p.v1, p.v2"
    assert lines[1].startswith("  at ")
    assert [line for line in lines if line.startswith("  help: ")] == [lines[2]]
    assert max(map(len, lines)) <= 60
    print_findings([finding], with_codes=True)
    assert len(capsys.readouterr().out.splitlines()) == 1
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_findings([finding], with_codes=True)
    assert "channel-heads" in capsys.readouterr().out.splitlines()[0]
