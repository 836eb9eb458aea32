"""A tag publishes what it names, with its notes."""

from __future__ import annotations

import pytest

from olmsolve import __version__
from tests.api.changes import CHANGELOG
from tests.release import faults, notes

LOG = (
    "# Changelog\n\n## Unreleased\n\n## 0.3.0 (2026-12-01)\n\n- [New](docs/new.md).\n\n### Fixed\n\n- x\n\n"
    "## 0.2.0 (2026-11-23)\n\n- old\n"
)


def test_the_notes_of_a_version() -> None:
    """The page of a release shows its own notes, with links that work outside of the repository."""
    address = "https://github.com/olmsolve/olmsolve/blob/v0.3.0/docs/new.md"
    assert notes(LOG, "0.3.0") == f"- [New]({address}).\n\n### Fixed\n\n- x"
    assert notes(LOG, "0.2.0") == "- old"
    with pytest.raises(ValueError, match=r"no notes of 0\.4\.0"):
        notes(LOG, "0.4.0")


def test_the_version_of_the_source_has_notes() -> None:
    """A version without notes is found before it is tagged."""
    assert notes(CHANGELOG.read_text("utf-8"), __version__)


def test_what_keeps_a_release_back() -> None:
    """A package index never takes a version twice, so a wrong one is there for good."""
    assert faults(f"v{__version__}", LOG) == []
    assert faults("v9.9.9", LOG) == [f"the tag is v9.9.9, and the version of the source {__version__}"]
    undated = LOG.replace(" (2026-11-23)", "")
    assert faults(f"v{__version__}", undated) == ["CHANGELOG.md does not date 0.2.0: ## 0.2.0 (YYYY-MM-DD)"]
    assert len(faults(f"v{__version__}", LOG.replace("Unreleased\n", "Unreleased\n\n- `f` is new.\n"))) == 1


def test_the_changelog_has_each_heading_once() -> None:
    """A merge of two branches that both add lines may leave notes twice, or at the wrong place."""
    headings = [line for line in CHANGELOG.read_text("utf-8").splitlines() if line.startswith("#")]
    assert len(headings) == len(set(headings))
    assert headings[:2] == ["# Changelog", "## Unreleased"]
    # Themes of a version have a heading, single changes have lines.
    assert not [heading for heading in headings if heading.startswith(("### Added:", "### Changed:", "### Fixed:"))]
