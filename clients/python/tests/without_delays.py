from __future__ import annotations

import unittest
from unittest import mock


class WithoutDelays(unittest.TestCase):
    """Records the delays between attempts in `delays`, in place of waiting."""

    delays: list[float]

    def setUp(self) -> None:
        self.delays = []
        patched = mock.patch("flow_hooks.transport.sleep", self.delays.append)
        patched.start()
        self.addCleanup(patched.stop)
