"""What the service takes and answers, as dicts: ``Video`` and ``Image`` are unions by their status."""

from .gen.types import *
