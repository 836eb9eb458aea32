"""Reports as JUnit XML for CI systems: suites of test cases, which fail, are skipped, or say something.

Times and host names are left out, so that equal reports give equal text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as Xml

from olmsolve._named_tuples import NamedTuple
from olmsolve.render.layout import plain


class JUnitCase(NamedTuple):
    """A test case: failed where it has the type of a *failure*, else *skipped* for a reason, else passed.

    *lines* are the text of the failure under its *message*, or the output of a case that passed. A case belongs to its
    suite where it names no *classname*.
    """

    name: str
    classname: str = ""
    failure: str = ""
    message: str = ""
    lines: Sequence[str] = ()
    skipped: str = ""


def junit_report(name: str, suites: Sequence[tuple[str, Sequence[JUnitCase]]]) -> str:
    """Return the report *name* of *suites*, each with its name; no text of a catalog can break it."""
    everything = _counts(case for _, cases in suites for case in cases)
    root = Xml.Element("testsuites", {"name": name, **everything})
    for suite_name, cases in suites:
        title = plain(suite_name)
        suite = Xml.SubElement(root, "testsuite", {"name": title, **_counts(cases)})
        for case in cases:
            element = Xml.SubElement(suite, "testcase", classname=plain(case.classname) or title, name=plain(case.name))
            if case.failure:
                inner = Xml.SubElement(element, "failure", type=case.failure, message=plain(case.message))
            elif case.skipped:
                inner = Xml.SubElement(element, "skipped", message=case.skipped)
            elif case.lines:
                inner = Xml.SubElement(element, "system-out")
            if case.lines:
                inner.text = "\n" + "\n".join(map(plain, case.lines)) + "\n"
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode")


def _counts(cases: Iterable[JUnitCase]) -> dict[str, str]:
    every = list(cases)
    failures = sum(bool(case.failure) for case in every)
    skipped = sum(bool(case.skipped and not case.failure) for case in every)
    return {"tests": str(len(every)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}
