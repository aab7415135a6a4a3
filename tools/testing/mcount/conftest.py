# SPDX-License-Identifier: GPL-2.0
"""A directory of its own for every behaviour test."""
import os
import re
import shutil

import pytest

from helpers import OUT


@pytest.fixture(name="d")
def a_directory(request):
    path = os.path.join(OUT, "t", re.sub(r"\W", "_", request.node.name))
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    yield path
    shutil.rmtree(path, ignore_errors=True)
