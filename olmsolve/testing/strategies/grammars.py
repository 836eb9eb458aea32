"""Strategies for versions, and for ranges in both grammars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from olmsolve.semver import Version

_PRERELEASES: Final = ("0", "1", "a", "rc")
_BUILDS: Final = ("0", "a")
_BLANG: Final = ("", "=", "==", "!=", "!", ">", ">=", "<", "<=")
_MASTERMINDS: Final = ("", "=", "!=", ">", ">=", "<", "<=", "~", "^")


def versions(*, most: int = 9, prereleases: bool = True, builds: bool = False) -> st.SearchStrategy[Version]:
    """Draw versions whose numbers are at most *most*, a few with a pre-release or build metadata; shrinks to 0.0.0."""
    number = st.integers(0, most)
    nothing: st.SearchStrategy[tuple[str, ...]] = st.just(())
    parts = [
        nothing | st.lists(st.sampled_from(words), max_size=2).map(tuple) if wanted else nothing
        for words, wanted in ((_PRERELEASES, prereleases), (_BUILDS, builds))
    ]
    return st.builds(Version, number, number, number, *parts)


def blang_ranges(
    texts: Sequence[str] = (), *, terms: int = 2, alternatives: int = 2, wildcards: bool = True
) -> st.SearchStrategy[str]:
    """Draw ranges of classic OLM over the versions *texts* (by default over small ones); each of them parses.

    At most *alternatives* alternatives have at most *terms* terms each, some with a wildcard. Shrinks to one version.
    """
    bound = st.sampled_from(list(texts)) if texts else versions(most=3).map(str)
    term = st.tuples(st.sampled_from(_BLANG), bound).map("".join)
    if wildcards:
        term |= st.tuples(st.sampled_from(["", ">=", "<"]), st.integers(0, 3), st.sampled_from(["x", "1.x"])).map(
            lambda parts: f"{parts[0]}{parts[1]}.{parts[2]}"
        )
    group = st.lists(term, min_size=1, max_size=terms).map(" ".join)
    return st.lists(group, min_size=1, max_size=alternatives).map(" || ".join)


def masterminds_ranges(
    texts: Sequence[str] = (), *, terms: int = 2, alternatives: int = 2, wildcards: bool = True
) -> st.SearchStrategy[str]:
    """Draw the ranges of OLM v1 extensions over the versions *texts*; the parameters are those of blang_ranges."""
    bound = st.sampled_from(list(texts)) if texts else versions(most=3).map(str)
    if wildcards:
        bound |= st.tuples(st.integers(0, 3), st.sampled_from(["", ".x", ".1", ".1.*"])).map(
            lambda parts: f"{parts[0]}{parts[1]}"
        )
    term = st.tuples(st.sampled_from(_MASTERMINDS), bound).map("".join)
    group = st.lists(term, min_size=1, max_size=terms).map(", ".join)
    return st.lists(group, min_size=1, max_size=alternatives).map(" || ".join)
