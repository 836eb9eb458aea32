"""The order of API versions: v1alpha1 before v1beta1 before v1 before v2, and any other name before all these."""

from __future__ import annotations

import re
from typing import Final

from olmsolve._patterns import pattern

_VERSION: Final = pattern(r"v([1-9][0-9]{0,17})(?:(alpha|beta)([1-9][0-9]{0,17}))?", re.ASCII)
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}


def version_key(name: str) -> tuple[int, int, int, int, tuple[int, ...]]:
    """Return the key that sorts API versions as Kubernetes does, the least preferred first.

    Names of another form come first, from z to a.
    """
    parts = _VERSION.fullmatch(name)
    if parts is None:
        return (0, 0, 0, 0, tuple(-ord(character) for character in name))
    # v1alpha1 (1, 0, 1, 1) < v1beta1 (1, 1, 1, 1) < v1 (1, 2, 1, 0) < v2 (1, 2, 2, 0)
    stage = _STAGES[parts[2]]
    return (1, stage, int(parts[1]), int(parts[3] or 0), ())
