"""Numerics that several rooms share; private to the library.

A *block* is some consecutive rows that are handled at once. A *shard* is the rows that one worker,
a thread or a machine, goes through block by block.

Rows
    arrays : their types, dense or CSR, and checks of their values
    row_blocks : a matrix that is read in blocks, pass after pass, for training
    shards : a pass over all shards, on threads or on the workers of a cluster
    float_blocks : items of any number type, converted and checked in blocks, for encoding
    padded_blocks : products in blocks of one size, whose results do not depend on the batch
    rbf : the Gaussian kernel and squared distances
    integer_products : products with matrices of small integers and of bits
    eigenvectors : Lanczos eigenvectors that are the same in every run
    columns : types and names of columns of tables and arrays
    cross_validation : parameters chosen by cross-validated bit error

Codes
    words : packed codes as 64-bit words, and their Hamming distances
    buckets : codes grouped by some of their bits
    selection : the smallest distances of each row
    ids : the ids of indexed codes

Machinery
    threads : Python threads for loops without the GIL
    blas : matrix products on one thread
    compiled : Numba, with compiled loops kept on disk
    checks : checks of parameters
"""
