"""The table: readable at any width, and nothing in a record drives the terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata
from dataclasses import replace

import pytest
from abstracts import ASTRONOMY, COOKING, NEUTRAL
from command import environment

from tagger import Record, Tagged, Tags
from tagger.formats.layout import Layout
from tagger.formats.table import TableWriter

AREAS = ("astronomy", "cooking")
COLOUR = re.compile(r"\x1b\[\d*m")


def columns(line: str) -> int:
    """How many columns of a terminal a line takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in line)
    return len(line) + wide - sum(map(bool, map(unicodedata.combining, line)))


def table(monkeypatch, width: int, *results: Tagged, areas: tuple[str, ...] = AREAS) -> list[str]:
    """The lines that results give, without colours, in a terminal of that width."""
    monkeypatch.setenv("COLUMNS", str(width))
    stream = io.StringIO()
    writer = TableWriter(stream, Layout(areas))
    for result in results:
        writer.write(result)
    return stream.getvalue().split("\n")[:-1]


def tagged(id_: str = "p1", text: str = "We bake.", title: str | None = None, **probabilities: float) -> Tagged:
    present = tuple(area for area, value in probabilities.items() if value >= 0.5)
    unsure = tuple(area for area, value in probabilities.items() if 0.4 <= value < 0.6)
    return Tagged(Record(id_, text, title), Tags(present, probabilities, unsure=unsure))


def test_a_line_has_the_id_the_areas_and_the_beginning_of_the_text(monkeypatch):
    header, line = table(monkeypatch, 100, tagged(astronomy=0.02, cooking=0.98))
    assert header.split() == ["id", "areas", "text"]
    assert line.split() == ["p1", "cooking", "0.98", "We", "bake."]


def test_a_title_stands_for_the_text(monkeypatch):
    assert table(monkeypatch, 100, tagged(title="Bread", cooking=0.9))[1].split() == ["p1", "cooking", "0.90", "Bread"]


def test_a_question_mark_follows_an_area_to_look_at_and_brackets_hold_one_that_is_not_tagged(monkeypatch):
    lines = table(monkeypatch, 100, tagged(astronomy=0.45, cooking=0.55))
    assert "(astronomy 0.45?)" in lines[1]
    assert "cooking 0.55?" in "".join(lines)
    assert "(cooking" not in "".join(lines)


def test_an_abstract_without_area_has_a_dash(monkeypatch):
    assert table(monkeypatch, 100, tagged(astronomy=0.1, cooking=0.1))[1].split()[:2] == ["p1", "-"]


def test_a_failed_record_shows_its_error(monkeypatch):
    line = table(monkeypatch, 100, Tagged(Record("p2"), Tags(error="the abstract is empty")))[1]
    assert line.split() == ["p2", "error", "the", "abstract", "is", "empty"]


@pytest.mark.parametrize("width", [50, 60, 80, 100, 137, 200])
def test_no_line_is_wider_than_the_terminal(monkeypatch, width):
    areas = ("astronomy", "the chemistry and the physics of cooking", "art")
    results = [
        tagged("a-very-long-identifier-" * 3, "word " * 99, astronomy=0.9, art=0.5),
        tagged("p", "大模型推理" * 40, **{areas[1]: 0.55, "art": 0.9, "astronomy": 0.9}),
        tagged("推理" * 20, "e\u0301" * 200, **{areas[1]: 0.45}),
        tagged("p", "x" * 500, **dict.fromkeys(areas, 0.5)),
        Tagged(Record("p"), Tags(error="what is wrong with it " * 20)),
    ]
    lines = table(monkeypatch, width, *results, areas=areas)
    assert len(lines) > len(results)
    assert max(map(columns, lines)) <= width


def test_columns_stand_under_each_other(monkeypatch):
    header, *lines = table(monkeypatch, 90, tagged("a", cooking=0.9), tagged("推理", cooking=0.9), tagged("b" * 40))
    for line in lines:
        assert columns(line[: re.search(r"cooking|-(?= )", line).start()]) == header.index("areas")


def test_an_exclamation_mark_says_why_not_to_trust_the_tags(monkeypatch):
    doubtful = replace(tagged(cooking=0.98), tags=Tags(("cooking",), {"cooking": 0.98}, marks=("too short",)))
    assert table(monkeypatch, 100, doubtful)[1].split()[:5] == ["p1", "cooking", "0.98", "!too", "short"]


def test_without_tags_there_are_no_areas(monkeypatch):
    lines = table(monkeypatch, 60, Tagged(Record("p1", "We bake."), Tags()), FAILED, areas=())
    assert [line.split() for line in lines] == [["id", "text"], ["p1", "We", "bake."], ["p2", "not", "JSON"]]


FAILED = Tagged(Record("p2", error="not JSON"), Tags(error="not JSON"))
HOSTILE = "\x1b[31mred\x1b]0;title\x07\r\n\x9b1mx\u202ey\x00\u2028z"


def test_nothing_in_a_record_drives_the_terminal(monkeypatch):
    results = [
        tagged(HOSTILE, HOSTILE, HOSTILE, cooking=0.9),
        Tagged(Record(HOSTILE), Tags(error=f"no field 'abstract' among {HOSTILE}")),
    ]
    lines = table(monkeypatch, 120, *results)
    assert len(lines) == 3
    assert all(unicodedata.category(character) not in ("Cc", "Cf", "Zl") for line in lines for character in line)


def shown(arguments: list[str], width: int, **variables: str) -> str:
    """What a terminal of that width gets from the command."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "tagger.cli", *arguments],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment(**variables),
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end has gone
            chunk = b""
        if not chunk:
            break
        received += chunk
    os.close(ours)
    _, complaints = process.communicate(timeout=60)
    assert complaints == b""
    return received.decode()


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_terminal_gets_a_coloured_table_of_its_own_width(tmp_path, model_directory, width):
    (tmp_path / "list.txt").write_text("\n\n".join(" ".join(about) for about in (ASTRONOMY, COOKING, NEUTRAL)))
    output = shown(["tag", "--model", str(model_directory), str(tmp_path / "list.txt")], width)
    lines = COLOUR.sub("", output).split("\r\n")[:-1]
    assert lines[0].split() == ["id", "areas", "text"]
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == [f"list.txt:{k}" for k in (1, 2, 3)]
    assert width - 15 <= max(map(columns, lines)) <= width
    assert COLOUR.search(output)
    assert "{" not in output


def test_no_colour_where_the_user_wants_none(tmp_path, model_directory):
    (tmp_path / "list.txt").write_text(" ".join(ASTRONOMY))
    arguments = ["tag", "--model", str(model_directory), str(tmp_path / "list.txt")]
    assert "\x1b" not in shown(arguments, 80, NO_COLOR="1")
