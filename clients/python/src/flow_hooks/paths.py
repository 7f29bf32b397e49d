from __future__ import annotations

from urllib.parse import quote

from .errors import FlowHooksError


def quoted(parameter: str) -> str:
    """As a segment of a path. Raises FlowHooksError if it is empty: the path would be that of another route."""
    if not parameter:
        raise FlowHooksError("invalid_option", "a parameter of the path is empty")
    if parameter in (".", ".."):
        return parameter.replace(".", "%2E")  # else urllib3 takes the segment away (RFC 3986 §5.2.4)
    return quote(parameter, safe="")
