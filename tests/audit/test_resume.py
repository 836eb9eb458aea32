"""An audit that was interrupted goes on where it ended, and never believes a file more than it should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve import RequestError, Source
from olmsolve.answers import content_key
from olmsolve.answers.auditing import AuditReport, audit
from tests.audit.catalogs import FAULTY, sources


class Interrupted(Exception):  # noqa: N818 - of this test only
    pass


def interrupted_after(count: int, given: tuple[Source, ...], state: Path, **options: Any) -> None:
    def stop(done: int, total: int) -> None:
        if done == count:
            raise Interrupted

    with pytest.raises(Interrupted):
        audit(given, resume=state, progress=stop, **options)


def resumed(given: tuple[Source, ...], state: Path, **options: Any) -> tuple[AuditReport, int]:
    """Return the report, and the number of packages audited for it."""
    calls: list[int] = []
    report = audit(given, resume=state, progress=lambda done, total: calls.append(done), **options)
    return report, len(calls)


def test_resumed_equals_fresh(tmp_path: Path) -> None:
    """Packages done before are not audited again, and the report is the same as that of a single run."""
    given, state = sources(**FAULTY), tmp_path / "state.jsonl"
    fresh = audit(given)
    interrupted_after(2, given, state)
    assert len(state.read_bytes().splitlines()) == 2
    assert resumed(given, state) == (fresh, 1)
    assert resumed(given, state) == (fresh, 0)


def test_the_key_is_the_content() -> None:
    """The same catalogs, read again, are the same in whatever order; anything that a report depends on counts.

    That includes where a blob stands, since messages say it.
    """
    given = sources(**FAULTY)
    key = content_key(given, "documented", "minisat22")
    assert key == content_key(sources(**FAULTY), "documented", "minisat22")
    (other,) = sources(**FAULTY)
    two = [*given, Source("other", "olm", 0, other.catalog)]
    assert content_key(two, "documented", "minisat22") == content_key(two[::-1], "documented", "minisat22")
    others = [
        content_key(sources(fine=FAULTY["fine"]), "documented", "minisat22"),
        content_key(given, "controller", "minisat22"),
        content_key(given, "documented", "cadical153"),
        content_key([Source("main", "olm", 1, given[0].catalog)], "documented", "minisat22"),
    ]
    assert len({key, *others}) == 5


def test_other_catalogs_and_options_have_states_of_their_own(tmp_path: Path) -> None:
    """One file can serve them all: lines of others are skipped, and left alone."""
    given, state = sources(**FAULTY), tmp_path / "state.jsonl"
    audit(given, resume=state)
    changed = sources(**{**FAULTY, "fine": {"channels": {"stable": "fine.v1.0.0"}}})
    report, audited = resumed(changed, state)
    assert (report, audited) == (audit(changed), 3)
    assert report.notes == (f"{state}: 3 foreign lines skipped",)
    assert resumed(given, state, semantics="controller")[1] == 3
    assert resumed(given, state) == (audit(given), 0)
    assert resumed(changed, state) == (audit(changed), 0)


def _truncated(line: bytes) -> bytes:
    return line[: len(line) // 2]


def _retold(line: bytes) -> bytes:
    return line.replace(b"blocked.v2.0.0", b"blocked.v9.0.0")


def _without_findings(line: bytes) -> bytes:
    data = json.loads(line)
    data["package"]["findings"] = []
    return json.dumps(data).encode()


def _of_another_shape(line: bytes) -> bytes:
    data = json.loads(line)
    data["package"]["findings"] = [{"kind": "DeadBundle", "bundle": 3}]
    data["package"]["catalog"] = ["olm/main"]
    return json.dumps(data).encode()


def _nested(line: bytes) -> bytes:
    return b'{"schema": "olmsolve.audit.package", "key": ' + b"[" * 100_000


def _not_text(line: bytes) -> bytes:
    return b"\xff\x00" + line


@pytest.mark.parametrize(
    "damage", [_truncated, _retold, _without_findings, _of_another_shape, _nested, _not_text, lambda _: b"[]"]
)
def test_damaged_lines_are_left_aside(tmp_path: Path, damage: Any) -> None:
    """A line that differs in any byte is skipped, with a note, and its package audited again."""
    given, state = sources(**FAULTY), tmp_path / "state.jsonl"
    fresh = audit(given, resume=state)
    lines = state.read_bytes().splitlines()
    (blocked,) = (line for line in lines if b'"name": "blocked"' in line)
    state.write_bytes(b"".join((damage(line) if line is blocked else line) + b"\n" for line in lines))
    report, audited = resumed(given, state)
    assert (report, audited) == (fresh, 1)
    assert report.notes == (f"{state}: 1 damaged line skipped",)
    assert resumed(given, state) == (fresh, 0)


def test_a_line_that_was_cut_off(tmp_path: Path) -> None:
    """A process that dies while it writes leaves half a line; the next line must not be glued to it."""
    given, state = sources(**FAULTY), tmp_path / "state.jsonl"
    fresh = audit(given, resume=state)
    state.write_bytes(state.read_bytes()[:-40])
    assert resumed(given, state) == (fresh, 1)
    report, audited = resumed(given, state)
    assert (report, audited) == (fresh, 0)
    assert report.notes == (f"{state}: 1 damaged line skipped",)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """A mistaken path must not cost anybody their catalog."""
    given, catalog = sources(**FAULTY), tmp_path / "catalog.json"
    catalog.write_text('{"schema": "olm.package", "name": "p"}')
    with pytest.raises(RequestError, match="not a state file of an audit"):
        audit(given, resume=catalog)
    assert catalog.read_text() == '{"schema": "olm.package", "name": "p"}'
    with pytest.raises(RequestError, match="this is not a file"):
        audit(given, resume=tmp_path)
    with pytest.raises(RequestError, match="No such file"):
        audit(given, resume=tmp_path / "nowhere" / "state.jsonl")


def test_an_empty_file_is_a_beginning(tmp_path: Path) -> None:
    """As tools make them that hand out temporary files."""
    state = tmp_path / "state.jsonl"
    state.touch()
    assert resumed(sources(**FAULTY), state)[1] == 3
