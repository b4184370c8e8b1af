"""Region maps as bytes: by hand, there and back, and damaged."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tests.core.sketches.drawings import cat
from truehue.core.errors import BadInput
from truehue.core.sketches.regions import coded_regions, decode, encode, regions


def test_bytes_by_hand() -> None:
    labels = np.array([[1, 1, 0], [300, 300, 300]], np.uint16)
    # 300 is 0b10_0101100: septets 0x2C with more to come, 0x02.
    rest = bytes([0xAC, 2, 1, 2, 0, 1, 0xAC, 2, 3])
    assert encode([labels]) == bytes([1, 3, 2, 1]) + rest
    assert (decode(encode([labels, labels]))[1] == labels).all()


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    shape = data.draw(array_shapes(min_dims=2, max_dims=2, max_side=12))
    labels = st.sampled_from([0, 1, 2, 127, 128, 16_383, 16_384, 70_000])
    maps = [data.draw(arrays(np.int32, shape, elements=labels)) for _ in range(3)]
    for item, other in zip(maps, decode(encode(maps)), strict=True):
        assert (item == other).all()
        assert other.dtype == (np.uint16 if item.max() < 65_536 else np.int32)


def test_a_sketch_is_coded_as_its_maps_are() -> None:
    ink = cat(128)
    for item, other in zip(decode(coded_regions(ink)), regions(ink).labels, strict=True):
        assert (item == other).all()


GOOD = encode([np.array([[0, 1], [2, 2]])])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01",
        GOOD[:-1],
        GOOD[:-2],
        GOOD + b"\x00",
        b"\x02" + GOOD[1:],
        GOOD[:3] + b"\x00" + GOOD[4:],
        GOOD[:4] + b"\x07" + GOOD[5:],
        b"\xff" * 5 + b"\x01",
        b"\x01\xff\xff\x7f" + GOOD[2:],
        bytes([1, 2, 2, 1, 2, 0, 0, 1, 2, 2, 2]),
    ],
)
def test_what_is_damaged_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        decode(data)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(BadInput):
        decode(b"\x01\x02\x02" + data)
