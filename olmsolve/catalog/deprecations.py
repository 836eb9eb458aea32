"""Deprecations: what a catalog says of a package, a channel or a bundle that nobody should take any more.

Apart from the model, which has no room for it: readers of files make deprecations that no check of the class accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._arguments import is_text
from olmsolve._attrs import unchecked
from olmsolve.errors import RequestError

_DEPRECATED: Final = ("olm.package", "olm.channel", "olm.bundle")


@attrs.frozen
class Deprecation:
    """One entry of ``olm.deprecations``; *schema* is olm.package, olm.channel or olm.bundle.

    *name* may be "" for a package, because the entry is a part of it.

    Raises:
        RequestError: a field is no text, there is no such schema, or a channel or bundle has no name.
    """

    schema: str = attrs.field(validator=is_text)
    name: str = attrs.field(validator=is_text)
    message: str = attrs.field(validator=is_text)

    def __attrs_post_init__(self) -> None:
        if self.schema not in _DEPRECATED:
            raise RequestError(f"there is no {self.schema!r}", field="schema", hint=f"one of {', '.join(_DEPRECATED)}")
        if not self.name and self.schema != "olm.package":
            raise RequestError("must not be empty", field="name")


deprecation_of: Final[Callable[..., Deprecation]] = unchecked(Deprecation)
"""Make a deprecation of the class and all fields, as a file states them."""
