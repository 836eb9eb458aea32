"""Text as Go prints and holds it."""

from __future__ import annotations

import pytest

from olmsolve.semver import quote, well_formed


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain ~", '"plain ~"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("\n\t\x00\x7f", r'"\n\t\x00\x7f"'),
        ("\u00e9\u4e00\U0001f600", '"\u00e9\u4e00\U0001f600"'),
        ("\u0080\u00ad\u2028\uffff", r'"\u0080\u00ad\u2028\uffff"'),
        ("\U0001d173\U000f0000", r'"\U0001d173\U000f0000"'),
        ("\ud7ff\ud800\udfff\ue000", r'"\ud7ff\ufffd\ufffd\ue000"'),
    ],
    ids=range(7),
)
def test_quoted_text_is_that_of_go(text: str, quoted: str) -> None:
    """As the specification of Go has its string literals; what can be printed stays as it is."""
    assert quote(text) == quoted


@pytest.mark.parametrize(
    ("text", "repaired"),
    [("", ""), ("plain", "plain"), ("\u00e9", "\u00e9"), ("a\ud83d", "a\ufffd"), ("\ud83d\ude00", "\U0001f600")],
)
def test_halves_of_characters_are_replaced(text: str, repaired: str) -> None:
    """Two halves that belong together are one character; a lone one cannot be written as UTF-8."""
    assert well_formed(text) == repaired
