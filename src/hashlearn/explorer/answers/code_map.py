"""A map of the distinct codes: where each lies, how often it occurs, and which label it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field
from scipy import sparse
from sklearn.manifold import TSNE
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from hashlearn._numerics.buckets import group_by_code
from hashlearn._numerics.checks import check_option
from hashlearn.explorer.answers.items import Answer, Bits, Code, Count, Position, Share
from hashlearn.explorer.collection.coded import CodedItems, as_texts
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.labels import Labels
from hashlearn.search.packing import unpack_codes

LayoutName = Literal["pca", "tsne"]
Place = Annotated[float, Field(ge=-1, le=1)]
NO_LABEL = -1
MAX_BITS_SHOWN = 2_000_000  # in all codes together, which are sent as text
N_PASSES = 7  # over the codes: exact to a pixel, where a full decomposition takes long
MIN_TSNE = 5  # codes: fewer have no neighbourhoods to preserve
PERPLEXITY = 30  # scikit-learn's default
N_STEPS = 500  # of t-SNE; the map hardly changes after them
ANGLE = 0.8  # accuracy of distant codes: the coarsest that scikit-learn recommends
START_SPREAD = 1e-4  # of the first axis, as scikit-learn initialises t-SNE


class CodeMap(Answer):
    """Distinct codes on a plane; one entry of each list per code, the most frequent first."""

    method: str
    bits: Bits
    layout: LayoutName
    n_items: Count
    n_distinct: Count = Field(description="Distinct codes, which may be more than those shown.")
    n_covered: Count = Field(description="Items whose codes are in the lists.")
    x: tuple[Place, ...]
    y: tuple[Place, ...]
    count: tuple[int, ...] = Field(description="Number of items with the code.")
    label: tuple[int, ...] = Field(
        description="Their most frequent label, as an index of the labels' names; -1: none."
    )
    purity: tuple[Share | None, ...] = Field(description="Share of them that have that label.")
    item: tuple[Position, ...] = Field(description="Position of the first of them.")
    code: tuple[Code, ...]


def code_map(
    collection: Collection, method: str, bits: int | None = None, layout: LayoutName = "pca"
) -> CodeMap:
    """Place the distinct codes of a collection on a plane; computed once for each question.

    Principal components of up to 5,000 codes, or t-SNE of up to 2,000, the most frequent ones;
    fewer above 400 bits, two million bits in all.
    """
    check_option("layout", layout, LayoutName)
    coded = collection.method(method)
    bits = coded.check_bits(bits)
    return collection.answers.get(
        ("map", method, bits, layout), lambda: _draw(collection, coded, bits, layout)
    )


def _draw(collection: Collection, coded: CodedItems, bits: int, layout: LayoutName) -> CodeMap:
    place, max_codes = LAYOUTS[layout]
    offsets, members = group_by_code(coded.prefix(bits).words)
    sizes = np.diff(offsets)
    shown = np.argsort(-sizes, kind="stable")[: min(max_codes, MAX_BITS_SHOWN // bits)]
    items = members[offsets[shown]].astype(np.int64)
    count = sizes[shown]
    packed = coded.first_bits(items, bits)
    codes = unpack_codes(packed, bits)
    # Four digits are finer than a pixel, and half of what is sent.
    places = np.round(into_square(place(codes, count)).astype(np.float64), 4) + 0.0
    label, purity = _majority(collection.labels, offsets, members, shown)
    return CodeMap(
        method=coded.name,
        bits=bits,
        layout=layout,
        n_items=collection.n_items,
        n_distinct=len(sizes),
        n_covered=int(count.sum()),
        x=tuple(places[:, 0].tolist()),
        y=tuple(places[:, 1].tolist()),
        count=tuple(count.tolist()),
        label=label,
        purity=purity,
        item=tuple(items.tolist()),
        code=tuple(as_texts(packed, bits)),
    )


def _majority(
    labels: Labels | None, offsets: np.ndarray, members: np.ndarray, shown: np.ndarray
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """Return the most frequent label of each bucket shown, the first of equals, and its share."""
    if labels is None or not labels.names:
        return (NO_LABEL,) * len(shown), (None,) * len(shown)
    is_member = np.ones(len(labels), dtype=np.int64)
    buckets = sparse.csr_array((is_member, members.astype(np.int64), offsets))[shown]
    per_label = buckets @ labels.indicator.astype(np.int64)
    most = per_label.max(axis=1).toarray().ravel()
    label = np.where(most > 0, per_label.argmax(axis=1), NO_LABEL)
    share = np.round(most / np.diff(buckets.indptr), 4).tolist()
    purity = (None if n == 0 else value for n, value in zip(most, share, strict=True))
    return tuple(label.tolist()), tuple(purity)


def principal_places(bits: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return two principal components, (n, 2), of distinct 0/1 codes with numbers of items."""
    signs = 2.0 * bits - 1
    signs -= np.average(signs, axis=0, weights=weights)
    weighted = signs * np.sqrt(weights)[:, None]
    _, _, axes = randomized_svd(weighted, n_components=2, n_iter=N_PASSES, random_state=0)
    places = np.zeros((len(signs), 2))  # a single bit has a single axis
    places[:, : len(axes)] = signs @ axes.T
    return places


def neighbour_places(bits: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return t-SNE places by Hamming distance, started from the principal components.

    Takes what :func:`principal_places` takes; the weights influence the start only. Fewer than five
    codes stay at their principal components.
    """
    places = principal_places(bits, weights)
    if len(bits) < MIN_TSNE:
        return places
    tsne = TSNE(
        perplexity=min(PERPLEXITY, (len(bits) - 1) / 3),
        init=(places * (START_SPREAD / places[:, 0].std())).astype(np.float32),
        max_iter=N_STEPS,
        angle=ANGLE,
        random_state=0,
    )
    # On one thread: more of them mostly wait for each other, and searches need the other cores.
    with threadpool_limits(limits=1, user_api="openmp"):
        # Squared Euclidean distances of bits are Hamming distances.
        return tsne.fit_transform(bits.astype(np.float32))


class Layout(NamedTuple):
    """A way to place codes, and the number of codes that it places within seconds."""

    place: Callable[[np.ndarray, np.ndarray], np.ndarray]
    max_codes: int


LAYOUTS: dict[LayoutName, Layout] = {
    "pca": Layout(principal_places, max_codes=5000),
    "tsne": Layout(neighbour_places, max_codes=2000),
}


def into_square(places: np.ndarray) -> np.ndarray:
    """Return places centred and scaled, equally in both directions, to fill [-1, 1]."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = (high - low).max() / 2
    return (places - (low + high) / 2) / (half or 1.0)
