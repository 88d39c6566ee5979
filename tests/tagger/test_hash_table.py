"""A hash table finds what a dict finds."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from tagger.hash_table import HashTable

keys = st.integers(0, 2**64 - 1)
crowded_keys = st.one_of(keys, st.integers(0, 40), st.integers(0, 40).map(lambda n: n << 58))


@settings(max_examples=300)
@given(st.lists(crowded_keys, unique=True, max_size=60), st.lists(crowded_keys, max_size=60))
def test_a_hash_table_finds_what_a_dict_finds(stored, wanted):
    position = {key: index for index, key in enumerate(stored)}
    table = HashTable(np.array(stored, dtype=np.uint64))
    asked = stored + wanted
    assert table.find(np.array(asked, dtype=np.uint64)).tolist() == [position.get(key, table.missing) for key in asked]


def test_a_hash_table_of_many_keys_finds_each_of_them():
    generator = np.random.default_rng(0)
    stored = np.unique(generator.integers(0, 2**63, 50_000).astype(np.uint64))
    assert (HashTable(stored).find(stored) == np.arange(len(stored))).all()


def test_a_hash_table_refuses_equal_keys():
    with pytest.raises(ValueError, match="distinct"):
        HashTable(np.array([3, 3], dtype=np.uint64))
