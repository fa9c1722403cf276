"""The type checker of an editor accepts what users write, as mypy does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.documents.blocks import read_blocks
from tests.documents.not_run import ROOT

CHECKER = Path(sys.executable).with_name("basedpyright")  # Pyright with Node in its wheel
SETTINGS = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT / "src")]}


def test_pyright_accepts_the_readme_and_a_users_program(tmp_path):
    blocks = [block.code for block in read_blocks(ROOT / "README.md") if block.language == "python"]
    (tmp_path / "readme.py").write_text("\n".join(blocks))
    (tmp_path / "program.py").write_text((ROOT / "tests" / "typed_use.py").read_text())
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(SETTINGS))
    command = [CHECKER, "--pythonpath", sys.executable]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.stdout.startswith("0 errors, 0 warnings"), result.stdout + result.stderr
