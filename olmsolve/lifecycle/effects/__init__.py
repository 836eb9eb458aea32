"""Effects of what OLM does: the objects of a cluster once plans are carried out and operators have come to rest.

Reading order: ``stand_ins`` (objects of bundles that only an image holds), ``applying`` (a plan is carried out),
``operators`` (what is being deleted goes, and operators make progress), ``copies`` (in the namespaces that they serve).
Plans look one step ahead with it, and a simulation goes on until nothing changes.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.effects.applying import plans_carried_out as plans_carried_out
    from olmsolve.lifecycle.effects.copies import has_copies as has_copies
    from olmsolve.lifecycle.effects.copies import with_copies as with_copies
    from olmsolve.lifecycle.effects.operators import Entry as Entry
    from olmsolve.lifecycle.effects.operators import as_found as as_found
    from olmsolve.lifecycle.effects.operators import most_passes as most_passes
    from olmsolve.lifecycle.effects.operators import operator_keys as operator_keys
    from olmsolve.lifecycle.effects.operators import reason_of as reason_of
    from olmsolve.lifecycle.effects.operators import retargeted as retargeted
    from olmsolve.lifecycle.effects.operators import settled as settled
    from olmsolve.lifecycle.effects.operators import without_going as without_going
else:
    __getattr__, __dir__ = lazily(__name__)
