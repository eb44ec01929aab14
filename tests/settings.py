"""The project's settings, on a folder of their own that goes with the test run, and without a network."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_FOLDER = Path(tempfile.mkdtemp(prefix="storyteller-tests-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)

for name in [name for name in os.environ if name.startswith("STORYTELLER_") and "_TEST_" not in name]:
    del os.environ[name]
os.environ["STORYTELLER_DATA"] = str(_FOLDER)
os.environ["STORYTELLER_INFERENCE_API"] = "rehearsal"
os.environ["STORYTELLER_REHEARSAL_RATE"] = "0"

from storyteller.settings import *  # noqa: E402, F403 - the environment has to be ready first
from storyteller.settings import DATABASES  # noqa: E402

# A file, not shared memory: readers of shared memory are locked out at once while somebody writes.
DATABASES["default"]["TEST"] = {"NAME": _FOLDER / "test.sqlite3"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DERIVED_WORK = False
