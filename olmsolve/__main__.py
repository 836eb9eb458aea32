"""``python -m olmsolve`` and the script ``olmsolve``: the command line as the program of a process."""

# Not `signal`, which makes three enumerations when it is imported: 0.4 ms of each command.
import _signal as signal  # type: ignore[import-not-found]
import atexit
import gc
import importlib
import os
import sys


def program() -> int:
    """Run the command line with the arguments of the process, and end the process with its exit code.

    An interrupt (Ctrl+C) ends the process as the system does, without a traceback, while modules load (a tenth of a
    second, in which nothing could catch it) and at the end. It stays ignored if the process was started so.

    The code is returned where something comes after the command: see :func:`_is_last`.
    """
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # While modules load, nothing is garbage, and looking for it takes a millisecond. The command starts it again.
    gc.disable()
    # argparse asks gettext for a translation of each heading. Python brings none, and the rest of a help text is
    # English: 1.1 ms, half of it for `locale`, which gettext loads to look for one.
    _load_without("argparse", "gettext", gettext=str, ngettext=_singular_or_plural)
    if sys.version_info < (3, 13):
        # pathlib needs one function of it, for `Path.as_uri`. From 3.13 on it loads the module there: 1.4 ms.
        _load_without("pathlib", "urllib.parse", quote_from_bytes=_quote_from_bytes)
    from olmsolve.cli import main

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = main()
    except SystemExit as end:  # argparse has written a help text, or what is wrong with the arguments
        if not isinstance(end.code, int):
            raise
        code = end.code
    finally:
        if is_usual:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    if _is_last():
        # Python would free each of 100,000 objects first: a twentieth of a short command's time.
        atexit._run_exitfuncs()  # noqa: SLF001 - Python itself has no other way to run them
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except (OSError, ValueError):
            return code  # Python says what it could not write
        os._exit(code)
    return code


def _load_without(module: str, needed: str, **stand_ins: object) -> None:
    """Load *module* without the module *needed*, of which it imports the names of the *stand_ins* alone."""
    if module not in sys.modules and needed not in sys.modules:
        stand_in = sys.modules[needed] = type(sys)(needed)
        vars(stand_in).update(stand_ins)
        try:
            importlib.import_module(module)
        except (ImportError, AttributeError):
            pass  # a Python whose module needs other names, too: both are loaded when they are needed
        finally:
            del sys.modules[needed]


def _singular_or_plural(singular: str, plural: str, count: int) -> str:
    return singular if count == 1 else plural


def _quote_from_bytes(text: bytes) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(text)


def _is_last() -> bool:
    """Return whether nothing comes after the command in this process: no caller, thread, debugger, profiler or prompt.

    A caller is told by its frames: Python itself runs nothing but a module, or with ``-m`` the module by runpy.
    """
    frame = sys._getframe(1).f_back  # noqa: SLF001 - who called `program`
    callers = []
    while frame is not None:
        callers.append(frame.f_code.co_name)
        frame = frame.f_back
    if callers[:1] != ["<module>"] or callers[1:] not in ([], ["_run_code", "_run_module_as_main"]):
        return False
    # From Python 3.12 on, cProfile watches by it.
    monitoring = getattr(sys, "monitoring", None)
    is_watched = sys.gettrace() or sys.getprofile() or (monitoring and any(map(monitoring.get_tool, range(6))))
    threading = sys.modules.get("threading")
    return not (is_watched or sys.flags.inspect or (threading and threading.active_count() > 1))


if __name__ == "__main__":
    sys.exit(program())
