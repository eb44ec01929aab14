"""The composition root: settings, addresses, access, and everything that joins the apps."""

__version__ = "0.1.0"
