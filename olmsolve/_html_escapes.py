"""The characters that Go escapes in JSON texts, because HTML and JavaScript give them a meaning."""

from typing import Final

HTML_ESCAPES: Final = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}
"""The escapes of these characters, for :meth:`str.translate`."""
