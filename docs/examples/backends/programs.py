"""Kissat and MiniSat: programs that read DIMACS."""

from __future__ import annotations

from olmsolve.solver.backends import from_command

KISSAT = from_command(["kissat", "-q", "{cnf}"])
MINISAT = from_command(["minisat", "-verb=0", "{cnf}", "{model}"])
