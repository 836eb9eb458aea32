"""JUnit XML, which CI systems read: counts that add up, and text that no catalog can break."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from olmsolve.render import JUnitCase, junit_report


def test_counts_and_kinds_of_cases() -> None:
    """CI systems show the counts of suites, and sum them up themselves or not: both are there."""
    cases = [
        JUnitCase("holds"),
        JUnitCase("says", lines=["more"]),
        JUnitCase("fails", "file.json", failure="kind", message="why", lines=["because"]),
        JUnitCase("waits", skipped="no head"),
    ]
    root = Xml.fromstring(junit_report("all", [("one", cases), ("two", [JUnitCase("holds")]), ("two", [])]))  # noqa: S314
    names = ("tests", "failures", "errors", "skipped")
    assert [root.get(name) for name in names] == ["5", "1", "0", "1"]
    assert [[suite.get(name) for name in ("name", *names)] for suite in root] == [
        ["one", "4", "1", "0", "1"],
        ["two", "1", "0", "0", "0"],
        ["two", "0", "0", "0", "0"],
    ]
    assert [[child.tag for child in case] for case in root[0]] == [[], ["system-out"], ["failure"], ["skipped"]]
    assert [case.get("classname") for case in root[0]] == ["one", "one", "file.json", "one"]
    assert root[0][2][0].text == "\nbecause\n"


def test_no_text_breaks_the_report() -> None:
    """Strangers write catalogs, and XML 1.0 has no form for most control characters."""
    strange = 'a<b>&"\n\x00\x1b[31m\u202e]]>'
    report = junit_report("all", [(strange, [JUnitCase(strange, strange, "kind", strange, [strange])])])
    case = Xml.fromstring(report)[0][0]  # noqa: S314
    assert case.get("name") == case.get("classname") == case[0].get("message") == 'a<b>&" \\x00\\x1b[31m\\u202e]]>'
    assert "\x1b" not in report
    assert "\u202e" not in report
