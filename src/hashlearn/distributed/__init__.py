"""Training, encoding, search and measures on the workers of a Dask cluster.

Dask comes with the extra `dask` and is imported when it is used.
"""

from hashlearn.distributed.cluster import connect
from hashlearn.distributed.encoding import encode, encode_blocks
from hashlearn.distributed.evaluation import evaluate
from hashlearn.distributed.fitting import fit
from hashlearn.distributed.index import DistributedHammingIndex

__all__ = ["DistributedHammingIndex", "connect", "encode", "encode_blocks", "evaluate", "fit"]
