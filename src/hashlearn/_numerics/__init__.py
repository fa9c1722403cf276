"""Private: blocks of rows, threads, matrix libraries, compiled kernels, kernel matrices."""
