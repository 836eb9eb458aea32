"""Variations of somebody's own catalog as a strategy."""

from __future__ import annotations

from hypothesis import strategies as st

from olmsolve.answers.reducing import Reach
from olmsolve.catalog import Catalog
from olmsolve.testing.strategies.content import vocabulary_of
from olmsolve.testing.varying import MOST, Variation, varied


@st.composite
def variations(draw: st.DrawFn, catalog: Catalog, *, most_packages: int = 2) -> Variation:
    """Draw variations of *catalog* for wishes of one to *most_packages* of its packages.

    The packages that these can need come along whole, but for a few bundles: one in twenty is dropped, and as many are
    deprecated, or require a narrower range. A failing example shrinks towards few packages and few bundles.
    """
    reaching, words = catalog.derived(__name__, lambda: (Reach([catalog]), vocabulary_of(catalog)))
    wished = draw(st.lists(st.sampled_from(list(words.packages)), min_size=1, max_size=most_packages, unique=True))
    newest = {name: versions[-1] for name, versions in words.packages.items() if versions}
    names = dict.fromkeys((*wished, *sorted(reaching.of(wished))))
    return varied(catalog, wished, names, newest, lambda: draw(st.integers(0, MOST)))
