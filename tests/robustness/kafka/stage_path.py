"""Puts the harness of the worker's tests on the path of those beside this file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "integration" / "worker"))
