"""The paper's experiments: results as data, tables and pictures."""

import hashlearn._public  # noqa: F401  registers every method that a table may ask for
