"""What can go wrong at the door, one class per failure that a caller can act on."""


class AccessError(Exception):
    """Base of this app's errors. The message is fit for the person who reads it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SignInLinkError(AccessError):
    """A sign-in link that does not sign anybody in: unknown, used, or expired."""


class OwnerNameTakenError(AccessError):
    """There is no administrator, and the owner's name belongs to an account that is none."""


class TokenNameError(AccessError):
    """A name that no token can have, or that another token has."""


class UnknownTokenError(AccessError):
    """No token in use goes by this name or number."""


class ListenError(Exception):
    """The server cannot listen where it was asked to. The message says what would do."""


class DatabaseNotReadyError(Exception):
    """The database has to be made or upgraded first."""

    def __init__(self) -> None:
        super().__init__(
            "The database is not ready for this version of the game. "
            "Start the game once with manage.py play, or run manage.py migrate."
        )
