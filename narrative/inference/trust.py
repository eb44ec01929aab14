"""Whose certificates are trusted: the system's, certifi's, and those of the operator's own file.

There is no switch that turns verification off. Knows no HTTP.
"""

import ssl
from functools import cache

import certifi


@cache
def tls_context(ca_file: str = "") -> ssl.SSLContext:
    """Trust for outgoing connections. Loading the certificates takes tens of milliseconds, so once.

    The system's store alone would know a private authority that the operator installed there, certifi alone
    a current list on an old system; together they know both. Raises OSError where ``ca_file`` cannot be read
    or holds no certificate (ssl.SSLError is one).
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    if ca_file:
        context.load_verify_locations(ca_file)
    return context
