"""Other tools that a user could pick, each with its own best formulation of the synthetic problem.

A module here has ``prepare(problem)``: it builds the tool's problem and returns a callable that solves it. Both
are timed. Importing the tool is not, and a tiny problem is solved before the clock starts.
"""
