"""Random sets of APIs."""

from __future__ import annotations

from hypothesis import strategies as st

from olmsolve.cluster import Api

KINDS = st.builds(Api, st.sampled_from(["g.io", "a.b.c", ""]), st.sampled_from(["v1", "v2"]), st.sampled_from("ABC"))
SETS = st.frozensets(KINDS, max_size=4)
