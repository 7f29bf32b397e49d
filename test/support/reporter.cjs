const { relative } = require('node:path');
const { reporters } = require('mocha');

/**
 * Mocha's own report, then the seconds of each test file, and a last line that a script can read. Tests that did not run
 * are counted in that line.
 */
module.exports = class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const elapsedMs = new Map();
    let startedMs = 0;
    runner.on('suite', ({ parent }) => {
      if (parent?.root) startedMs = performance.now();
    });
    runner.on('suite end', ({ parent, file }) => {
      if (parent?.root) elapsedMs.set(file, (elapsedMs.get(file) ?? 0) + performance.now() - startedMs);
    });
    runner.once('end', () => {
      for (const [file, ms] of elapsedMs)
        console.log(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${relative(process.cwd(), file)}`);
      const { passes, failures, pending } = this.stats;
      console.log(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`);
    });
  }
};
