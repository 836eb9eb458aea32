"""Small requests in place of large ones: the smallest that still shows the same outcome, core, difference or crash.

``outcomes`` says what "the same" means, as predicates on requests. ``request_parts`` are the parts of requests, from
catalogs down to terms of ranges. ``reduction`` is the verb: it finds the packages to begin with, and takes parts out
while a predicate holds. ``renaming`` renames what remains.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.reducing.outcomes import KEPT as KEPT
    from olmsolve.answers.reducing.outcomes import AnyRequest as AnyRequest
    from olmsolve.answers.reducing.outcomes import same_core as same_core
    from olmsolve.answers.reducing.outcomes import same_difference as same_difference
    from olmsolve.answers.reducing.outcomes import same_outcome as same_outcome
    from olmsolve.answers.reducing.reduction import Reach as Reach
    from olmsolve.answers.reducing.reduction import RequestSize as RequestSize
    from olmsolve.answers.reducing.reduction import reachable as reachable
    from olmsolve.answers.reducing.reduction import reduced as reduced
    from olmsolve.answers.reducing.reduction import reduction_of as reduction_of
    from olmsolve.answers.reducing.reduction import requirement_leaves as requirement_leaves
    from olmsolve.answers.reducing.reduction import without_eligibility as without_eligibility
    from olmsolve.answers.reducing.renaming import anonymised as anonymised
    from olmsolve.answers.reducing.request_parts import only_bundles as only_bundles
    from olmsolve.answers.reducing.request_parts import only_properties as only_properties
    from olmsolve.answers.reducing.request_parts import paths_of as paths_of
    from olmsolve.answers.reducing.request_parts import without_entries as without_entries
else:
    __getattr__, __dir__ = lazily(__name__)
