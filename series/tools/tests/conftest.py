# SPDX-License-Identifier: GPL-2.0
"""Tests import the tools by their names."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(name="where")
def a_folder(tmp_path):
    """One of the test's own."""
    return str(tmp_path)
