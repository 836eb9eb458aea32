"""Files, tar archives and compressed streams: bytes in, bytes out, held to limits; nothing of OLM.

* ``plain_files``: open plain files alone, and say why one cannot be read;
* ``compression``: gzip and zstd in pieces, which may not grow beyond measure;
* ``tar``: the records of a tar archive, read from a stream, and its members by their names.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.archives.compression import EXPANSION as EXPANSION
    from olmsolve.catalog.archives.compression import EXPANSION_FREE_BYTES as EXPANSION_FREE_BYTES
    from olmsolve.catalog.archives.compression import GrowthLimit as GrowthLimit
    from olmsolve.catalog.archives.compression import PieceReader as PieceReader
    from olmsolve.catalog.archives.compression import gzip_pieces as gzip_pieces
    from olmsolve.catalog.archives.compression import zstd_pieces as zstd_pieces
    from olmsolve.catalog.archives.plain_files import GZIP_MARK as GZIP_MARK
    from olmsolve.catalog.archives.plain_files import PATH_LENGTH as PATH_LENGTH
    from olmsolve.catalog.archives.plain_files import TOTAL_BYTES as TOTAL_BYTES
    from olmsolve.catalog.archives.plain_files import ZSTD_MARK as ZSTD_MARK
    from olmsolve.catalog.archives.plain_files import is_folder as is_folder
    from olmsolve.catalog.archives.plain_files import is_tar as is_tar
    from olmsolve.catalog.archives.plain_files import open_plain as open_plain
    from olmsolve.catalog.archives.plain_files import reason_of as reason_of
    from olmsolve.catalog.archives.plain_files import refuse_file as refuse_file
    from olmsolve.catalog.archives.plain_files import shown as shown
    from olmsolve.catalog.archives.plain_files import unreadable as unreadable
    from olmsolve.catalog.archives.tar import ARCHIVE_BYTES as ARCHIVE_BYTES
    from olmsolve.catalog.archives.tar import ENTRIES as ENTRIES
    from olmsolve.catalog.archives.tar import ArchiveMembers as ArchiveMembers
    from olmsolve.catalog.archives.tar import ByteStream as ByteStream
    from olmsolve.catalog.archives.tar import EntryKind as EntryKind
    from olmsolve.catalog.archives.tar import KeptNames as KeptNames
    from olmsolve.catalog.archives.tar import MemberStream as MemberStream
    from olmsolve.catalog.archives.tar import TarHeader as TarHeader
    from olmsolve.catalog.archives.tar import checked_path as checked_path
    from olmsolve.catalog.archives.tar import tar_entries as tar_entries
else:
    __getattr__, __dir__ = lazily(__name__)
