"""Bytes that take long to make are kept, within a limit."""

from hashlearn.explorer.collection.byte_cache import ByteCache


def test_a_cache_keeps_the_last_results_within_its_bytes():
    cache = ByteCache(max_bytes=10)
    for key in "abac":
        cache.get(key, lambda: bytes(4))
    assert cache.n_bytes == 8
    assert cache.get("a", lambda: b"new") == bytes(4)
    assert cache.get("b", lambda: b"new") == b"new"
    assert cache.get("large", lambda: bytes(11)) == bytes(11)
    assert cache.n_bytes == 0
