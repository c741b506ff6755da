"""The resources of the service, found by lying here.

The `ENDPOINTS` of a file do what the reference says of its resources, and its `TABLES` are the SQL of what
they keep.
"""

from importlib import import_module
from pkgutil import iter_modules

RESOURCES = tuple(import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__))
