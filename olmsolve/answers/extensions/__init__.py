"""Questions about cluster extensions (OLM v1): why this bundle, why not that one, what differs, and what would help.

OLM v1 resolves without a search, so the answers are read off the filters: ``olmsolve.v1`` names the obstacles before
each bundle. ``changes`` are the verbs of an administrator, ``suggestions`` picks the ones that take an obstacle away,
``fixes`` tries sets of them until the extension is at rest where it should be. ``explaining`` makes the explanation of
a failure, ``why_extension``, ``why_not_extension`` and ``differing`` answer the questions.
"""

from olmsolve.answers.extensions.changes import ExtensionChange
from olmsolve.answers.extensions.differing import ExtensionDiff, diff_extensions
from olmsolve.answers.extensions.fixes import ExtensionFix, find_fixes
from olmsolve.answers.extensions.suggestions import toward, toward_any
from olmsolve.answers.extensions.why_extension import ExtensionWhy, why_extension
from olmsolve.answers.extensions.why_not_extension import ExtensionWhyNot, why_not_extension

__all__ = [
    "ExtensionChange",
    "ExtensionDiff",
    "ExtensionFix",
    "ExtensionWhy",
    "ExtensionWhyNot",
    "diff_extensions",
    "find_fixes",
    "toward",
    "toward_any",
    "why_extension",
    "why_not_extension",
]
