"""Timing for all benchmarks."""

import time


def best_time(function, repeats):
    """Return the shortest of several times, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result
