"""Certificates: answers with what an independent checker needs to confirm them."""

from olmsolve.answers.certifying.certificates import certificate

__all__ = ["certificate"]
