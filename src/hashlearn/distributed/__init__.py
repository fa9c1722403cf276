"""The same work on many machines: on a Dask cluster, or in batches of other systems.

Dask comes with the extra `dask` and is imported when it is used: `encode_batch` does without.
"""

from hashlearn.distributed.batches import encode_batch
from hashlearn.distributed.cluster import connect
from hashlearn.distributed.encoding import encode
from hashlearn.distributed.fitting import fit
from hashlearn.distributed.index import DistributedHammingIndex
from hashlearn.distributed.metrics import evaluate

__all__ = ["DistributedHammingIndex", "connect", "encode", "encode_batch", "evaluate", "fit"]
