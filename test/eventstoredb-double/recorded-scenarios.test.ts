import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startEventStoreDouble } from '../support/eventstoredb/start-double.js';

const compare = 'test/support/eventstoredb/scenarios/compare.mjs';

describe('the double of EventStoreDB, asked what a real one was asked', () => {
  it('gives the same answers in every scenario that it is made for', async function () {
    this.timeout(240_000);
    const double = await startEventStoreDouble();
    try {
      // It exits with 1 where anything differs: what it printed says what.
      const { stdout } = await promisify(execFile)(process.execPath, [
        compare,
        double.url,
        '--except=persistent',
      ]).catch((failure) => failure as { stdout: string });
      expect(stdout.trimEnd().split('\n').at(-1), stdout).to.equal('92 passed, 0 failed');
    } finally {
      await double.stop();
    }
  });
});
