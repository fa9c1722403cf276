"""The code in documents runs as it stands, from the first block to the last."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["scale.md"])
def test_the_blocks_of_a_document_run_in_order(name, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), flags=re.DOTALL)
    assert blocks
    (tmp_path / "blocks.py").write_text("\n".join(blocks))
    result = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "blocks.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
