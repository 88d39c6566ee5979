"""Compressed files: known by their content, in any number of members, and read up to where they are damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zlib

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tagger import InputError, formats
from tagger.errors import MissingExtraError
from tagger.formats.chunks import Chunks, DamagedError
from tagger.formats.compression import decompressed

zstandard = pytest.importorskip("zstandard")

COMPRESS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=1),
    "Zstandard": zstandard.compress,
}
CONTENT = bytes(range(256)) * 40 + b"We bake bread. " * 5000
SOME = [b"We bake.\n", b"", b"We look.\n" * 100, CONTENT]


def in_chunks(data: bytes, size: int = 1000) -> Chunks:
    return Chunks(data[start : start + size] for start in range(0, len(data), size))


def read(data: bytes, size: int = 1000) -> bytes:
    return b"".join(decompressed(in_chunks(data, size)))


def up_to_damage(data: bytes) -> tuple[bytes, DamagedError | None]:
    found = []
    try:
        for chunk in decompressed(in_chunks(data)):
            found.append(chunk)
    except DamagedError as error:
        return b"".join(found), error
    return b"".join(found), None


@pytest.mark.parametrize("codec", COMPRESS)
@pytest.mark.parametrize("size", [1, 7, 10, 1000, 10**6])
def test_what_was_compressed_is_read_whatever_the_chunks(codec, size):
    content = CONTENT[:30_000] if size < 10 else CONTENT
    assert read(COMPRESS[codec](content), size) == content


@pytest.mark.parametrize("codec", COMPRESS)
def test_members_one_after_another_are_one_file(codec):
    assert read(b"".join(map(COMPRESS[codec], SOME))) == b"".join(SOME)


@pytest.mark.parametrize("codec", COMPRESS)
def test_zeros_after_the_last_member_are_no_matter(codec):
    assert read(COMPRESS[codec](CONTENT) + b"\0" * 5000) == CONTENT


def test_zstandard_of_several_kinds_is_read():
    skipped = b"\x50\x2a\x4d\x18\x05\0\0\0hello"
    of_a_stream = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    streamed = of_a_stream.compress(CONTENT) + of_a_stream.flush()
    assert read(skipped + zstandard.compress(CONTENT) + skipped + streamed) == 2 * CONTENT


@pytest.mark.parametrize(
    "data", [b"", b"We bake.", b"BZh is no beginning of anything.", b"\x1f\x8b", b"(\xb5/", b"\0" * 20]
)
def test_what_is_not_compressed_stays_as_it_is(data):
    assert read(data) == data


@pytest.mark.parametrize("codec", COMPRESS)
@pytest.mark.parametrize("kept", [0.99, 0.5])
def test_a_file_that_ends_too_early_is_read_up_to_there(codec, kept):
    content = b"".join(b"%d We bake bread number %d.\n" % (k, k * k) for k in range(40_000))
    packed = COMPRESS[codec](content)
    found, error = up_to_damage(packed[: int(kept * len(packed))])
    assert error is not None
    assert codec in str(error)
    assert "early" in str(error)
    assert content.startswith(found)
    assert len(found) > (kept - 0.3) * len(content) or codec in ("bzip2", "xz")  # which work on large blocks


@pytest.mark.parametrize("codec", COMPRESS)
def test_other_bytes_after_a_member_are_a_damage_after_it(codec):
    found, error = up_to_damage(COMPRESS[codec](CONTENT) + b"and something else")
    assert found == CONTENT
    assert codec in str(error)


def test_a_damage_costs_little_of_what_is_before_it():
    content = b"".join(b"%d We bake bread number %d.\n" % (k, k * k) for k in range(100_000))
    packed = bytearray(gzip.compress(content))
    middle = len(packed) // 2
    packed[middle : middle + 400] = bytes(400)
    found, error = up_to_damage(bytes(packed))
    assert "damaged" in str(error)
    alike = next((k for k, (a, b) in enumerate(zip(found, content)) if a != b), len(found))
    assert alike > 0.4 * len(content)


@given(st.sampled_from(sorted(COMPRESS)), st.lists(st.binary(max_size=50), min_size=1, max_size=4), st.integers(1, 30))
def test_compression_is_transparent(codec, parts, size):
    assert read(b"".join(map(COMPRESS[codec], parts)), size) == b"".join(parts)


def test_a_file_that_expands_a_thousandfold_is_expanded_bit_by_bit():
    packed = zlib.compressobj(wbits=31)
    data = packed.compress(bytes(100_000_000)) + packed.flush()
    largest = max(map(len, decompressed(in_chunks(data, 4096))))
    assert largest < 10_000_000


def test_without_the_library_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    (tmp_path / "in.txt.zst").write_bytes(zstandard.compress(b"We bake."))
    with pytest.raises(MissingExtraError, match=r"zstandard.*pip install 'area-tagger\[formats\]'"):
        formats.read_records(tmp_path / "in.txt.zst")


def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path):
    (tmp_path / "in.txt.gz").write_bytes(b"\x1f\x8b\x08....")
    with pytest.raises(InputError, match=r"in.txt.gz: the gzip-compressed data are damaged"):
        formats.read_records(tmp_path / "in.txt.gz")
