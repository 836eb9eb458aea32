"""Plans and failures as text, held by snapshots that are reviewed like code."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Candidate, Install, Resolution, ResolutionFailure, Unsatisfiable, WantedBy
from olmsolve.predicates import in_package
from olmsolve.render import failure_text, plan_markdown, plan_text
from tests.scenarios.notation import request_document

Snapshot = Callable[[str, str], None]

OLD = Candidate("red.v1.0.0", "red", "", "@existing", "1.0.0")
KEPT = Candidate("grey.v0.3.0", "grey", "", "@existing", "0.3.0")


@attrs.frozen
class Said:
    """A requirement with a text of its own: the pages are tested with a long one."""

    text: str

    def __str__(self) -> str:
        return self.text


NAMELESS = Candidate("unversioned", "", "", "@existing", "")
RED = Install(
    Candidate("red.v2.0.0", "red", "stable", "olm/main", "2.0.0"),
    "red.v1.0.0",
    (WantedBy(subscription="red"),),
)
BLUE = Install(
    Candidate("blue.v1.4.2", "blue", "fast", "olm/community", "1.4.2"),
    "blue.v1.4.1",
    (
        WantedBy(bundle="red.v2.0.0", requirement=in_package("blue", ">=1.0.0 <2.0.0")),
        WantedBy(
            bundle="grey.v0.3.0",
            requirement=Said(
                "any of (blues.example.com/v1/Blue; blues.example.com/v1beta2/Blue; or one whose label is lightweight)"
            ),  # type: ignore[arg-type]
        ),
    ),
)
PLAN = Resolution(
    installs=(RED, BLUE),
    kept=(KEPT, NAMELESS),
    replaced=((OLD, RED),),
    differing=(RED.candidate,),
    semantics="documented",
)


class Failure(ResolutionFailure):
    """A failure with the given sentences."""

    def __init__(self, *sentences: str) -> None:
        super().__init__()
        self.sentences = sentences

    def to_dict(self) -> dict[str, Any]:
        return {"constraints": [{"kind": "Any", "text": sentence} for sentence in self.sentences]}


SENTENCES = (
    "subscription red needs one of red.v2.0.0 (stable, olm/main), red.v1.0.0 (stable, olm/main)",
    "red.v2.0.0 (stable, olm/main) requires package blue in >=1.0.0, which no bundle provides [blue is\nthe base]",
    "grey.v0.3.0 is installed, belongs to no subscription and must stay",
)


def test_plan(snapshot: Snapshot) -> None:
    """All parts of a plan at a usual width."""
    snapshot("plan.txt", plan_text(PLAN, width=100))


def test_narrow_plan(snapshot: Snapshot) -> None:
    """Where the table does not fit, each bundle gets a paragraph."""
    snapshot("plan-narrow.txt", plan_text(PLAN, width=50))


def test_plan_with_nothing_to_do() -> None:
    """The common answer to an upgrade, in one line."""
    assert plan_text(Resolution((), (), (), (), "documented")) == "Nothing to install."


def test_a_single_bundle_in_place_of_another(snapshot: Snapshot) -> None:
    """The singular for one: the summary has to agree with its numbers."""
    snapshot("plan-single.txt", plan_text(Resolution((RED,), (), ((OLD, RED),), (), "controller"), width=100))


def test_edges_of_the_catalog_are_no_replacements() -> None:
    """On a fresh cluster a bundle replaces nothing, whatever edge its channel entry declares."""
    shown = plan_text(Resolution((BLUE,), (), (), (), "documented"), width=100)
    assert "blue.v1.4.1" not in shown


def test_plan_as_markdown(snapshot: Snapshot) -> None:
    """All parts of a plan, for a review; without the columns that would be empty."""
    snapshot("plan.md", plan_markdown(PLAN).rstrip("\n"))
    assert plan_markdown(Resolution((), (), (), (), "documented")) == "## Nothing to install\n"


def test_failure(snapshot: Snapshot) -> None:
    """The constraints of a core, one numbered sentence each."""
    snapshot("unsatisfiable.txt", failure_text(Failure(*SENTENCES), width=80))


def test_failure_with_one_reason(snapshot: Snapshot) -> None:
    """An unknown package stands alone; nothing "together" about it."""
    snapshot("unsatisfiable-single.txt", failure_text(Failure(SENTENCES[0]), width=80))


def test_a_failure_of_thousands_of_constraints_is_told_in_few() -> None:
    """A channel of hundreds of versions that all require what is gone: the data is whole, the text ends and says so."""
    versions = [f"app.v1.{number}.0" for number in range(300)]
    bundles = {name: [{"needs-package": "gone >=1.0.0"}] for name in versions}
    app = {"channels": {"stable": " > ".join(reversed(versions))}, "bundles": bundles}
    scenario = {"catalogs": {"olm/main": {"packages": {"app": app}}}, "subscriptions": [{"package": "app"}]}
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, olmsolve.Request)
    with pytest.raises(Unsatisfiable) as failed:
        olmsolve.resolve(request)
    assert len(failed.value.to_dict()["constraints"]) == 301
    assert len(str(failed.value).splitlines()) == 52
    assert "and 251 more" in str(failed.value)
    lines = failure_text(failed.value, width=200).splitlines()
    assert len(lines) < 60
    assert lines[-1].strip() == "... and 251 more. olmsolve explain groups bundles that fail alike."


def test_colour_adds_nothing_but_colour() -> None:
    """Colours change no word: terminals and pipes get the same text."""
    for width in (100, 50):
        coloured = plan_text(PLAN, width=width, colour=True)
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[\d*m", "", coloured) == plan_text(PLAN, width=width)


def test_names_from_a_catalog_cannot_command_the_terminal() -> None:
    """Names, versions and messages are written by whoever wrote the catalog."""
    evil = Install(Candidate("x\x1b[2J", "x", "\x1b[1m", "a/b", "1\r2"), "", (WantedBy(bundle="\x07"),))
    for width in (100, 30):
        shown = plan_text(Resolution((evil,), (evil.candidate,), (), (evil.candidate,), "documented"), width=width)
        assert all(line.isprintable() for line in shown.split("\n"))
    assert all(line.isprintable() for line in failure_text(Failure("\x1b]0;x\x07")).split("\n"))
