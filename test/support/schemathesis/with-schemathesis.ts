import { testRequirements } from '../python/install-python-packages.js';
import { withPythonPackages } from '../python/with-python-packages.js';

/** Two processors that other tests keep busy take ten times as long as two that are idle. */
const limitMs = 840_000;

/** Defines tests that need schemathesis. If it cannot be installed, defines one test that reports this instead. */
export const withSchemathesis = (what: string, tests: () => void): void =>
  withPythonPackages(what, { requirements: testRequirements, limitMs }, tests);
