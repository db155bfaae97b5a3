"""The packages of multihop, by their full names."""

import pkgutil

import multihop

PACKAGES = ["multihop", *(each.name for each in pkgutil.walk_packages(multihop.__path__, "multihop.") if each.ispkg)]
