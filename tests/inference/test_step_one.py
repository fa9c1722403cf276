"""Laws of Step 1: the objective, the groups, the solvers."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from hashlearn.affinity import (
    DenseAffinity,
    LabelAffinity,
    MultilabelAffinity,
    NeighborAffinity,
)
from hashlearn.inference import SOLVERS, CoordinateDescent, as_inference
from hashlearn.inference._objectives import (
    make_objective,
)
from hashlearn.inference.coordinate_descent import STARTS
from hashlearn.losses import LOSSES, as_loss
from hashlearn.metrics import mean_average_precision
from hashlearn.search import pack_codes
from tests.affinities import KINDS, random_affinity

TOLERANCE = 1e-9
LOSS_NAMES = [name for name in LOSSES.names() if not as_loss(name).needs_balance]
seeds = st.integers(0, 10_000)
FEW = settings(  # of each loss, solver or kind
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

pytestmark = pytest.mark.filterwarnings("ignore:.* different labels, so hardly")


@pytest.fixture
def no_tiny_items(monkeypatch):
    """Let small test problems take the form that large ones take."""
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_TINY_ITEMS", 0)


def infer(affinity, loss, n_bits, seed=0, group="auto", **params):
    random_state = np.random.RandomState(seed)
    return CoordinateDescent(**params).infer(
        affinity, as_loss(loss), n_bits, group=group, random_state=random_state
    )


def objective_of(codes, affinity, loss):
    """Sum the formula over defined ordered pairs."""
    Z = 2.0 * codes - 1
    Y = np.asarray(affinity.block(slice(None)), dtype=float)
    losses = as_loss(loss)(Z @ Z.T, Y, codes.shape[1])
    return float(np.where(Y != 0, losses, 0).sum())


@pytest.mark.parametrize("solver", SOLVERS.names())
@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.usefixtures("no_tiny_items")
@FEW
@given(
    kind=st.sampled_from(KINDS),
    start=st.sampled_from(STARTS),
    group=st.sampled_from(("auto", False)),
    n=st.integers(3, 12),
    n_bits=st.integers(1, 8),
    seed=seeds,
)
def test_objective_never_rises(loss, solver, kind, start, group, n, n_bits, seed):
    affinity = random_affinity(kind, n, seed)
    step_one = infer(affinity, loss, n_bits, seed, group, solver=solver, start=start, n_cycles=2)
    objective = step_one.objective
    assert np.all(np.diff(objective) <= TOLERANCE * np.abs(objective[:-1]))
    assert objective.size == (n_bits + 1 if start == "empty" else 2 * n_bits)


@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.usefixtures("no_tiny_items")
@FEW
@given(
    kind=st.sampled_from(KINDS),
    start=st.sampled_from(STARTS),
    group=st.sampled_from(("auto", False)),
    n=st.integers(3, 12),
    n_bits=st.integers(1, 8),
    seed=seeds,
)
def test_objective_is_the_loss_of_the_codes(loss, kind, start, group, n, n_bits, seed):
    affinity = random_affinity(kind, n, seed)
    step_one = infer(affinity, loss, n_bits, seed, group, start=start)
    expected = objective_of(step_one.codes, affinity, loss)
    assert step_one.objective[-1] == pytest.approx(expected, rel=TOLERANCE, abs=1e-9)


@pytest.mark.parametrize("loss", [n for n in LOSS_NAMES if as_loss(n).graded])
@FEW
@given(n=st.integers(3, 10), n_bits=st.integers(1, 6), seed=seeds)
def test_graded_affinities_obey_the_same_laws(loss, n, n_bits, seed):
    affinity = random_affinity("graded", n, seed)
    step_one = infer(affinity, loss, n_bits, seed)
    assert np.all(np.diff(step_one.objective) <= TOLERANCE * np.abs(step_one.objective[:-1]))
    expected = objective_of(step_one.codes, affinity, loss)
    assert step_one.objective[-1] == pytest.approx(expected, rel=TOLERANCE, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS.names())
@FEW
@given(
    kind=st.sampled_from((*KINDS, "graded")),
    start=st.sampled_from(STARTS),
    n=st.integers(3, 12),
    n_bits=st.integers(1, 9),
    seed=seeds,
)
def test_bre_and_ksh_give_the_same_codes(solver, kind, start, n, n_bits, seed):
    affinity = random_affinity(kind, n, seed)
    bre, ksh = (
        infer(affinity, loss, n_bits, seed, solver=solver, start=start) for loss in ("bre", "ksh")
    )
    assert np.array_equal(bre.codes, ksh.codes)
    np.testing.assert_allclose(4 * n_bits**2 * bre.objective, ksh.objective, rtol=1e-12)


def all_codes(n, n_bits):
    for flat in product((0, 1), repeat=n * n_bits):
        yield np.array(flat).reshape(n, n_bits)


TINY = [("labels", 4, 2), ("multilabel", 4, 2), ("dense", 5, 2), ("sparse", 5, 2), ("dense", 6, 1)]


@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.parametrize(("kind", "n", "n_bits"), TINY)
@pytest.mark.parametrize("seed", range(2))
def test_some_optimum_gives_every_group_one_code(loss, kind, n, n_bits, seed):
    affinity = random_affinity(kind, n, seed)
    groups = affinity.groups()
    best = min(objective_of(codes, affinity, loss) for codes in all_codes(n, n_bits))
    grouped = min(
        objective_of(codes[groups.labels], affinity, loss)
        for codes in all_codes(groups.representatives.size, n_bits)
    )
    assert grouped == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("loss", LOSS_NAMES)
@FEW
@given(
    kind=st.sampled_from(("labels", "multilabel", "dense", "sparse")),
    n=st.integers(3, 12),
    n_bits=st.integers(1, 6),
    seed=seeds,
)
def test_taking_the_best_members_code_never_raises_the_objective(loss, kind, n, n_bits, seed):
    affinity = random_affinity(kind, n, seed)
    groups = affinity.groups()
    codes = np.random.default_rng(seed).integers(0, 2, (n, n_bits))
    Y = affinity.block(slice(None))
    for group in range(groups.representatives.size):
        members = np.flatnonzero(groups.labels == group)
        outside = np.flatnonzero(groups.labels != group)
        Z = 2.0 * codes - 1
        y = Y[np.ix_(members, outside)]
        costs = as_loss(loss)(Z[members] @ Z[outside].T, y, n_bits)
        best = members[np.argmin(np.where(y != 0, costs, 0).sum(axis=1))]
        shared = codes.copy()
        shared[members] = codes[best]
        before = objective_of(codes, affinity, loss)
        assert objective_of(shared, affinity, loss) <= before + TOLERANCE * abs(before)
        codes = shared


def test_a_loss_that_prefers_unequal_codes_is_not_grouped():
    affinity = LabelAffinity([0, 0, 0, 1, 1, 1])

    def apart(s, y):
        return (s - 2) ** 2 if y > 0 else (s + 8) ** 2

    assert infer(affinity, "bre", 8).groups is not None
    for group in (False, np.False_):
        assert infer(affinity, "bre", 8, group=group).groups is None
    step_one = infer(affinity, apart, 8)
    assert step_one.groups is None
    assert np.unique(step_one.codes[:3], axis=0).shape[0] > 1


@pytest.mark.parametrize("solver", SOLVERS.names())
@pytest.mark.parametrize("loss", ["ksh", "bre", "splh", "ee", "exph"])
def test_classes_get_one_code_each_and_far_apart(loss, solver):
    codes = class_codes(loss, solver)
    distances = (codes[:, None] != codes).sum(axis=2)[np.triu_indices(10, 1)]
    assert distances.min() >= 10
    assert distances.mean() >= 16


def test_the_hinge_loss_of_classes_is_zero_at_its_margin():
    codes = class_codes("hinge", "sign-flip")
    distances = (codes[:, None] != codes).sum(axis=2)[np.triu_indices(10, 1)]
    assert distances.min() >= 32 / 4 + 1


def class_codes(loss, solver):
    """Return the codes of ten classes, after checking that each class has one."""
    y = np.repeat(np.arange(10), 20)
    step_one = infer(LabelAffinity(y), loss, 32, solver=solver)
    codes = step_one.codes[::20]
    assert np.array_equal(step_one.codes, codes[y])
    return codes


def test_grouped_and_ungrouped_relaxations_agree():
    """The spectral start of groups is that of the items: D^(1/2) A D^(1/2), own pairs included."""
    from hashlearn.inference._relaxation import relaxed_minimum

    y = np.repeat([0, 1, 2], [3, 5, 9])
    affinity = LabelAffinity(y)
    groups = affinity.groups()
    rng = np.random.RandomState(0)
    sizes = np.bincount(y)
    values = []
    for a, weights, inside in (
        (affinity, np.ones(y.size), np.zeros(y.size)),
        (affinity[groups.representatives], sizes, groups.inside),
    ):
        objective, _ = make_objective(a, as_loss("ksh"), 4, weights, inside, rng)
        start = np.random.RandomState(1).choice([-1, 1], (3, 4))
        start = start[y] if weights.size == y.size else start
        for k in range(4):
            objective.set_bit(k, start[:, k])
        problem = objective.problem(2)
        z = relaxed_minimum(problem, rng)
        values.append(z @ problem.dot(z) + problem.self_terms @ z**2)
        assert problem.weights @ z**2 == pytest.approx(y.size)
    assert values[0] == pytest.approx(values[1])


def test_solutions_are_locally_optimal():
    """No single flip of one bit of one item lowers the objective of the default's last bit."""
    affinity = random_affinity("dense", 12, 3)
    step_one = infer(affinity, "ksh", 3, group=False, n_cycles=6)
    value = step_one.objective[-1]
    for i in range(12):
        flipped = step_one.codes.copy()
        flipped[i, 2] ^= 1
        assert objective_of(flipped, affinity, "ksh") >= value * (1 - 1e-9)


