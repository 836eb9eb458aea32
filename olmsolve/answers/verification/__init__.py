"""An independent check of answers: a certificate is confirmed without any of the code that found it."""

from olmsolve.answers.verification.verifying import Verdict, verify

__all__ = ["Verdict", "verify"]
