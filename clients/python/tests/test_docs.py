from __future__ import annotations

import ast
import inspect
import unittest
from pathlib import Path

import flow_hooks
from flow_hooks.api.routes import Routes

ALIASES = {"BatchResult", "PublishResult"}
"""Types that have no docstring at run time."""


def documented_aliases() -> set[str]:
    """Names that are assigned on the line before a text, in the modules of the package."""
    found: set[str] = set()
    for module in Path(flow_hooks.__file__).parent.glob("*.py"):
        body = ast.parse(module.read_text()).body
        for assigned, after in zip(body, body[1:]):
            if isinstance(assigned, ast.AnnAssign) and isinstance(after, ast.Expr):
                if isinstance(assigned.target, ast.Name) and isinstance(after.value, ast.Constant):
                    found.add(assigned.target.id)
    return found


class Docstrings(unittest.TestCase):
    def test_are_on_every_public_name(self) -> None:
        aliases = documented_aliases()
        missing: list[str] = []
        for name in flow_hooks.__all__:
            value = getattr(flow_hooks, name)
            own = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
            if name != "__version__" and not (name in aliases if name in ALIASES else own):
                missing.append(name)
        for owner in (flow_hooks.FlowHooks, flow_hooks.FlowHooksError, Routes):
            for name, method in inspect.getmembers(owner, inspect.isfunction):
                if not name.startswith("_") and not inspect.getdoc(method):
                    missing.append(f"{owner.__name__}.{name}")
        self.assertEqual(missing, [])
