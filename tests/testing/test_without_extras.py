"""What needs an extra says which, where it is missing."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
sys.modules["hypothesis"] = sys.modules["prometheus_client"] = None
import olmsolve.testing
for use in ("olmsolve.testing.bundles", "import olmsolve.lifecycle.metrics.exposition"):
    try:
        exec(use)
    except ModuleNotFoundError as error:
        print(error.name, "|", error)
"""


def test_a_missing_extra_is_named() -> None:
    """Whoever copies an example from the documentation learns what to install, and not what olmsolve imports."""
    printed = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True).stdout
    strategies, exposition = printed.splitlines()
    assert strategies == "hypothesis | olmsolve.testing.bundles needs Hypothesis: pip install 'olmsolve[testing]'"
    assert exposition.startswith("prometheus_client | olmsolve.lifecycle.metrics.exposition needs prometheus-client")
    assert exposition.endswith("pip install 'olmsolve[metrics]'")
