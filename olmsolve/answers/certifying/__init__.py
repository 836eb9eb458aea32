"""Certificates: answers together with the proofs that an independent checker needs to confirm them.

``certificates`` has the verb, and finds the proofs. What they contain, and how it is checked, belongs to
``verification``.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.certifying.certificates import certificate as certificate
else:
    __getattr__, __dir__ = lazily(__name__)
