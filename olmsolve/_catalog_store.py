"""The store of a service's catalogs: it watches their files, and swaps in new content while questions are answered."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context
from pathlib import Path
from typing import Final, TypeAlias

from olmsolve._arguments import wrong_type
from olmsolve._limits import held
from olmsolve._paths import files_below
from olmsolve._resolver import Resolver
from olmsolve.catalog import Catalog, Source, namespace_and_name
from olmsolve.catalog.fbc import is_remote
from olmsolve.catalog.index_files import load
from olmsolve.classic import SemanticsName
from olmsolve.errors import CatalogError, RequestError
from olmsolve.solver.backends import DEFAULT, BackendLike

_Files: TypeAlias = tuple[tuple[str, int, int, int], ...]
"""The files of a catalog: the name, the time of the last change, the size and the inode of each."""

_EMPTY: Final = Catalog({})
# A catalog that changes while it is read is read again, so many times at once; then at the next look.
_TRIES: Final = 3


class CatalogStore:
    """Catalogs in files that change, and a resolver over their current content.

    *catalogs* maps names (``olm/community``, or ``community`` in the namespace olm) to folders or files, and
    *priorities* gives names priorities other than 0. :attr:`resolver` is over the newest content that could be read. An
    answer ends on the content that it began with, because content never changes: new content makes a new
    resolver, in one assignment. A catalog that cannot be read keeps its last content, and :attr:`errors` says why.

    :meth:`refresh` looks for changes once, :meth:`watching` in a thread of its own. Safe to share between threads.

    Raises:
        CatalogError: a catalog cannot be read at the start.
        RequestError: there is no catalog, or one is not a folder or file on this machine.

    >>> from olmsolve import CatalogStore, Subscription
    >>> store = CatalogStore({"commons": "olmsolve/examples/catalogs/commons"})
    >>> wish = Subscription("db", "shop", "ledgerdb")
    >>> with store.watching(seconds=5):
    ...     [install.name for install in store.resolver.resolve([wish], namespaces=["shop", "olm"]).installs]
    ['ledgerdb.v5.3.0', 'keyring.v1.0.2']
    """

    def __init__(
        self,
        catalogs: Mapping[str, str | os.PathLike[str]],
        *,
        priorities: Mapping[str, int] | None = None,
        namespaces: Sequence[str] = (),
        semantics: SemanticsName = "documented",
        backend: BackendLike = DEFAULT,
    ) -> None:
        """Load *catalogs*; with *namespaces*, each new resolver is warmed for them before questions get it."""
        if not isinstance(catalogs, Mapping):
            raise wrong_type(catalogs, "a mapping of paths by the names of catalogs", "catalogs")
        if not catalogs:
            raise RequestError("must not be empty", field="catalogs", hint="a catalog is a name and a path")
        for name, path in catalogs.items():
            if is_remote(os.fspath(path)):
                raise RequestError(
                    "is not a file on this machine", field=f"catalogs[{name!r}]", hint="copy it to a folder"
                )
        self._paths = {name if "/" in name else f"olm/{name}": Path(path) for name, path in catalogs.items()}
        given = {} if priorities is None else priorities
        self._priorities = {name if "/" in name else f"olm/{name}": value for name, value in given.items()}
        self._namespaces = tuple(namespaces)
        self._semantics: SemanticsName = semantics
        self._backend = backend
        # The handler of a signal may refresh while its own thread does.
        self._lock = threading.RLock()
        self._files: dict[str, _Files] = {}
        self._contents: dict[str, Catalog] = dict.fromkeys(self._paths, _EMPTY)
        self.errors: Mapping[str, CatalogError] = {}
        """Why catalogs could not be read when they last changed, by name; they keep the content of before."""
        self._resolver: Resolver | None = None
        self.refresh()
        for error in self.errors.values():
            raise error

    @property
    def resolver(self) -> Resolver:
        """The resolver over the current content: take it once for questions that belong together."""
        assert self._resolver is not None, "made at the start"
        return self._resolver

    def refresh(self) -> bool:
        """Load the catalogs whose files have changed; return True if questions get new content from now on.

        A limit changes nothing in the store, and the next look finds the same changes (:func:`olmsolve.limited`).

        Raises:
            Incomplete: a limit of the block around the call was met, also while another thread refreshes.
        """
        with held(self._lock):
            errors = dict(self.errors)
            contents = dict(self._contents)
            files = dict(self._files)
            for name, path in self._paths.items():
                self._refresh(name, path, contents, errors, files)
            if self._resolver is not None and all(contents[name] is self._contents[name] for name in contents):
                self._files, self.errors = files, errors
                return False
            sources = [
                Source(plain, namespace, self._priorities.get(name, 0), contents[name])
                for name in self._paths
                for namespace, plain in (namespace_and_name(name),)
            ]
            resolver = Resolver(sources, semantics=self._semantics, backend=self._backend)
            if self._namespaces:
                resolver.warm(namespaces=self._namespaces)
            # All at once, and last: files that were noted before a limit ended the rest would not be read again.
            self._files, self.errors, self._contents, self._resolver = files, errors, contents, resolver
            return True

    def _refresh(
        self,
        name: str,
        path: Path,
        contents: dict[str, Catalog],
        errors: dict[str, CatalogError],
        files: dict[str, _Files],
    ) -> None:
        for _ in range(_TRIES):
            current = _files_of(path)
            if files.get(name) == current:
                return
            try:
                contents[name] = load(path, before=contents[name])
                errors.pop(name, None)
            except CatalogError as error:
                errors[name] = error
            if _files_of(path) == current:
                # A change while it was read is one that the next look finds.
                files[name] = current
                return

    @contextmanager
    def watching(self, seconds: float = 1.0) -> Iterator[CatalogStore]:
        """Look for changes every so many *seconds* in a thread, which ends with the block.

        Raises:
            RequestError: *seconds* is no positive number.
        """
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds > 0:
            raise RequestError(f"must be a positive number, not {seconds!r:.40}", field="seconds")
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(seconds):
                self.refresh()

        # Python 3.14 without the global lock starts a thread with the limits of the one that starts it.
        thread = threading.Thread(target=Context().run, args=(watch,), name="olmsolve catalogs", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()


def _files_of(path: Path) -> _Files:
    """Return the files of a catalog as far as a change of them can be seen without reading; () where there is none."""
    try:
        files = files_below(path, ("",)) if path.is_dir() else (path,)
        states = [(str(file), file.stat()) for file in files]
    except OSError:
        # A file that went while the folder was listed: the load says what is wrong, or the next look finds it.
        return ()
    return tuple((name, state.st_mtime_ns, state.st_size, state.st_ino) for name, state in states)
