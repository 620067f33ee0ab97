"""The service's URL as people write it: with or without the API version."""

from urllib.parse import urlsplit

BASE_HINT = "Check base_url: the base of the API ends in /v1."
"""What to look at where something else than the API has answered."""

_EXAMPLE = "An example: https://media.example.com/v1"


def api_url(text: str, source: str) -> str:
    """
    The URL with ``/v1``, which is added where the URL has no path. A path is kept as it is, because a proxy may give
    the API another one. Raises ValueError, which names ``source``, for what is not an http or https URL.
    """
    scheme, host, path, query, fragment = urlsplit(text)
    if scheme not in ("http", "https") or not host:
        raise ValueError(
            f"{source} is not a URL that begins with http:// or https://: {text}. {_EXAMPLE}"
        )
    if query or fragment:
        raise ValueError(f"{source} must end with its path, such as /v1: {text}. {_EXAMPLE}")
    return f"{scheme}://{host}{path.rstrip('/') or '/v1'}"
