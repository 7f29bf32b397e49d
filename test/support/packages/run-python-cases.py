"""Runs the tests in the folder `tests`, and prints each with "ok" or with its failure: a JSON object."""

import json
import sys
import unittest


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.outcomes = {}

    def addSuccess(self, test):
        self.outcomes[test.id()] = "ok"

    def addFailure(self, test, err):
        self.outcomes[test.id()] = self._exc_info_to_string(err, test)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.outcomes[test.id()] = f"{subtest}\n{self._exc_info_to_string(err, test)}"

    def addSkip(self, test, reason):
        self.outcomes[test.id()] = f"skipped: {reason}"


outcomes = Outcomes()
unittest.defaultTestLoader.discover("tests", top_level_dir=".").run(outcomes)
json.dump(outcomes.outcomes, sys.stdout)
