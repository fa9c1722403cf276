"""The README's example runs as it stands and says what it promises."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_first_example_runs(tmp_path):
    block = re.search(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL).group(1)
    assert len(block.strip().splitlines()) <= 11
    (tmp_path / "example.py").write_text(block)
    result = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    share, summary = result.stdout.split("\n", 1)
    assert float(share) > 0.9
    assert "training items, 32 bits" in summary
    assert (tmp_path / "digits.hashlearn").is_file()


def test_every_named_file_is_there():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text())
    assert links
    assert all((README.parent / link).is_file() for link in links)
