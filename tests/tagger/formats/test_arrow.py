"""Parquet and Arrow: a record a row, whatever the columns hold, and one line for what is damaged."""

from __future__ import annotations

import datetime
import decimal
import io
import os
import sys
import tracemalloc

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from tagger import InputError, MissingExtraError, Record
from tagger.formats import arrow
from tagger.formats.fields import Fields

ROWS = 5000
ABSTRACTS = [f"We bake bread number {number}." for number in range(ROWS)]
PLAIN = {"id": [f"p{number}" for number in range(ROWS)], "title": ["Bread"] * ROWS, "abstract": ABSTRACTS}


def as_parquet(table: pa.Table, rows_of_group: int = 700) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(table, stream, row_group_size=rows_of_group)
    return stream.getvalue()


def as_arrow_file(table: pa.Table, rows_of_batch: int = 700) -> bytes:
    stream = io.BytesIO()
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows_of_batch)
    return stream.getvalue()


def as_arrow_stream(table: pa.Table, rows_of_batch: int = 700) -> bytes:
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows_of_batch)
    return stream.getvalue()


def as_feather(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    feather.write_feather(table, stream, compression="lz4")
    return stream.getvalue()


KINDS = {
    "Parquet": (as_parquet, arrow.read_parquet),
    "Arrow file": (as_arrow_file, arrow.read_arrow),
    "Arrow stream": (as_arrow_stream, arrow.read_arrow),
    "Feather": (as_feather, arrow.read_arrow),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


class Pipe(io.BytesIO):
    """Bytes that can be read once."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError("cannot seek")


def read_bytes(kind: str, data: bytes, **fields: str) -> list[Record]:
    return list(KINDS[kind][1](io.BytesIO(data), "dir/in.file", Fields(**fields)))


def read(kind: str, columns: dict | pa.Table, **fields: str) -> list[Record]:
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    return read_bytes(kind, KINDS[kind][0](table), **fields)


def field(column: pa.Array, kind: str = "Arrow stream") -> list:
    records = read(kind, {"abstract": ["a"] * len(column), "x": column})
    return [record.fields["x"] for record in records]


@every_kind
def test_each_row_is_a_record_in_order_with_its_fields(kind):
    records = read(kind, PLAIN | {"year": list(range(ROWS))})
    assert len(records) == ROWS
    assert [record.id for record in records] == PLAIN["id"]
    assert [record.abstract for record in records] == ABSTRACTS
    assert [record.fields["year"] for record in records] == list(range(ROWS))
    third = records[2]
    assert (third.title, third.error, third.source, third.position) == ("Bread", None, "dir/in.file", "row 3")
    assert list(third.fields) == ["id", "title", "abstract", "year"]


@every_kind
def test_a_pipe_is_read(kind):
    write, reader = KINDS[kind]
    records = list(reader(Pipe(write(pa.table(PLAIN))), "standard input", Fields()))
    assert [record.abstract for record in records] == ABSTRACTS
    (record,) = reader(Pipe(write(pa.table({"abstract": ["a"]}))), "standard input", Fields())
    assert record.id == "stdin:1"


def test_an_arrow_stream_is_read_while_it_is_written():
    table = pa.table(PLAIN)
    reading, writing = os.pipe()
    with open(reading, "rb") as readable, open(writing, "wb") as writable:
        writer = pa.ipc.new_stream(writable, table.schema)
        writer.write_batch(table.slice(0, 2).to_batches()[0])
        writable.flush()
        records = arrow.read_arrow(readable, "standard input", Fields())
        assert [next(records).id, next(records).id] == ["p0", "p1"]
        writer.write_batch(table.slice(2, 1).to_batches()[0])
        writer.close()
        writable.close()
        assert [record.id for record in records] == ["p2"]


@every_kind
def test_a_missing_abstract_is_an_error_of_its_row_alone(kind):
    records = read(kind, {"id": ["a", "b", "c"], "title": ["T"] * 3, "abstract": ["We bake.", None, ""]})
    assert [(record.id, record.title, record.abstract) for record in records] == [
        ("a", "T", "We bake."),
        ("b", "T", ""),
        ("c", "T", ""),
    ]
    assert [record.error is None for record in records] == [True, False, True]
    assert "null" in records[1].error


@every_kind
@pytest.mark.parametrize(
    "type_", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())]
)
def test_an_abstract_may_be_of_any_type_of_text(kind, type_):
    column = pa.array([b"We bake \xc3\xa0 la carte." if "binary" in str(type_) else "We bake à la carte."] * 3 + [None])
    records = read(kind, {"abstract": column.cast(type_)})
    assert [record.abstract for record in records] == ["We bake à la carte."] * 3 + [""]
    assert [record.error is None for record in records] == [True, True, True, False]


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="this pyarrow has no string views")
def test_an_abstract_may_be_a_string_view():
    views = pa.array(["We bake.", None, "We bake bread for a very long time."], pa.string_view())
    records = read("Arrow stream", {"abstract": views})
    assert [record.abstract for record in records] == ["We bake.", "", "We bake bread for a very long time."]


def test_an_abstract_may_be_encoded_by_runs():
    from pyarrow import compute

    column = compute.run_end_encode(pa.array(["We bake.", "We bake.", "We look."]))
    assert [record.abstract for record in read("Arrow stream", {"abstract": column})] == ["We bake."] * 2 + ["We look."]


@every_kind
def test_ids_may_be_numbers(kind):
    assert [record.id for record in read(kind, {"id": [7, 8], "abstract": ["a", "b"]})] == ["7", "8"]
    # pandas makes whole numbers floats where one is missing
    records = read(kind, {"id": [7.0, None, 8.5], "abstract": ["a", "b", "c"]})
    assert [record.id for record in records] == ["7", "in.file:2", "in.file:3"]


def test_usual_and_named_columns_are_found():
    columns = {"Paper Title": ["Bread"], "Summary": ["We bake."], "arXiv ID": ["2505.01234"], "notes": ["None."]}
    (record,) = read("Parquet", columns)
    assert (record.id, record.title, record.abstract) == ("2505.01234", "Bread", "We bake.")
    (record,) = read("Parquet", columns, abstract="notes", id="Summary", title="arXiv ID")
    assert (record.id, record.title, record.abstract) == ("We bake.", "2505.01234", "None.")


def test_a_column_that_is_no_text_is_passed_over_for_one_that_is():
    columns = {"abstract": [["we", "bake"]], "text": ["We bake."]}
    assert read("Parquet", columns)[0].abstract == "We bake."


@every_kind
@pytest.mark.parametrize(
    ("columns", "named", "complaint"),
    [
        ({"number": [1], "colour": ["red"]}, {}, "no text column among number, colour; .*--text-field"),
        ({"abstract": ["a"]}, {"abstract": "body"}, "no column 'body' among abstract; .*--text-field"),
        ({"abstract": [1.5]}, {}, "column 'abstract' holds double, not text; .*--text-field"),
        ({"x": [["a"]], "abstract": ["a"]}, {"abstract": "x"}, "column 'x' holds list.*, not text"),
    ],
)
def test_a_file_without_a_column_of_text_is_refused(kind, columns, named, complaint):
    with pytest.raises(InputError, match=rf"^dir/in\.file: {complaint}"):
        read(kind, columns, **named)


def test_a_column_of_abstracts_that_are_all_missing_gives_an_error_a_row():
    records = read("Parquet", {"abstract": pa.nulls(3), "id": [1, 2, 3]})
    assert [(record.id, bool(record.error)) for record in records] == [("1", True), ("2", True), ("3", True)]


def test_columns_of_the_same_name_are_all_kept():
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array([1]), pa.array([2])], ["abstract", "x", "x"])
    assert read("Arrow file", table)[0].fields == {"abstract": "a", "x": 1, "x_": 2}


MOMENT = datetime.datetime(2025, 5, 6, 7, 8, 9, 123456)


@every_kind
@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([["A. Baker", "B. Cook"], [], None]), [["A. Baker", "B. Cook"], [], None]),
        (pa.array([{"a": 1, "b": ["x"]}, None]), [{"a": 1, "b": ["x"]}, None]),
        (pa.array([1, None], pa.int8()), [1, None]),
        (pa.array([2**63], pa.uint64()), [2**63]),
        (pa.array([0.5, None]), [0.5, None]),
        (pa.array([0.5, None], pa.float32()), [0.5, None]),
        (pa.array([True, None]), [True, None]),
        (pa.array([datetime.date(2025, 5, 6), None]), ["2025-05-06", None]),
        (pa.array([MOMENT], pa.timestamp("us")), ["2025-05-06T07:08:09.123456"]),
        (pa.array([MOMENT], pa.timestamp("us", "UTC")), ["2025-05-06T07:08:09.123456+00:00"]),
        (pa.array([1_700_000_000_123_456_789], pa.timestamp("ns")), ["2023-11-14T22:13:20.123456"]),
        (pa.array([3_723_000_000_001], pa.time64("ns")), ["01:02:03"]),
        (pa.array([decimal.Decimal("12.50")]), ["12.50"]),
        (pa.array([b"caf\xc3\xa9", b"\xff"]), ["café", "\ufffd"]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), [[["k", 1]]]),
        (pa.nulls(2), [None, None]),
    ],
)
def test_fields_are_values_that_json_can_hold(kind, column, values):
    assert field(column, kind) == values


def test_what_python_has_no_value_for_is_text():
    assert field(pa.array([400_000_000], pa.date32()), "Arrow stream")[0] is not None
    assert field(pa.array([3_723_000_000_001], pa.duration("ns"))) == ["1:02:03"]


def test_text_that_is_not_utf8_does_not_stop_the_reading():
    good, bad = b"We bake.", b"We b\xe4ke."
    texts = pa.array([good, bad], pa.binary())
    invalid = pa.Array.from_buffers(pa.string(), 2, texts.buffers())
    nested = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), invalid)
    table = pa.table({"abstract": invalid, "x": nested, "y": invalid.dictionary_encode()})
    for kind in KINDS:
        assert [record.abstract for record in read(kind, table)] == ["We bake.", "We b\ufffdke."]
        assert [record.fields["x"] for record in read(kind, table)] == [["We bake."], ["We b\ufffdke."]]
        assert [record.fields["y"] for record in read(kind, table)] == ["We bake.", "We b\ufffdke."]


@every_kind
def test_a_file_without_rows_gives_no_records(kind):
    assert read(kind, pa.table({"abstract": pa.array([], pa.string())})) == []


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" * 20, b"no Parquet at all", b"ARROW1\0\0" * 9, b"\xff" * 40])
@pytest.mark.parametrize("kind", ["Parquet", "Arrow file"])
def test_what_is_not_such_a_file_is_refused_in_one_line(kind, data):
    with pytest.raises(InputError, match=r"^dir/in\.file: is not an? [^\n]*that can be read \([^\n]+\); get it again$"):
        read_bytes(kind, data)


def test_feather_of_version_1_is_refused():
    with pytest.raises(InputError, match="Feather of version 1"):
        read_bytes("Feather", b"FEA1....")


def test_a_parquet_file_that_was_cut_is_refused():
    data = as_parquet(pa.table(PLAIN))
    with pytest.raises(InputError, match="is not a Parquet file that can be read"):
        read_bytes("Parquet", data[: len(data) // 2])


@pytest.mark.parametrize("kind", ["Arrow file", "Arrow stream"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_of_arrow_that_was_cut_the_batches_before_are_read(kind, share):
    data = KINDS[kind][0](pa.table(PLAIN))
    *before, last = read_bytes(kind, data[: int(share * len(data))])
    assert before
    assert [record.id for record in before] == PLAIN["id"][: len(before)]
    assert last.error.startswith(f"the file is damaged from row {len(before) + 1} on (")
    assert (last.id, last.position) == (f"in.file:{len(before) + 1}", f"row {len(before) + 1}")


def test_an_arrow_stream_may_end_without_the_mark_of_its_end():
    assert len(read_bytes("Arrow stream", as_arrow_stream(pa.table(PLAIN))[:-8])) == ROWS


def test_a_parquet_file_that_is_damaged_further_on_is_read_up_to_there():
    data = bytearray(as_parquet(pa.table(PLAIN)))
    metadata = parquet.ParquetFile(io.BytesIO(bytes(data))).metadata
    column = metadata.row_group(4).column(2)
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 40] = b"\xff" * 40
    *before, last = read_bytes("Parquet", bytes(data))
    assert [record.abstract for record in before] == ABSTRACTS[: 4 * 700]
    assert last.error.startswith("the file is damaged from row 2801 on (")
    assert "\n" not in last.error


def test_offsets_that_point_outside_of_the_data_are_damage_and_no_crash():
    table = pa.table({"abstract": ["We bake."] * 100})
    data = as_arrow_stream(table)
    offsets = table.column(0).chunk(0).buffers()[1].to_pybytes()
    broken = offsets[:200] + b"\x7f\xff\xff\x7f" + offsets[204:]
    assert data.count(offsets) == 1
    (record,) = read_bytes("Arrow stream", data.replace(offsets, broken))
    assert "damaged from row 1 on" in record.error


def peak_memory(reader, data: bytes) -> int:
    """Bytes of Python's memory that reading takes at most."""
    tracemalloc.start()
    for _ in reader(io.BytesIO(data), "in", Fields()):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@every_kind
def test_memory_does_not_grow_with_the_number_of_rows(kind):
    write, reader = KINDS[kind]
    few, many = (write(pa.table({"abstract": ["We bake bread in the morning. " * 20] * rows})) for rows in (3000, 9000))
    peak_memory(reader, few)
    assert peak_memory(reader, many) < 1.5 * peak_memory(reader, few)


def test_memory_does_not_grow_with_the_size_of_a_row_group():
    def one_group(rows: int) -> bytes:
        stream = io.BytesIO()
        table = pa.table({"abstract": ["We bake bread in the morning. " * 30] * rows})
        parquet.write_table(table, stream, row_group_size=rows, use_dictionary=False, compression="none")
        return stream.getvalue()

    few, many = one_group(3000), one_group(12_000)
    peak_memory(arrow.read_parquet, few)
    assert peak_memory(arrow.read_parquet, many) < 1.5 * peak_memory(arrow.read_parquet, few)


@pytest.mark.parametrize("read", [arrow.read_parquet, arrow.read_arrow])
def test_without_pyarrow_one_line_says_what_to_install(monkeypatch, read):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"needs pyarrow, .*pip install 'area-tagger\[formats\]'$"):
        next(read(io.BytesIO(), "in", Fields()))
