"""JSON text as Go writes it: names and labels are hashes of that text, so every character of it counts.

No space after separators; ``<``, ``>``, ``&`` and the two Unicode line separators escaped; all other text as it
is; a half surrogate, which Go cannot hold, as U+FFFD. The order of a mapping's keys is the caller's: Go writes a
struct's fields in the order in which it declares them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from olmsolve.errors import ManifestError

__all__ = ["go_json"]

_ESCAPED: Final = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}
_HALF_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def go_json(value: Any, *, sort_keys: bool = False) -> str:
    """*value* (JSON data) as text.

    Raises:
        ManifestError: it is no JSON data, or nests too deep.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=sort_keys)
    except RecursionError:
        raise ManifestError("a value nests too deep") from None
    except (TypeError, ValueError) as error:
        raise ManifestError(f"a value is not JSON data: {error}") from None
    return _HALF_SURROGATE.sub("\\\\ufffd", text.translate(_ESCAPED))