def test_a_problem_above_500_items_uses_float32_and_still_never_rises():
    rng = np.random.default_rng(0)
    affinity = MultilabelAffinity((rng.random((540, 12)) < 0.15).astype(int))
    for loss in ("splh", "ksh"):
        objective = infer(affinity, loss, 4, group=False).objective
        assert np.all(np.diff(objective) <= TOLERANCE * np.abs(objective[:-1]))


def test_a_loss_of_zero_stays_zero():
    """Once nothing is left to gain, Lanczos has a zero matrix; it once failed there."""
    step_one = infer(LabelAffinity(np.arange(100)), lambda s, y: float(s > 60), 64)
    assert step_one.objective[-1] == 0


@pytest.mark.parametrize("solver", SOLVERS.names())
@pytest.mark.parametrize("n", [40, 300])
def test_the_same_seed_gives_the_same_codes(n, solver):
    """From SciPy 1.17 on, Lanczos steps once drew random numbers of their own."""
    affinity = random_affinity("neighbors", n, 0)
    first, second = (infer(affinity, "bre", 3, seed=5, solver=solver) for _ in range(2))
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.objective, second.objective)


def test_more_items_of_a_matrix_than_fit_take_sampled_pairs(monkeypatch):
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_DENSE_ITEMS", 10)
    affinity = random_affinity("dense", 40, 0)
    with pytest.warns(UserWarning, match="a sample of the dissimilar ones"):
        codes = infer(affinity, "splh", 16).codes
    distances, Y = (codes[:, None] != codes).sum(axis=2), affinity.block(slice(None))
    assert distances[Y > 0].mean() + 2 < distances[Y < 0].mean()


