"""Laws of losses and of the tables derived from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from hashlearn.losses import (
    LOSSES,
    FunctionLoss,
    Loss,
    as_loss,
    difference_table,
    is_groupable,
    loss_table,
    tabulate,
)

NAMES = LOSSES.names()
bits = st.integers(1, 40)
FEW = settings(max_examples=8)  # of each loss


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(n_bits=bits)
def test_table_is_the_loss_difference(name, n_bits):
    loss = as_loss(name)
    steps = difference_table(loss_table(loss, n_bits))
    for y in (-1, 1):
        for s in range(-n_bits + 1, n_bits):
            expected = loss(s + 1, y, n_bits) - loss(s - 1, y, n_bits)
            assert steps[y + 1, s + n_bits - 1] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert not steps[1].any()  # undefined pairs cost nothing


@pytest.mark.parametrize("name", NAMES)
def test_a_loss_takes_arrays_as_it_takes_numbers(name):
    s = np.arange(-8, 9)
    values = as_loss(name)(s, np.array([[-1], [1]]), 8)
    np.testing.assert_allclose(values, loss_table(as_loss(name), 8)[[0, 2]], rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(n_bits=bits, data=st.data())
def test_proposition_one(name, n_bits, data):
    """A loss of two bits is a quadratic function of them."""
    loss = as_loss(name)
    s = data.draw(st.integers(-n_bits + 1, n_bits - 1))  # over the other bits
    y = data.draw(st.sampled_from((-1, 1)))
    equal, different = loss(s + 1, y, n_bits), loss(s - 1, y, n_bits)
    for z1 in (-1, 1):
        for z2 in (-1, 1):
            quadratic = (z1 * z2 * (equal - different) + equal + different) / 2
            assert quadratic == pytest.approx(loss(s + z1 * z2, y, n_bits), rel=1e-12)


@given(n_bits=bits)
def test_bre_is_ksh_scaled(n_bits):
    ksh, bre = loss_table(as_loss("ksh"), n_bits), loss_table(as_loss("bre"), n_bits)
    np.testing.assert_allclose(bre * 4 * n_bits**2, ksh, atol=1e-9 * n_bits**2)


@given(n_bits=bits)
def test_exph_is_splh_at_half_the_exponent(n_bits):
    splh, exph = (loss_table(as_loss(name), n_bits)[[0, 2]] for name in ("splh", "exph"))
    np.testing.assert_allclose(exph, np.exp(0.5) * np.sqrt(splh))


@given(n_bits=bits)
def test_formulas_are_the_papers(n_bits):
    s = np.arange(-n_bits, n_bits + 1)
    d = (n_bits - s) / 2
    for name, similar, dissimilar in [
        ("ksh", (s - n_bits) ** 2, (s + n_bits) ** 2),
        ("bre", (d / n_bits) ** 2, (d / n_bits - 1) ** 2),
        ("splh", np.exp(-s / n_bits), np.exp(s / n_bits)),
        ("ee", d, 100 * np.exp(-d / n_bits)),
        ("exph", np.exp(d / n_bits), np.exp((n_bits - d) / n_bits)),
        (
            "hinge",
            np.maximum(d - n_bits / 4 + 1, 0),
            0.5 * np.maximum(n_bits / 4 - d + 1, 0),
        ),
        ("laplacian", d, 0 * d),
    ]:
        table = loss_table(as_loss(name), n_bits)
        np.testing.assert_allclose(table[2], similar, atol=1e-9)
        np.testing.assert_allclose(table[0], dissimilar, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(n_bits=bits)
def test_equal_codes_are_best_for_similar_pairs(name, n_bits):
    assert is_groupable(as_loss(name), n_bits)


@pytest.mark.parametrize(
    "function",
    [
        lambda s, y: (s - 8 * y) ** 2,
        lambda s, y, n_bits: (s - n_bits * y) ** 2,
        lambda s, y, n_bits=8: np.square(s - n_bits * y),
        lambda s, y: float((int(s) - 8 * int(y)) ** 2),  # takes numbers only
    ],
)
def test_functions_are_losses(function):
    np.testing.assert_array_equal(loss_table(as_loss(function), 8), loss_table(as_loss("ksh"), 8))


def test_a_third_parameter_of_its_own_keeps_its_default():
    assert FunctionLoss(lambda s, y, margin=2: margin)(0, 1, 32) == 2
    assert FunctionLoss(lambda s, y, m: m)(0, 1, 32) == 32
    assert FunctionLoss(lambda s, y, n_bits=2: n_bits)(0, 1, 32) == 32
    assert FunctionLoss(lambda s, y, *, margin=3: margin)(0, 1, 32) == 3
    assert FunctionLoss(np.hypot)(3, 4, 32) == 5  # compiled, without a signature


@pytest.mark.parametrize(
    "function",
    [lambda s, y: np.nan, lambda s, y: "much", lambda s, y: [1, 2], lambda s, y: 1j],
)
def test_functions_that_give_no_number_are_refused(function):
    with pytest.raises(ValueError, match="finite number"):
        loss_table(FunctionLoss(function), 4)


def test_unknown_losses_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'bre'"):
        as_loss("mse")
    with pytest.raises(TypeError, match="a Loss or a function"):
        as_loss(3)
    with pytest.raises(TypeError, match="a Loss or a function"):
        as_loss(LOSSES.get("ksh"))


def test_parameters_follow_scikit_learn():
    loss = as_loss("hinge").set_params(rho=2)
    assert loss.get_params() == {"rho": 2, "weight": 0.5}
    assert isinstance(loss, Loss)


def test_a_tabulated_loss_is_the_loss_and_is_not_called_again():
    calls = []
    loss = as_loss(lambda s, y: calls.append(1) or (s - y) ** 2)
    kept = tabulate(loss, 6)
    assert len(calls) == 2 * 13
    assert loss_table(kept, 6) is loss_table(tabulate(kept, 6), 6)
    assert not is_groupable(kept, 6)
    assert len(calls) == 2 * 13
    np.testing.assert_array_equal(loss_table(kept, 5), loss_table(loss, 5))  # of another length
    assert repr(kept) == repr(loss)


def test_a_changed_or_cloned_loss_has_no_kept_table():
    loss = as_loss("ee")
    kept = tabulate(loss, 4)
    loss.set_params(weight=1.0)
    assert loss_table(loss, 4)[0, 0] != loss_table(kept, 4)[0, 0]
    copied = clone(kept).set_params(weight=1.0)
    np.testing.assert_array_equal(loss_table(copied, 4), loss_table(loss, 4))


@pytest.mark.parametrize("n_bits", [1, 8])
def test_a_loss_that_no_code_changes_is_refused(n_bits):
    """It once gave codes that nothing had decided."""
    parity = as_loss(lambda s, y: (s + n_bits) % 2)  # s is always n_bits less an even number
    for loss in (as_loss(lambda s, y: 3), as_loss(lambda s, y: 1 + y), parity):
        with pytest.raises(ValueError, match=r"must depend on s"):
            tabulate(loss, n_bits)
    tabulate(as_loss(lambda s, y: max(0, s) if y < 0 else 0), n_bits)
