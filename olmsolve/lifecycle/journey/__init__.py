"""The journey of a cluster from one version of OpenShift to another: what is changed when, or why there is no way.

Reading order: ``stages`` (versions, and the catalogs of each), ``requirements`` (the rules of a journey), ``model``
(the answer), ``searching`` (the search, for any part of a cluster), ``bounds`` (what a subscription needs at least),
``namespaces`` and ``extensions`` (the two kinds of parts), ``reasons`` and ``ways`` (why there is none, and what would
help), ``operators`` (what is installed at a stage), ``planner`` (parts put together), ``going`` (the verb).
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.lifecycle.journey.going import journey as journey
    from olmsolve.lifecycle.journey.model import Journey as Journey
else:
    __getattr__, __dir__ = lazily(__name__)