def test_more_similar_pairs_than_can_be_stored_are_refused(monkeypatch):
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_DENSE_ITEMS", 10)
    apart = as_loss(lambda s, y: abs(s - y))
    monkeypatch.setattr("hashlearn.affinity.labels.MAX_SAMPLED_PAIRS", 9)
    with pytest.raises(ValueError, match="more than 9 similar pairs"):
        infer(LabelAffinity(np.arange(20) // 2), apart, 4, group=False)


@pytest.mark.parametrize("loss", ["splh", "hinge"])
def test_more_classes_than_fit_are_kept_apart_by_sampled_pairs(loss, monkeypatch):
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_DENSE_ITEMS", 100)
    monkeypatch.setattr("hashlearn.affinity.labels.DISSIMILAR_PER_ITEM", 60)
    y = np.repeat(np.arange(300), 2)
    with pytest.warns(UserWarning, match="a sample of the dissimilar ones"):
        codes = infer(LabelAffinity(y), loss, 32).codes[::2]
    distances = (codes[:, None] != codes).sum(axis=2)[np.triu_indices(300, 1)]
    assert np.median(distances) >= 15
    assert np.mean(distances >= 5) > 0.999


@given(n=st.integers(3, 40), seed=seeds)
def test_sampled_pairs_of_labels_say_what_the_labels_say(n, seed):
    affinity = random_affinity("labels", n, seed)
    Y = affinity.block(slice(None))
    sample = affinity.sample_pairs(np.random.RandomState(seed)).block(slice(None))
    assert np.array_equal(sample > 0, Y > 0)
    assert (Y[sample < 0] < 0).all()


@pytest.mark.parametrize("loss", ["splh", "hinge"])
def test_codes_of_sampled_pairs_are_nearly_as_good_as_those_of_all(loss, monkeypatch):
    X, _ = load_digits(return_X_y=True)
    affinity = NeighborAffinity.from_data(X[:400], n_neighbors=12)
    near = affinity.block(slice(None)) > 0

    def quality():
        codes = pack_codes(infer(affinity, loss, 16).codes)
        return mean_average_precision(codes, codes, near, exclude_self=True)

    whole = quality()
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_DENSE_ITEMS", 10)
    with pytest.warns(UserWarning, match="a sample of the dissimilar ones"):
        assert quality() > 0.75 * whole


def fit_in_child(connection):
    connection.send(infer(random_affinity("dense", 700, 0), "ee", 2).objective[-1])


def test_step_one_runs_after_a_fork_and_on_two_threads_at_once():
    """Numba's own threads once killed the process in both cases."""
    expected = infer(random_affinity("dense", 700, 0), "ee", 2).objective[-1]
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=fit_in_child, args=(sender,))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 0
    assert receiver.recv() == expected
    with ThreadPoolExecutor(2) as threads:
        results = threads.map(
            lambda _: infer(random_affinity("dense", 700, 0), "ee", 2).objective[-1], range(2)
        )
        assert list(results) == [expected, expected]


def test_checks_refuse_what_cannot_work_and_say_why():
    bre, inference = as_loss("bre"), CoordinateDescent()
    with pytest.raises(ValueError, match="all-equal codes as its optimum"):
        inference.check(as_loss("laplacian"))
    with pytest.raises(ValueError, match="got 'zeros'"):
        CoordinateDescent(start="zeros").check(bre)
    with pytest.raises(ValueError, match="n_cycles == 0"):
        CoordinateDescent(n_cycles=0).check(bre)
    with pytest.raises(ValueError, match="one class only"):
        inference.check_affinity(LabelAffinity([1, 1, 1]), bre)
    graded = DenseAffinity([[0, 0.5, -1], [0.5, 0, -1], [-1, -1, 0]])
    with pytest.raises(ValueError, match="this one is graded; use one of 'bre'"):
        inference.check_affinity(graded, as_loss("ee"))
    with pytest.raises(ValueError, match="'sign-flip'"):
        as_inference("simplex", bre)
    with pytest.raises(TypeError, match="must be a name or an Inference"):
        as_inference(3, bre)
