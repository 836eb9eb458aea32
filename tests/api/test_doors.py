"""Every door is there for a program that has imported ``olmsolve`` alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from olmsolve._public import PUBLIC


@pytest.mark.parametrize("door", [door for door in PUBLIC if door != "olmsolve"])
def test_a_door_is_an_attribute_of_the_one_before_it(door: str) -> None:
    """``except olmsolve.errors.NamespaceError`` looks the door up while another exception is on its way."""
    subprocess.run([sys.executable, "-c", f"import olmsolve; {door}"], check=True)


def test_a_refused_command_ends_with_its_own_message() -> None:
    """In a fresh process, nothing has loaded the errors that ``certify`` waits for."""
    command = [sys.executable, "-m", "olmsolve", "certify"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert process.stderr.startswith("olmsolve certify: error: a request document is needed")
    assert "fault of olmsolve itself" not in process.stderr
