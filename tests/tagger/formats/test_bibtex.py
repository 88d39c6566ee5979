"""Reading BibTeX: a record for every entry, whatever its style and whatever is wrong with it."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tracemalloc

import pytest
from bibliographies import DIRECTORY, bibtex_garbage, joined, text_of
from bibliographies import read as read_format
from command import environment
from hypothesis import given
from hypothesis import strategies as st

from tagger import MissingExtraError, Record
from tagger.formats import bibtex
from tagger.formats.bibtex_syntax import MOST_MACROS
from tagger.formats.fields import Fields

FILES = sorted(path.name for path in DIRECTORY.glob("*.bib"))


def read(text: str, **fields: str) -> list[Record]:
    return read_format("bibtex", text, "papers/list.bib", **fields)


@pytest.mark.parametrize("name", FILES)
def test_the_texts_of_the_entries_are_the_file(name):
    assert joined(read(text_of(name))) == text_of(name)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_a_known_producer_has_a_record_for_each_entry_in_order(name):
    keys = re.findall(r"^@(?!string|comment)\w+\{([^,\s]+),", text_of(name), re.MULTILINE | re.IGNORECASE)
    records = read(text_of(name))
    assert [record.id for record in records] == keys
    errors = {record.error for record in records if record.error}
    assert errors <= {"the entry has no abstract; add one, or name the field that holds it with --text-field"}
    assert all(bool(record.abstract) != bool(record.error) and record.title for record in records)


@pytest.mark.parametrize(
    ("name", "number", "title", "abstract"),
    [
        (
            "zotero.bib",
            0,
            "Warm ovens, cold dough: Learning to bake with {few loaves",
            "We bake 30% faster than Gödel's oven <i>in silico</i>, at a cost of $5 a loaf. "
            "The dough & the crust stay as they were ~always.",
        ),
        ("scholar.bib", 1, "Slow fermentation of $k$-means clusters", "Clusters rise slowly."),
        ("dblp.bib", 0, "Proofs that Rise: A Calculus of Sourdough", "Every dough that rests long enough is proved."),
        (
            "arxiv.bib",
            0,
            "Bread Rises in Infinite-Dimensional Ovens",
            r"We show that bread of dimension $d \to \infty$ rises at rate $\mathcal{O}(1/\sqrt{t})$, "
            "and that no oven does better.",
        ),
        (
            "acl.bib",
            0,
            "Crumbs of BERT: What “Bread” Models Know",
            "What do models of bread know? We probe “crumbs” in 12 languages – including Icelandic — "
            "and find 95% of the flour.",
        ),
        ("jabref.bib", 0, "A theory of flour", "We prove that flour falls. It also rises."),
        (
            "mendeley.bib",
            0,
            "Burning questions",
            r"50% of loaves & cakes burn at 200$\backslash$,C. © 2019 The Bakers.",
        ),
        ("biblatex.bib", 0, "Streams of Dough", "Dough that streams."),
    ],
)
def test_titles_and_abstracts_are_as_people_read_them(name, number, title, abstract):
    record = read(text_of(name))[number]
    assert (record.title, record.abstract) == (title, abstract)


def test_macros_that_double_and_double_fill_no_memory():
    """Sixty lines would stand for more characters than all memories hold."""
    doubling = '@string{a = "laughing "}\n' + "@string{a = a # a}\n" * 60
    broken, sound = read(doubling + "@misc{k, note = a # a, abstract = {We look.}}\n@misc{l, abstract = {We look.}}")
    assert broken.error == "not BibTeX (its macros stand for 18,432 characters, more than 10,000)"
    assert (sound.abstract, sound.error) == ("We look.", None)


def test_no_more_macros_are_kept_than_a_list_of_papers_has():
    many = "".join(f"@string{{m{k} = {{{k}}}}}\n" for k in range(MOST_MACROS + 5))
    (record,) = read(many + f"@misc{{k, first = m0, last = m{MOST_MACROS + 4}, abstract = {{We look.}}}}")
    assert (record.fields["first"], record.fields["last"]) == ("0", f"m{MOST_MACROS + 4}")


def test_fields_are_as_written_with_macros_and_joined_parts_resolved():
    text = """@String(oven = {Oven } # "and Kitchen")
    @string{both = oven # { Journal}}
    @ARTICLE{ k1 ,
      Title = "The {O}ven", JOURNAL = BOTH # ", special issue",
      month = mar # "~3", year = 2024, number = unknown,
      abstract = {G{\\"o}del {bakes}.},
    }"""
    (record,) = read(text)
    assert record.fields == {
        "ENTRYTYPE": "article",
        "ID": "k1",
        "title": "The {O}ven",
        "journal": "Oven and Kitchen Journal, special issue",
        "month": "March~3",
        "year": "2024",
        "number": "unknown",
        "abstract": 'G{\\"o}del {bakes}.',
    }
    assert (record.source, record.position) == ("papers/list.bib", "line 3")
    assert record.abstract == "Gödel bakes."


@pytest.mark.parametrize(
    "entry",
    [
        "@misc{k, abstract = {We bake.}}",
        '@misc{k, abstract = "We bake."}',
        '@misc(k, abstract = "We bake.")',
        "@misc(k, abstract = {We bake.},)",
        "@misc { k,\n\tabstract\n=\n{We bake.}\n,\n}",
        "@misc{k,abstract={We {bake}.}}",
        '@misc(k, note = "a ) in quotes", abstract = {We bake.})',
        '@misc{k, note = {a "}, abstract = {We bake.}}',
        '@misc{k, note = "a {"} b", abstract = {We bake.}}',
        "@misc{k, note = {a \\{ b}, abstract = {We bake.}}",
        "@misc{k, note = {a \\\\}, abstract = {We bake.}}",
        "@misc{k, note = {x@y.org and @misc{z} in a line}, abstract = {We bake.}}",
        "@misc{k, note = 12 # {x} # jan, abstract = {We} # { bake.}}",
        "@misc{k,\n  % a remark\n  abstract = {We bake.}}",
        "@misc{k, % note = {none},\n  abstract = {We bake.}}",
        "@misc{k, abstract = {We bake.}, note = {a}, note = {b}}",
        "@misc{k, abstract = {We bake.}, Abstract = {We bake.}}",
        "\ufeff@misc{k, abstract = {We bake.}}",
        "some text} @misc{k, abstract = {We bake.}} more",
        "bakers@oven (2020) is not an entry\n@misc{k, abstract = {We bake.}}",
        "@comment{ @misc{x, abstract = {no}} }\n@misc{k, abstract = {We bake.}}",
        "@preamble{ {\\newcommand{\\x}{y}} }@misc{k, abstract = {We bake.}}",
        "@string{broken = }@misc{k, abstract = {We bake.}}",
    ],
)
def test_any_style_of_an_entry_is_read(entry):
    (record,) = read(entry)
    assert (record.id, record.abstract, record.error) == ("k", "We bake.", None)


GOOD = "@misc{good, abstract = {We bake.}}"


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ("@misc{bad, abstract = {We bake.}", "not closed before line 4, where another entry begins"),
        ("@misc{bad, abstract = {We bake.\n", "not closed before line 5, where another entry begins"),
        ('@misc{bad, abstract = "We bake.}', "a brace or a quotation mark is missing"),
        ("@misc(bad, abstract = {We bake.}}", "not closed before line 4"),
        ("@misc{bad, title = {Bread} abstract = {We bake.}}", "expected a comma before 'abstract = {We bake.}'"),
        ("@misc{bad, title = {Bread}\n abstract = {We bake.}}", "expected a comma before"),
        ("@misc{bad, title = {Bread}}, abstract = {We bake.}}", "closed too early, before 'abstract = {We bake.}}"),
        ("@misc{bad, title {Bread}, abstract = {We bake.}}", "expected a `=`"),
        ("@misc{bad, title = , abstract = {We bake.}}", "expected `name = value`"),
        ("@misc{bad, the title = {Bread}, abstract = {We bake.}}", "expected `name = value`, found 'the title"),
        ("@misc{bad, title = {a} # , abstract = {We bake.}}", "expected a value"),
        ("@misc{bad, abstract = {We bake.}, abstract = {We look.}}", "occurs twice with different texts"),
        ("@misc{bad, title = {Bread}}", "has no abstract"),
        ("@misc{bad,}", "has no abstract"),
    ],
)
def test_a_broken_entry_is_an_error_in_its_place_and_the_next_is_found(broken, complaint):
    first, bad, last = read(f"{GOOD}\n\n{broken}\n{GOOD}\n")
    assert (first.abstract, first.error, last.abstract, last.error) == ("We bake.", None, "We bake.", None)
    assert bad.id == "bad"
    assert bad.position == "line 3"
    assert complaint in bad.error
    assert "\n" not in bad.error
    assert len(bad.error) < 300


@pytest.mark.parametrize("entry", ["@misc{}", "@misc{,abstract={a}}", "@misc{abstract = {We bake.}}", "@misc{"])
def test_an_entry_without_key_is_named_after_file_and_number(entry):
    _, record = read(f"{GOOD}\n{entry}")
    assert record.id == "list.bib:2"


def test_named_fields_are_used_in_any_case():
    text = "@misc{k, doi = {10.1/x}, Review = {We bake.}, shorttitle = {Bread}, abstract = {no}}"
    (record,) = read(text, abstract="Review", id="doi", title="shorttitle")
    assert (record.id, record.title, record.abstract) == ("10.1/x", "Bread", "We bake.")
    (record,) = read(text, abstract="summary")
    assert "summary" in record.error


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_end_is_read_and_lines_are_counted(line_end):
    text = f"\n{GOOD}\n\n@misc{{open,\n{GOOD}\n".replace("\n", line_end)
    records = read(text)
    assert [record.position for record in records] == ["line 2", "line 4", "line 5"]
    assert joined(records) == text


@given(bibtex_garbage)
def test_any_text_is_read_and_none_of_it_is_lost(text):
    records = read(text)
    assert not records or joined(records) == text
    assert all(record.error is None or "\n" not in record.error for record in records)


no_entries = st.text(st.characters(exclude_characters="@", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(no_entries, st.booleans()), max_size=6))
def test_text_between_entries_changes_nothing(parts):
    text = "".join(f"{between}\n{GOOD if good else '@misc{bad, abstract = {'}\n" for between, good in parts)
    # An entry that is not closed takes what follows it up to the next.
    assert [record.id for record in read(text)] == ["good" if good else "bad" for _, good in parts]


def test_memory_does_not_grow_with_the_file():
    class Lines(io.StringIO):
        def __iter__(self):
            return (
                line for k in range(300) for line in (f"@misc{{k{k},\n", f" abstract = {{{'We bake. ' * 500}}}\n}}\n")
            )

    tracemalloc.start()
    count = sum(1 for _ in bibtex.read(Lines(), "list.bib", Fields()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert peak < 400_000


def test_nothing_is_logged_to_a_terminal(tmp_path):
    (tmp_path / "list.bib").write_text("@misc{a, x = {1}, x = {2}, abstract = {b}}\n@misc{a, y z}\n@misc{a,\n")
    code = (
        "import sys; from tagger.formats import bibtex; from tagger.formats.fields import Fields\n"
        "print(len(list(bibtex.read(open(sys.argv[1], newline=''), 'list.bib', Fields()))))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "list.bib")]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("3", "")


def test_without_bibtexparser_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bibtexparser.entrypoint", None)
    with pytest.raises(MissingExtraError, match=r"bibtexparser.*pip install 'area-tagger\[formats\]'$"):
        read(GOOD)
