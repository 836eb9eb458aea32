"""Questions about cluster extensions (OLM v1): why this bundle, why not that one, and what would help.

OLM v1 resolves without a search, so the answers are read off the filters: ``olmsolve.v1`` names the obstacles before
each bundle. ``changes`` are the verbs of an administrator. ``fixes`` picks the ones that take an obstacle away, and
tries sets of them until the extension is at rest where it should be. ``chosen`` and ``not_chosen`` answer the
questions.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.extensions.changes import AllowChannel as AllowChannel
    from olmsolve.answers.extensions.changes import ExtensionChange as ExtensionChange
    from olmsolve.answers.extensions.changes import PinInTurn as PinInTurn
    from olmsolve.answers.extensions.chosen import ExtensionWhy as ExtensionWhy
    from olmsolve.answers.extensions.chosen import why_extension as why_extension
    from olmsolve.answers.extensions.fixes import ExtensionFix as ExtensionFix
    from olmsolve.answers.extensions.fixes import find_fixes as find_fixes
    from olmsolve.answers.extensions.fixes import toward_any as toward_any
    from olmsolve.answers.extensions.fixes import toward_bundles as toward_bundles
    from olmsolve.answers.extensions.not_chosen import ExtensionVerdict as ExtensionVerdict
    from olmsolve.answers.extensions.not_chosen import ExtensionWhyNot as ExtensionWhyNot
    from olmsolve.answers.extensions.not_chosen import is_about as is_about
    from olmsolve.answers.extensions.not_chosen import why_not_extension as why_not_extension
else:
    __getattr__, __dir__ = lazily(__name__)
