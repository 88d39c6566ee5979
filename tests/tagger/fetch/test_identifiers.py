"""Everything that people write for an arXiv paper is understood, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagger.errors import InputError
from tagger.fetch.identifiers import Paper, parse_paper, set_of_category


@pytest.mark.parametrize(
    ("text", "paper"),
    [
        ("2505.01234", Paper("2505.01234")),
        (" 2505.01234v2\n", Paper("2505.01234", 2)),
        ("0704.0001", Paper("0704.0001")),
        ("arXiv:2505.01234v3 [cs.LG]", Paper("2505.01234", 3)),
        ("ARXIV: 2505.01234", Paper("2505.01234")),
        ("https://arxiv.org/abs/2505.01234", Paper("2505.01234")),
        ("http://www.arxiv.org/abs/2505.01234v1", Paper("2505.01234", 1)),
        ("https://arxiv.org/pdf/2505.01234", Paper("2505.01234")),
        ("https://arxiv.org/pdf/2505.01234v2.pdf", Paper("2505.01234", 2)),
        ("https://export.arxiv.org/abs/2505.01234?context=cs.LG", Paper("2505.01234")),
        ("https://arxiv.org/html/2505.01234v1#S3", Paper("2505.01234", 1)),
        ("https://doi.org/10.48550/arXiv.2505.01234", Paper("2505.01234")),
        ("doi:10.48550/arXiv.2505.01234", Paper("2505.01234")),
        ("cs/0112017", Paper("cs/0112017")),
        ("cs.CL/0112017v1", Paper("cs/0112017", 1)),
        ("https://arxiv.org/abs/math.GT/0309136", Paper("math/0309136")),
        ("https://arxiv.org/pdf/hep-th/9901001v3", Paper("hep-th/9901001", 3)),
    ],
)
def test_a_paper_is_found_in_what_people_write(text, paper):
    assert parse_paper(text) == paper
    assert parse_paper(str(paper)) == paper


OTHER = ("", "attention", "2513.01234", "2505.123", "2505.1234567", "0112017", "https://arxiv.org/abs/", "x2505.01234")
LIKE_IT = ("2505.01234v0", "https://arxiv.org/list/cs.LG/recent", "2505.01234 and more", "10.1000/182", "٢٥٠٥.٠١٢٣٤")


@pytest.mark.parametrize("text", OTHER + LIKE_IT)
def test_anything_else_is_refused_in_one_line_that_shows_an_example(text):
    with pytest.raises(InputError) as refused:
        parse_paper(text)
    assert "2505.01234" in str(refused.value)
    assert "\n" not in str(refused.value)


@given(text=st.text(max_size=60))
def test_any_text_is_a_paper_or_refused(text):
    try:
        paper = parse_paper(text)
    except InputError:
        return
    assert parse_paper(str(paper)) == paper


def test_long_nonsense_takes_no_time():
    began = time.monotonic()
    for text in ("https://" + "a/" * 100_000, "a-" * 100_000, "9" * 100_000):
        with pytest.raises(InputError):
            parse_paper(text)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("category", "set_"),
    [
        ("cs.LG", "cs:cs:LG"),
        ("stat.ML", "stat:stat:ML"),
        ("q-bio.NC", "q-bio:q-bio:NC"),
        ("cs", "cs"),
        ("hep-th", "physics:hep-th"),
        ("physics.plasm-ph", "physics:physics:plasm-ph"),
        ("cond-mat.stat-mech", "physics:cond-mat:stat-mech"),
        ("math-ph", "physics:math-ph"),
    ],
)
def test_a_category_is_a_set_within_its_archive_within_its_group(category, set_):
    assert set_of_category(category) == set_


@pytest.mark.parametrize("category", ["", "cs.LG OR cs.CL", "CS.LG", "cs:LG", "cs.LG&from=1"])
def test_what_cannot_be_a_category_is_refused(category):
    with pytest.raises(InputError, match="is not an arXiv category"):
        set_of_category(category)
