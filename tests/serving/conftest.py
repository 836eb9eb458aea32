"""gRPC in the process of the tests: others fork that process, and grpcio's own handling of forks ends the child."""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
