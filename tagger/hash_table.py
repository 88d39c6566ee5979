"""A map from 64-bit keys to positions, built and looked up for whole arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 / golden ratio: its multiples spread over all 64-bit numbers (Fibonacci hashing, Knuth 1973, 6.4)."""
MIXER = np.uint64(0xD6E8FEB86659FD93)
"""Another odd number, for a second hash."""
HALF = np.uint64(32)
"""Bits by which the upper half of a hash is moved onto the lower."""
MOST_ROUNDS = 200
"""Rounds of pushing keys about after which a table is given more slots."""


class HashTable:
    """A map from distinct 64-bit keys to their positions, looked up for whole arrays.

    Each key is in one of two slots, so that a look-up takes two steps whatever the key (cuckoo hashing: Pagh and
    Rodler 2004). A slot holds the upper bits of a key's hash, its fingerprint, and below them the position, so that a
    step reads memory once. Of n keys, those below ``2**62 / n`` are told apart exactly, since the multiples of the
    golden ratio lie far from each other; greater keys, hashes themselves, as surely as their fingerprints differ.
    """

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        """Build the table.

        Parameters
        ----------
        keys : array of uint64, shape (n,)
            Distinct keys.

        Raises
        ------
        ValueError
            If two keys, or their fingerprints, are equal.
        """
        self.missing = (1 << len(keys).bit_length()) - 1
        """What :meth:`find` gives for a key that is not in the table, and what an empty slot holds."""
        self._low_bits = np.uint64(self.missing)
        hashes = keys * MULTIPLIER
        ordered = np.sort(hashes | self._low_bits)
        if (ordered[1:] == ordered[:-1]).any():
            raise ValueError("keys of a hash table must be distinct")
        bits = max(4, (2 * len(keys)).bit_length())
        while not self._placed(hashes, bits):
            bits += 1

    def _placed(self, hashes: NDArray[np.uint64], bits: int) -> bool:
        """Whether all keys found a place among 2**bits slots, each taking that of another, which goes to its second."""
        self._shift = np.uint64(64 - bits)
        self._slots = np.full(1 << bits, self._low_bits, dtype=np.uint64)
        entries = (hashes & ~self._low_bits) | np.arange(len(hashes), dtype=np.uint64)
        choices = np.stack([self._first(hashes), self._second(hashes)])
        holder = np.full(1 << bits, -1)
        choice = np.zeros(len(hashes), dtype=np.int64)
        waiting = np.arange(len(hashes))
        for _ in range(MOST_ROUNDS):
            slots = choices[choice[waiting], waiting]
            pushed = holder[slots]
            holder[slots] = waiting  # of several that want a slot, one gets it
            placed = holder[slots] == waiting
            waiting = np.concatenate([waiting[~placed], pushed[placed & (pushed >= 0)]])
            if not waiting.size:
                taken = np.flatnonzero(holder >= 0)
                self._slots[taken] = entries[holder[taken]]
                return True
            choice[waiting] ^= 1
        return False

    def _first(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (hashes >> self._shift).view(np.int64)

    def _second(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (((hashes ^ (hashes >> HALF)) * MIXER) >> self._shift).view(np.int64)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Positions of `keys` (array of uint64, shape (n,)), `missing` for those not there; int64, shape (n,)."""
        hashes = keys * MULTIPLIER
        entries = self._slots.take(self._first(hashes))
        found = (entries & self._low_bits).view(np.int64)
        elsewhere = np.flatnonzero((entries ^ hashes) > self._low_bits)
        hashes = hashes.take(elsewhere)
        entries = self._slots.take(self._second(hashes))
        entries[(entries ^ hashes) > self._low_bits] = self._low_bits
        found[elsewhere] = (entries & self._low_bits).view(np.int64)
        return found
