"""Laws of means."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from hashlearn.metrics._means import mean_of_defined


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_a_mean_of_nothing_warns(values):
    with pytest.warns(UndefinedMetricWarning, match="No query has a relevant item"):
        assert np.isnan(mean_of_defined(np.array(values)))
