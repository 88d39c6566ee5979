"""What a path stands for, and how far the reading has come."""

from __future__ import annotations

import gzip
import io
import os
import sys

import pytest

from tagger import InputError
from tagger.formats.sources import Bytes, Source, default_id_prefix, find, open_source, total_bytes

CONTENT = b"We bake bread.\n" * 20_000


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A working directory with lists in it."""
    monkeypatch.chdir(tmp_path)
    for name in (
        "b.txt",
        "a.csv",
        "old/c.txt",
        "old/more/d.txt",
        ".hidden.txt",
        ".git/e.txt",
        "old/.f.txt",
        "a[1].txt",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


def paths(*wanted: str) -> list[str]:
    return [source.path for source in find(wanted)]


def test_a_file_stands_for_itself_also_twice(tree):
    assert find(["b.txt", "b.txt"]) == [Source("b.txt", "b.txt", True, 5)] * 2


def test_a_directory_stands_for_its_files_sorted_without_hidden_ones(tree):
    assert paths(".") == ["./a.csv", "./a[1].txt", "./b.txt", "./old/c.txt", "./old/more/d.txt"]
    assert paths("old/") == ["old/c.txt", "old/more/d.txt"]
    assert not any(source.named for source in find(["old"]))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.txt", ["a[1].txt", "b.txt"]),
        ("?.*", ["a.csv", "b.txt"]),
        ("[ab].csv", ["a.csv"]),
        ("**/*.txt", ["a[1].txt", "b.txt", "old/c.txt", "old/more/d.txt"]),
        ("old/**", ["old/c.txt", "old/more/d.txt"]),
        ("o*", ["old/c.txt", "old/more/d.txt"]),
        ("*", ["a.csv", "a[1].txt", "b.txt", "old/c.txt", "old/more/d.txt"]),
    ],
)
def test_a_pattern_stands_for_what_it_matches(tree, pattern, expected):
    assert paths(pattern) == expected


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tree):
    assert find(["a[1].txt"]) == [Source("a[1].txt", "a[1].txt", True, 8)]


def test_what_stands_for_no_file_is_refused(tree):
    (tree / "empty").mkdir()
    for path, complaint in {
        "nowhere.txt": "nowhere.txt: no such file",
        "*.pdf": r"\*.pdf: no file has a name like this",
        "empty": "empty: is a directory without files",
        "b.txt/inside": "b.txt/inside: cannot be read",
        "nul\0.txt": "cannot be read",
    }.items():
        with pytest.raises(InputError, match=complaint):
            find([path])


def test_standard_input_is_taken_once(tree):
    assert find(["b.txt", "-"])[1].name == "standard input"
    with pytest.raises(InputError, match="standard input: named twice"):
        find(["-", "b.txt", "-"])


def test_links_are_followed_to_files_and_not_to_directories(tree):
    (tree / "old" / "link.txt").symlink_to(tree / "b.txt")
    (tree / "old" / "again").symlink_to(tree)
    (tree / "old" / "broken.txt").symlink_to(tree / "gone")
    assert paths("old") == ["old/broken.txt", "old/c.txt", "old/link.txt", "old/more/d.txt"]


def test_the_name_of_the_file_is_what_ids_begin_with():
    assert default_id_prefix("some/list.txt") == "list.txt"
    assert default_id_prefix("standard input") == "stdin"


def test_the_total_is_known_unless_a_pipe_is_among_the_files(tree):
    assert total_bytes(find(["a.csv", "old"])) == 5 + 9 + 14
    os.mkfifo("pipe")
    assert total_bytes(find(["a.csv", "pipe"])) is None


def test_bytes_are_counted_as_they_are_read_compressed_ones_as_they_are(tree):
    packed = gzip.compress(os.urandom(400_000))
    (tree / "in.gz").write_bytes(packed)
    progress = Bytes()
    (source,) = find(["in.gz"])
    with open_source(source, progress) as content:
        seen = [progress.read for _ in content.chunks]
    assert seen == sorted(seen)
    assert 0 < seen[0] < len(packed)
    assert progress.read == len(packed)


def test_what_is_left_of_a_file_counts_as_read(tree):
    (tree / "in.txt").write_bytes(CONTENT)
    progress = Bytes(read=1000)
    with open_source(find(["in.txt"])[0], progress):
        assert 1000 < progress.read < 1000 + len(CONTENT)
    assert progress.read == 1000 + len(CONTENT)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("name", ["in.data", "-"])
def test_a_stream_that_can_be_searched_is_there_for_those_that_need_one(tree, monkeypatch, pack, name):
    (tree / "in.data").write_bytes(pack(CONTENT))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(CONTENT))))
    progress = Bytes()
    with open_source(find([name])[0], progress) as content:
        assert content.chunks.head(1000) == CONTENT[:1000]
        with content.seekable() as stream:
            assert stream.read(10) == CONTENT[:10]
            stream.seek(-10, os.SEEK_END)
            assert stream.tell() == len(CONTENT) - 10
            assert stream.read() == CONTENT[-10:]
            stream.seek(0)
            assert stream.read() == CONTENT
    assert progress.read == len(pack(CONTENT))


def test_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    (source,) = find(["-"])
    with pytest.raises(InputError, match="standard input: is closed"), open_source(source, Bytes()):
        pass
