"""Questions to a bank, made up from templates, as Parquet files to try the other commands with.

Each has an id, a text, its intent and an embedding: the mean of fixed random vectors of its words.
"""

from __future__ import annotations

import hashlib
import re
from itertools import product
from pathlib import Path

import numpy as np

from hashlearn.files import atomic_writer, check_writable

N_NUMBERS = 64  # per embedding
FILES = {"bank.parquet": 0.8, "more.parquet": 0.1, "questions.parquet": 0.1}  # shares

OPENINGS = ("", "hello, ", "please help: ", "i wonder, ", "quick question: ")
INTENTS = {
    "card_arrival": (
        ("when will my {} arrive", "my {} is not here yet", "how do i track my {}"),
        ("new card", "bank card", "debit card", "replacement card"),
    ),
    "lost_card": (
        ("i lost my {}", "my {} was stolen", "somebody took my {}, block it"),
        ("card", "wallet with the card", "debit card", "credit card"),
    ),
    "change_pin": (
        ("how do i change my {}", "i want another {}", "where can i set a new {}"),
        ("pin", "pin code", "card pin", "secret number"),
    ),
    "top_up_failed": (
        ("why did my {} fail", "my {} was rejected", "the {} does not go through"),
        ("top up", "top up by card", "deposit", "top up by transfer"),
    ),
    "exchange_rate": (
        ("what is the exchange rate for {}", "how many {} do i get", "can i exchange {}"),
        ("euros", "dollars", "pounds", "yen"),
    ),
    "cash_withdrawal": (
        ("the machine kept my {}", "i was charged for a {}", "is there a limit for my {}"),
        ("cash withdrawal", "withdrawal abroad", "cash", "withdrawal at a machine"),
    ),
    "verify_identity": (
        ("why must i verify my {}", "how do i prove my {}", "my {} could not be verified"),
        ("identity", "name", "passport", "address"),
    ),
    "refund": (
        ("where is my {}", "i still wait for the {}", "how do i ask for a {}"),
        ("refund", "money back", "refund of a purchase", "refund from a shop"),
    ),
}


def write_questions(folder: Path, seed: int) -> dict[Path, int]:
    """Write the files, each whole or not at all, and return their paths with numbers of rows."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError("--questions needs pyarrow: pip install 'hashlearn[parquet]'.") from None

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    for path in paths:
        check_writable(path)
    texts, intents = make_questions()
    order = np.random.RandomState(seed).permutation(len(texts))
    bounds = np.cumsum([0, *(round(share * len(texts)) for share in FILES.values())])
    bounds[-1] = len(texts)
    embeddings = embed(texts)
    written = {}
    for path, start, stop in zip(paths, bounds[:-1], bounds[1:], strict=True):
        rows = np.sort(order[start:stop])  # so sorted by intent, as files of users often are
        table = pa.table(
            {
                "id": [f"q-{row:04}" for row in rows],
                "text": [texts[row] for row in rows],
                "intent": [intents[row] for row in rows],
                "embedding": pa.array(list(embeddings[rows]), pa.list_(pa.float32())),
            }
        )
        with atomic_writer(path) as file:
            pq.write_table(table, file)
        written[path] = len(rows)
    return written


def make_questions() -> tuple[list[str], list[str]]:
    """Return texts and their intents, one intent after the other."""
    texts, intents = [], []
    for intent, (templates, things) in INTENTS.items():
        for opening, template, thing in product(OPENINGS, templates, things):
            texts.append(f"{opening}{template.format(thing)}?")
            intents.append(intent)
    return texts, intents


def embed(texts: list[str]) -> np.ndarray:
    """Return an embedding per text, of length 1: the mean of its words' vectors."""
    rows = [np.mean([_vector(word) for word in re.findall(r"\w+", text)], axis=0) for text in texts]
    embeddings = np.array(rows, dtype=np.float32)
    return embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)


def _vector(word: str) -> np.ndarray:
    """Return the vector of a word, the same in every process."""
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little")
    return np.random.RandomState(seed).standard_normal(N_NUMBERS)
