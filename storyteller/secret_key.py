"""The secret key: made on first run, kept in the data folder, readable by its owner alone."""

import os
import secrets
from pathlib import Path

KEY_FILE = "secret.key"


def load_secret_key(folder: Path) -> str:
    """The key in ``folder``, made first if there is none. Processes that start together get the same one."""
    path = folder / KEY_FILE
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _read(path)
    except FileNotFoundError:
        pass
    draft = folder / f".{KEY_FILE}.{secrets.token_hex(8)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64))
    try:
        os.link(draft, path)  # fails where another process was first; its key is then the key
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.replace(path)
            return _read(path)
    draft.unlink()
    return _read(path)


def _read(path: Path) -> str:
    key = path.read_text().strip()
    if len(key) < 50:
        raise ValueError(
            f"{path} holds no usable secret key. Delete the file to have a new one made; "
            "everybody must then sign in again."
        )
    return key
