"""Certificates: answers together with the proofs that an independent checker needs to confirm them.

``certificates`` has the verb, ``refuting`` finds the proofs. What they contain, and how it is checked, belongs to
``verification``.
"""

from olmsolve.answers.certifying.certificates import certificate

__all__ = ["certificate"]
