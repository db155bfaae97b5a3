"""The socket that a server listens at, taken before anything else is done, so that a taken port is told at once."""

import os
import socket

from ..base import InputError


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at the host and port; 0 takes a free port.

    Raises:
        InputError: The port is taken, or the host is none of this machine.

    Examples:
        >>> from multihop.serve.listener import address_of_socket, listening_socket
        >>> with listening_socket("127.0.0.1", 0) as listener:
        ...     address_of_socket(listener, "127.0.0.1").startswith("http://127.0.0.1:")
        True
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", None) or error
        raise InputError(f"cannot serve at {host}:{port}: {reason}; choose another --host or --port.") from None
    listener.setblocking(False)
    return listener


def address_of_socket(listener: socket.socket, host: str) -> str:
    """The address that clients ask, with the port that was taken."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


def is_local(host: str) -> bool:
    """True if only this machine can ask a server that listens there.

    Examples:
        >>> from multihop.serve.listener import is_local
        >>> [host for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0") if is_local(host)]
        ['127.0.0.1', 'localhost', '::1']
    """
    return host in ("localhost", "::1") or host.startswith("127.")
