"""Warnings where ``opm`` reads YAML otherwise than YAML's specification; the recorded answers are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from olmsolve.authoring.checks import Finding, Severity, validate

HEAD = "schema: x\n"


def dialect(tmp_path: Path, text: str) -> list[Finding]:
    """Return the remarks on a document with *text*, which has no other finding."""
    (tmp_path / "catalog.yaml").write_text(HEAD + text)
    findings = list(validate(tmp_path, advice=False))
    assert {(finding.code, finding.severity) for finding in findings} <= {("yaml-dialect", Severity.WARNING)}
    return findings


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("b: &b {k: 1}\nv: {k: 2, <<: *b}\n", "opm takes 'k' from the merge key (<<) after it; YAML keeps"),
        ("v: {<<: {a: 1}, <<: {b: 1}}\n", "opm merges both of two merge keys (<<), and the second one wins"),
        ("v: {! '<<': {a: 1}}\n", "opm takes ! '<<' for a merge key; YAML reads the text <<"),
        ("v: 1\nv: 2\n", "the key 'v' occurs twice in its object, and opm takes the last value"),
        ("v: [{a: 1, a: 1}]\n", "the key 'a' occurs twice in its object"),
        ("v: {1: a, '1': b}\n", "two keys become '1', and opm takes the value of either by chance"),
        ("v: {1.0: a}\n", "opm reads the key 1.0 as '1'"),
        ("v: {1e39: a}\n", "opm reads the key 1e39 as '.inf'"),
        (
            "v: 123456789012345678901\n",
            "opm reads 123456789012345678901 as 1.2345678901234568e+20, because it has more",
        ),
        (
            "v: [123456789012345678901]\n",
            "opm reads 123456789012345678901 as 1.2345678901234568e+20, because it has more",
        ),
        ("v: 0xffffffffffffffffff\n", "opm reads 0xffffffffffffffffff as text"),
        ("v: 1e400\n", "opm reads 1e400 as text, because it cannot read this number; YAML reads a number"),
        ("v: !text a\n", "opm drops the tag !text"),
        ("v: !!set {a, b}\n", "opm drops the tag !!set"),
        ("v: !!str [a]\n", "opm drops the tag !!str"),
        ("v: !!binary aGk=\n", "opm reads the text 'hi' from base64; YAML reads bytes"),
        ('v: "it\\\'s"\n', "opm takes \\' in double quotes for '; YAML has no such escape"),
        ("v: \ufeffa\n", "opm reads a byte-order mark (U+FEFF) as a part of '\\ufeffa'"),
        ("v: {a:, b: 1}\n", "opm reads the text 'a:', with its colon; YAML reads a key without a value"),
        ('v: "a"#b\n', "opm takes '#b' for a comment; YAML wants a blank before a comment"),
    ],
)
def test_both_readings_are_told(text: str, reason: str, tmp_path: Path) -> None:
    """An author meant one of them, and the cluster gets the other without a word from ``opm``."""
    (finding,) = dialect(tmp_path, text)
    assert finding.message.startswith(reason)
    assert finding.hint
    assert finding.origin is not None
    assert finding.origin.line == text.count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        "b: &b {k: 1}\nv: {<<: *b, k: 2}\n",
        "b: &b {k: 1}\nv: {k: 1, <<: *b}\n",
        "v: {<<: [{a: 1}, {a: 2}]}\n",
        "v: {1: a, 2.5: b, yes: c, '<<': d}\n",
        "v: [18446744073709551615, -9223372036854775808, 1.5e300, 1.2.3, 0x1F, 08]\n",
        "v: !!str 1\nw: !!map {a: 1}\nx: !!seq [1]\ny: ! 1\nz: !!timestamp 2020-01-01\n",
        "v: {a: 1,b: 2} # c\n# d\nw: >-  # e\n  #f\n",
        "v: [a:b, 'http://x.y/z:1']\n",
        "v: &a [1]\nw: *a\n",
    ],
)
def test_what_all_readers_agree_on_is_no_dialect(text: str, tmp_path: Path) -> None:
    """Merge keys at the beginning, anchors, tags of YAML: authors use them, and they mean one thing."""
    assert dialect(tmp_path, text) == []


def test_refusals_of_opm_are_errors(tmp_path: Path) -> None:
    """What YAML allows and ``opm`` refuses is no matter of reading: the image build fails."""
    (tmp_path / "catalog.yaml").write_text('%YAML 1.2\n---\nschema: x\nv: "a\\/b"\n')
    (finding,) = validate(tmp_path, advice=False)
    assert (finding.code, finding.severity) == ("unreadable", Severity.ERROR)


def test_many_remarks_are_one_beyond_ten_thousand(tmp_path: Path) -> None:
    """A hostile file needs a few characters for each."""
    findings = dialect(tmp_path, "v:\n" + "- ! '<<': {a: 1}\n" * 10_050)
    assert len(findings) <= 10_001
