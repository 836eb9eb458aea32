"""Work on catalogs: checks, composing them from others, templates."""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring import checks as checks
    from olmsolve.authoring import compose as compose
    from olmsolve.authoring import templates as templates
else:
    __getattr__, __dir__ = lazily(__name__)
