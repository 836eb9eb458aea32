"""How the time of a call grows with its input, measured so that a busy machine does not matter."""

import gc
from collections.abc import Callable
from time import process_time

__all__ = ["times_as_long"]


def times_as_long(call: Callable[[int], object], small: int, large: int) -> float:
    """Return how many times as much CPU *call(large)* takes as *call(small)*: the least of five runs of each.

    The runs take turns, and the garbage collector rests, whose cost depends on what other tests have left behind.
    A test should allow several times the growth it wants, and try sizes where the growth it fears is far above that.
    """
    least = {small: float("inf"), large: float("inf")}
    gc.disable()
    try:
        for _ in range(5):
            for size in (small, large):
                begin = process_time()
                call(size)
                least[size] = min(least[size], process_time() - begin)
    finally:
        gc.enable()
    # A virtual machine's clock may stand still for milliseconds; the growth that a test fears is seen even so.
    return least[large] / max(least[small], 1e-4)
