"""Published hashing methods, one file each, all with the interface of `BaseHasher`."""

from hashlearn.base import METHODS
from hashlearn.methods.agh import AGHHasher
from hashlearn.methods.bae import BinaryAutoencoderHasher
from hashlearn.methods.bre import BREHasher
from hashlearn.methods.bres import BRESHasher
from hashlearn.methods.by_name import (
    default_for,
    default_method,
    learns_from,
    list_methods,
    make_hasher,
)
from hashlearn.methods.cghash import CGHashHasher
from hashlearn.methods.fasthash import FastHashHasher
from hashlearn.methods.imh import IMHHasher
from hashlearn.methods.itq import ITQHasher
from hashlearn.methods.itq_cca import ITQCCAHasher
from hashlearn.methods.klsh import KLSHHasher
from hashlearn.methods.ksh import KSHHasher
from hashlearn.methods.linear import LinearHasher
from hashlearn.methods.lsh import LSHHasher
from hashlearn.methods.mdsh import MDSHHasher
from hashlearn.methods.mixed import MixedHasher
from hashlearn.methods.mlh import MLHHasher
from hashlearn.methods.sdh import SDHHasher
from hashlearn.methods.sph import SPHHasher
from hashlearn.methods.spher import SPHERHasher
from hashlearn.methods.splh import SPLHHasher
from hashlearn.methods.sth import STHHasher
from hashlearn.methods.sths import STHSHasher
from hashlearn.methods.sths_rbf import STHSRBFHasher
from hashlearn.two_step import TwoStepHasher

__all__ = [
    "METHODS",
    "AGHHasher",
    "BREHasher",
    "BRESHasher",
    "BinaryAutoencoderHasher",
    "CGHashHasher",
    "FastHashHasher",
    "IMHHasher",
    "ITQCCAHasher",
    "ITQHasher",
    "KLSHHasher",
    "KSHHasher",
    "LSHHasher",
    "LinearHasher",
    "MDSHHasher",
    "MLHHasher",
    "MixedHasher",
    "SDHHasher",
    "SPHERHasher",
    "SPHHasher",
    "SPLHHasher",
    "STHHasher",
    "STHSHasher",
    "STHSRBFHasher",
    "TwoStepHasher",
    "default_for",
    "default_method",
    "learns_from",
    "list_methods",
    "make_hasher",
]
