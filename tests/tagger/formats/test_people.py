"""Names of authors, as any format lists them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from tagger.formats.people import authors_of, family_and_given, family_first


@pytest.mark.parametrize(
    ("value", "authors"),
    [
        ("Ada Baker", ("Ada Baker",)),
        ("Baker, Ada", ("Baker, Ada",)),
        ("Ada Baker, Bo Li", ("Ada Baker", "Bo Li")),
        ("Ada Baker, Bo Li, and Uwe van Oven", ("Ada Baker", "Bo Li", "Uwe van Oven")),
        ("Ada Baker and Bo Li", ("Ada Baker", "Bo Li")),
        ("Baker, Ada and Li, Bo", ("Baker, Ada", "Li, Bo")),
        ("Baker, Ada; Li, Bo; ", ("Baker, Ada", "Li, Bo")),
        ("Baker, A., Li, B.-C.", ("Baker, A.", "Li, B.-C.")),
        ("Baker A., Li B.", ("Baker A.", "Li B.")),
        ("Baker, Ada, Li, Bo", ("Baker, Ada", "Li, Bo")),
        ("van Oven, Uwe Jan", ("van Oven, Uwe Jan",)),
        ("A. B\\'alint, E. L. Li, C. -P. Yu", ("A. Bálint", "E. L. Li", "C. -P. Yu")),
        ("Ada Baker (1), Bo Li (2) ((1) Inst. of Bread, Oslo, (2) Uni)", ("Ada Baker", "Bo Li")),
        ("Bob Oven, Jr., Ada Baker", ("Bob Oven Jr.", "Ada Baker")),
        ("Ada Baker, et al.", ("Ada Baker",)),
        (["Ada Baker", "Li, Bo"], ("Ada Baker", "Li, Bo")),
        ([{"family": "Oven", "given": "Uwe", "non-dropping-particle": "van"}], ("van Oven, Uwe",)),
        ([{"family": "Oven", "given": "Bob", "suffix": "Jr."}], ("Oven, Jr., Bob",)),
        ([{"literal": "Loaf Team"}, {"name": "Ada Baker", "authorId": 7}], ("Loaf Team", "Ada Baker")),
        ([{"keyname": "Baker", "forenames": "Ada"}], ("Baker, Ada",)),
        ({"name": "Ada Baker"}, ("Ada Baker",)),
        ("", ()),
        (None, ()),
        (7, ()),
        ([None, "", ["x"], 7], ()),
    ],
)
def test_authors_are_found_in_lists_of_any_style(value, authors):
    assert authors_of(value) == authors


@pytest.mark.parametrize(
    ("value", "authors"),
    [
        ('Baker, Ada and L{\\"o}we, Uwe and others', ("Baker, Ada", "Löwe, Uwe")),
        ("Ada Baker AND\n  Bo Li 0001", ("Ada Baker", "Bo Li")),
        ("{Barnes and Noble} and {The Loaf Collaboration}", ("Barnes and Noble", "The Loaf Collaboration")),
        ("van Oven, Jr, Bob and Sandy Anders", ("van Oven, Jr, Bob", "Sandy Anders")),
    ],
)
def test_bibtex_joins_names_by_and_alone(value, authors):
    assert authors_of(value, bibtex=True) == authors


@pytest.mark.parametrize(
    ("name", "family", "given"),
    [
        ("Ada Baker", "Baker", "Ada"),
        ("Ada M. Baker", "Baker", "Ada M."),
        ("Baker, Ada", "Baker", "Ada"),
        ("Uwe van der Oven", "van der Oven", "Uwe"),
        ("van Oven, Jr, Bob", "van Oven, Jr", "Bob"),
        ("The Loaf Collaboration", "The Loaf Collaboration", ""),
        ("Plato", "Plato", ""),
        ("Plato,", "Plato", ""),
        ("", "", ""),
    ],
)
def test_names_are_taken_apart_and_put_family_first(name, family, given):
    assert family_and_given(name) == (family, given)
    assert family_first(name) == (f"{family}, {given}" if given else family)


@given(texts, st.booleans())
def test_any_text_gives_names_that_can_be_taken_apart(text, bibtex):
    for name in authors_of(text, bibtex):
        family, _ = family_and_given(name)
        assert family or not name.strip(" ,")
