"""The limits of a rule, which keep it from hanging its caller or overflowing the stack."""

from __future__ import annotations

from typing import Final

MAX_LENGTH: Final = 64 * 1024
"""Characters in a rule; ``olm.constraint`` values are limited to 64 KiB (cel-go's own limit is 100,000)."""

MAX_DEPTH: Final = 100
"""Levels of nesting, of the text and of the syntax tree (cel-go: 250); each costs up to five frames."""

MAX_WORK: Final = 3_000_000
"""Steps (about one node evaluated, or one element or sixteen characters looked at) of one evaluation."""
