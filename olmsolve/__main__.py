"""``python -m olmsolve`` and the script ``olmsolve``: the command line as the program of a process."""

# Not `signal`, which makes three enumerations when it is imported: 0.4 ms of each command.
import _signal as signal  # type: ignore[import-not-found]
import gc
import sys


def program() -> int:
    """Run the command line with the arguments of the process, and return its exit code.

    An interrupt (Ctrl+C) ends the process as the system does, without a traceback, while modules load (a tenth of a
    second, in which nothing could catch it) and at the end. It stays ignored if the process was started so.
    """
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # While modules load, nothing is garbage, and looking for it takes a millisecond. The command starts it again.
    gc.disable()
    import argparse

    # It asks gettext for a translation of each heading, and gettext loads `locale` to look for one: 0.6 ms. Python
    # brings none, and the rest of a help text is English.
    vars(argparse)["_"] = str
    from olmsolve.cli import main

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return main()
    finally:
        if is_usual:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(program())
