"""Answers as people like to read them: pure functions from data to text."""

from olmsolve.render import text

__all__ = ["text"]
