"""Nouns with the article that their first letter asks for: names of types, as messages say them."""

from __future__ import annotations


def with_article(noun: str) -> str:
    """Return *noun* with its article: "a dict", "an int"."""
    return f"{'an' if noun[:1].lower() in {'a', 'e', 'i', 'o', 'u'} else 'a'} {noun}"


def type_with_article(value: object) -> str:
    """Return the name of the type of *value* with its article; None is "None"."""
    return "None" if value is None else with_article(type(value).__name__)
