"""JSON text as Go writes it: names and labels are hashes of that text, so every character of it counts.

Separators have no space after them. ``<``, ``>``, ``&`` and the two Unicode line separators are escaped, and a half
surrogate, which Go cannot hold, becomes U+FFFD. The caller orders the keys of a mapping: Go writes the fields of a
struct in the order in which it declares them.
"""

from __future__ import annotations

import json
from typing import Any, Final

from olmsolve._html_escapes import HTML_ESCAPES
from olmsolve._patterns import pattern
from olmsolve.errors import ManifestError

_HALF_SURROGATE: Final = pattern("[\ud800-\udfff]")


def go_json(value: Any, *, sort_keys: bool = False) -> str:
    """Return *value* (JSON data) as text.

    >>> print(go_json({"image": "a<b", "tags": [1]}))
    {"image":"a\\u003cb","tags":[1]}

    Raises:
        ManifestError: the value is not JSON data, or nests too deep.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=sort_keys)
    except RecursionError:
        raise ManifestError("a value nests too deep") from None
    except (TypeError, ValueError) as error:
        raise ManifestError(f"a value is not JSON data: {error}") from None
    return _HALF_SURROGATE.sub("\\\\ufffd", text.translate(HTML_ESCAPES))
