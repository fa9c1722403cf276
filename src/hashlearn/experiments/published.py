"""Numbers of the paper: Table 1 (quality) and Table 2 (training time), both at 32 bits.

Names are the library's; the paper writes SHPER for `spher`.

References
----------
.. [1] Lin, Shen, Suter, van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013.
"""

from __future__ import annotations

from typing import NamedTuple

from hashlearn.experiments.variants import base_method

N_BITS = 32
DATASETS = ("labelme", "mnist", "cifar10")
MEASURES = ("pr_area", "mean_average_precision", "precision_at_k")

# One line per method: area under PR, MAP and P@300, each on LabelMe, MNIST and CIFAR-10.
_TRAINING = """
tsh-ksh   0.501 1.000 1.000  0.570 1.000 1.000  0.229 0.667 0.667
tsh-bre   0.527 1.000 1.000  0.600 1.000 1.000  0.230 0.667 0.667
tsh-splh  0.504 1.000 1.000  0.524 1.000 1.000  0.230 0.667 0.667
tsh-ee    0.485 1.000 1.000  0.524 1.000 1.000  0.224 0.667 0.667
tsh-exph  0.475 1.000 1.000  0.541 1.000 1.000  0.225 0.667 0.667
sths      0.335 0.800 0.629  0.387 0.882 0.774  0.176 0.575 0.433
ksh       0.283 0.892 0.585  0.316 0.967 0.652  0.168 0.647 0.481
bres      0.161 0.445 0.220  0.153 0.504 0.190  0.097 0.376 0.171
splh      0.166 0.500 0.292  0.153 0.588 0.302  0.092 0.422 0.260
mlh       0.120 0.547 0.190  0.142 0.685 0.235  0.100 0.478 0.200
"""

_TESTING = """
tsh-ksh   0.175 0.843 0.282  0.296 0.893 0.440  0.293 0.889 0.410
tsh-bre   0.169 0.844 0.283  0.293 0.896 0.439  0.293 0.890 0.409
tsh-splh  0.174 0.840 0.284  0.291 0.895 0.444  0.288 0.891 0.416
tsh-ee    0.169 0.843 0.280  0.288 0.896 0.438  0.286 0.892 0.410
tsh-exph  0.172 0.844 0.282  0.287 0.892 0.441  0.286 0.887 0.410
sths      0.094 0.385 0.144  0.162 0.639 0.229  0.156 0.634 0.218
sths-rbf  0.151 0.674 0.178  0.274 0.897 0.354  0.271 0.893 0.352
ksh       0.165 0.781 0.249  0.279 0.884 0.407  0.158 0.881 0.398
bres      0.106 0.409 0.151  0.178 0.703 0.226  0.171 0.702 0.210
mlh       0.100 0.470 0.150  0.181 0.648 0.264  0.174 0.623 0.215
splh      0.093 0.452 0.191  0.168 0.714 0.321  0.158 0.708 0.315
itq-cca   0.077 0.619 0.206  0.143 0.792 0.333  0.133 0.784 0.325
mdsh      0.100 0.298 0.150  0.178 0.691 0.288  0.155 0.685 0.228
spher     0.102 0.296 0.152  0.185 0.624 0.244  0.176 0.623 0.233
itq       0.116 0.386 0.161  0.206 0.750 0.264  0.197 0.751 0.252
agh       0.096 0.404 0.144  0.194 0.743 0.252  0.187 0.744 0.244
sth       0.077 0.361 0.135  0.135 0.593 0.216  0.125 0.644 0.204
bre       0.091 0.323 0.137  0.160 0.651 0.238  0.147 0.582 0.185
lsh       0.069 0.211 0.123  0.116 0.459 0.188  0.103 0.448 0.162
"""


class Seconds(NamedTuple):
    """Training time in the paper; `step_one` is the number in brackets, Step 1 alone."""

    total: float
    step_one: float | None


_SECONDS = {
    "tsh-ksh": (Seconds(198, 107), Seconds(341, 294), Seconds(326, 262)),
    "tsh-bre": (Seconds(133, 33), Seconds(309, 264), Seconds(234, 175)),
    "tsh-ee": (Seconds(124, 29), Seconds(302, 249), Seconds(287, 225)),
    "tsh-exph": (Seconds(128, 43), Seconds(334, 281), Seconds(344, 256)),
    "sths-rbf": (Seconds(133, None), Seconds(99, None), Seconds(95, None)),
    "ksh": (Seconds(326, None), Seconds(355, None), Seconds(379, None)),
    "bres": (Seconds(216, None), Seconds(615, None), Seconds(231, None)),
    "mlh": (Seconds(670, None), Seconds(805, None), Seconds(658, None)),
}


def _read(text: str) -> dict[tuple[str, str, str], float]:
    """Return a printed table by (dataset, method, measure)."""
    columns = [(dataset, measure) for measure in MEASURES for dataset in DATASETS]
    values = {}
    for line in text.strip().splitlines():
        method, *numbers = line.split()
        for (dataset, measure), number in zip(columns, numbers, strict=True):
            values[dataset, method, measure] = float(number)
    return values


_QUALITY = {"training": _read(_TRAINING), "testing": _read(_TESTING)}


def published_quality(
    dataset: str, method: str, side: str, measure: str, n_bits: int = N_BITS
) -> float | None:
    """Return a number of the paper's Table 1, or None if it has none.

    The paper does not say which distance ranked the codes of a method with its own distance; its
    number is returned for both.
    """
    if n_bits != N_BITS:
        return None
    return _QUALITY[side].get((dataset, base_method(method), measure))


def published_seconds(dataset: str, method: str, n_bits: int = N_BITS) -> Seconds | None:
    """Return a training time of the paper's Table 2, or None if it has none."""
    if n_bits != N_BITS or dataset not in DATASETS or method not in _SECONDS:
        return None
    return _SECONDS[method][DATASETS.index(dataset)]
