"""The properties of one bundle, which the rules of these tests look at."""

from __future__ import annotations

from typing import Any

PROPERTIES: list[dict[str, Any]] = [
    {"type": "k", "value": "v"},
    {"type": "n", "value": 3},
    {"type": "m", "value": {"version": "1.2.3", "list": [1, "a"], "none": None}},
    {"type": "l", "value": [1, 2.5, "x"]},
]
