"""Misspelt property types: types that are nearly one that Operator Lifecycle Manager knows.

Any type is allowed, and only CEL rules see the value of an unknown type: ``olm.gvk.require`` requires nothing.
"""

from __future__ import annotations

import difflib
import re
from typing import Final

KNOWN: Final = (
    "olm.bundle.object",
    "olm.channel",
    "olm.constraint",
    "olm.csv.metadata",
    "olm.deprecated",
    "olm.gvk",
    "olm.gvk.required",
    "olm.label",
    "olm.label.required",
    "olm.maxOpenShiftVersion",
    "olm.package",
    "olm.package.required",
    "olm.search.metadata",
    "olm.skipRange",
    "olm.skips",
    "olm.substitutesFor",
)
"""The types that have a meaning to some version of Operator Lifecycle Manager, its registry or OpenShift."""

_SEPARATORS: Final = re.compile(r"[\s._/-]+")
_SIMILAR: Final = 0.88
_LONGEST: Final = 60


def meant(type_: str) -> str:
    """Return the known type that *type_* probably stands for; "" if *type_* is known itself, or similar to none.

    >>> meant("olm.gvk.require"), meant("OLM.Package"), meant("certified")
    ('olm.gvk.required', 'olm.package', '')
    """
    if type_ in KNOWN or len(type_) > _LONGEST:
        return ""
    plain = _plain(type_)
    for type_name, letters in _PLAIN.items():
        # The prefix is forgotten often; a bare "package" or "label" may be somebody's own property.
        if plain == letters or (f"olm{plain}" == letters and "." in type_):
            return type_name
    near = difflib.get_close_matches(plain, _PLAIN.values(), n=1, cutoff=_SIMILAR)
    return next((type_name for type_name, letters in _PLAIN.items() if letters in near), "")


def _plain(type_: str) -> str:
    """Return *type_* without case and separators."""
    return _SEPARATORS.sub("", type_.casefold())


_PLAIN: Final = {type_name: _plain(type_name) for type_name in KNOWN}
