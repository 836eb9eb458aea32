"""Plans followed to rest: each is carried out on its request, and the request resolved again until nothing changes.

``following`` turns a plan into the request that comes after it, and repeats that until the end.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.resting.following import Rest as Rest
    from olmsolve.answers.resting.following import carried_out as carried_out
    from olmsolve.answers.resting.following import followed as followed
else:
    __getattr__, __dir__ = lazily(__name__)
