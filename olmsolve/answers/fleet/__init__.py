"""A fleet: the workers of any executor, to which large values travel once and small chunks of work many times.

Read ``workers`` (what happens on a worker) before ``running`` (who sends what to whom). ``content`` packs catalogs for
the trip and gives them a key.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.fleet.content import content_key as content_key
    from olmsolve.answers.fleet.content import light as light
    from olmsolve.answers.fleet.content import packed as packed
    from olmsolve.answers.fleet.content import unpacked as unpacked
    from olmsolve.answers.fleet.running import Cargo as Cargo
    from olmsolve.answers.fleet.running import Chunk as Chunk
    from olmsolve.answers.fleet.running import ChunkResult as ChunkResult
    from olmsolve.answers.fleet.running import Fleet as Fleet
    from olmsolve.answers.fleet.running import Work as Work
    from olmsolve.answers.fleet.running import at_hand as at_hand
    from olmsolve.answers.fleet.running import work_chunk as work_chunk
else:
    __getattr__, __dir__ = lazily(__name__)
