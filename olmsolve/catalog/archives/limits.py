"""Limits on files and archives: above any real catalog, below what harms a process."""

from __future__ import annotations

from typing import Final

TOTAL_BYTES: Final = 4 << 30
"""All bytes of one catalog, or of one image's layers, after decompression."""

ARCHIVE_BYTES: Final = 512 << 20
"""Catalog files of one tar archive or image, which are in memory until all of its entries are known."""

EXPANSION: Final = 200
"""Times that compressed data may grow. Catalogs grow 10 to 40 times; gzip's most is about 1,030."""

EXPANSION_FREE_BYTES: Final = 4 << 20
"""Decompressed bytes up to which growth is not judged: little text can compress to almost nothing."""

PATH_LENGTH: Final = 4096
"""Bytes of a path inside an archive, as file systems have it."""

PATH_DEPTH: Final = 256
"""Levels of folders in a path inside an archive. The deepest of real images have about 30."""

NAME_BYTES: Final = 64 << 20
"""Bytes in memory of the paths of one archive that are kept. A catalog of 10,000 files takes about 4 MB."""

HEADER_BYTES: Final = 64 << 10
"""Bytes of one extended header, which holds long names and the attributes of a file."""

ENTRIES: Final = 1 << 20
"""Entries of one archive. Images of whole distributions have about 100,000."""

EMPTY_MEMBERS: Final = 100_000
"""Members of gzip data, or frames of zstd data, without a byte in them. Programs write one at the end of a file."""
