"""What the service takes and answers, as dicts: ``Video`` and ``Image`` are unions by their status."""

from .gen.types import *

# Names of earlier versions.
VideoFilter = GenerationFilter
ImageFilter = GenerationFilter
FileFilter = PageFilter
VideoGenerationStatus = GenerationStatus
ImageGenerationStatus = GenerationStatus
