import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { followFiles } from '../../../src/access/keys/key-files.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const everyMs = 10;

describe('following files with keys', () => {
  let file: string;
  let stop: () => void;
  let calls: number;
  let failure: Error | undefined;
  let errors: number;
  beforeEach(() => {
    file = join(temporaryDirectory(), 'keys');
    writeFileSync(file, 'one');
    [calls, errors, failure] = [0, 0, undefined];
    stop = followFiles([file], {
      what: 'keys',
      checkEveryMs: everyMs,
      lookEveryMs: everyMs,
      log: {
        info: () => undefined,
        error: () => {
          errors += 1;
        },
      },
      async onChanged() {
        calls += 1;
        if (failure) throw failure;
      },
    });
  });
  afterEach(() => stop());

  const called = (times: number) => until(() => calls === times, `call ${times}, after ${calls}`);
  const remainsQuiet = async () => {
    const before = calls;
    await pause(20 * everyMs);
    expect(calls).to.equal(before);
  };

  it('reads them once after the start, and again after each change, also by a rename of the same size', async () => {
    await called(1);
    await remainsQuiet();
    writeFileSync(file, 'two and more');
    await called(2);
    writeFileSync(`${file}.new`, 'three, as much');
    renameSync(`${file}.new`, file);
    await called(3);
    await remainsQuiet();
  });

  it('repeats a failed reading until it succeeds, and logs each reason once', async () => {
    failure = new Error('not JSON');
    await until(() => calls > 3, 'repeated calls');
    expect(errors).to.equal(1);
    failure = undefined;
    const before = calls;
    await called(before + 1);
    await remainsQuiet();
    failure = new StoreUnavailable('down');
    writeFileSync(file, 'again');
    await until(() => calls > before + 3, 'repeated calls');
    expect(errors).to.equal(1);
  });

  it('logs a missing file once, and reads the next one', async () => {
    await called(1);
    rmSync(file);
    await until(() => errors === 1, 'an error in the log');
    await remainsQuiet();
    expect(errors).to.equal(1);
    writeFileSync(file, 'back');
    await called(2);
  });

  it('ends when it is stopped', async () => {
    await called(1);
    stop();
    writeFileSync(file, 'changed after that');
    await remainsQuiet();
  });
});
