import { notRun } from '../not-run.js';
import { installSchemathesis } from './install-schemathesis.js';

/** Two processors that other tests keep busy take ten times as long as two that are idle. */
const limitMs = 840_000;

/** Defines tests that need schemathesis. If it cannot be installed, defines one test that reports this instead. */
export function withSchemathesis(what: string, tests: () => void): void {
  try {
    installSchemathesis();
  } catch (error) {
    notRun(what, error as Error);
    return;
  }
  describe(what, function () {
    this.timeout(limitMs);
    tests();
  });
}
