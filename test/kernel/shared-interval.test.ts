import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { everyInterval, nextInterval } from '../../src/kernel/shared-interval.js';

describe('a shared interval', () => {
  it('calls all of its functions in the same turn, until each is stopped', async () => {
    const calls: string[] = [];
    const stopOne = everyInterval(20, () => calls.push('one'));
    await nextInterval(20, new AbortController().signal);
    calls.splice(0);
    const stopOther = everyInterval(20, () => calls.push('other'));
    await nextInterval(20, new AbortController().signal);
    expect(calls).to.deep.equal(['one', 'other']);
    stopOne();
    await nextInterval(20, new AbortController().signal);
    expect(calls).to.deep.equal(['one', 'other', 'other']);
    stopOther();
    await pause(60);
    expect(calls).to.have.length(3);
  });

  it('calls a function that was added twice twice', async () => {
    let calls = 0;
    const count = () => {
      calls += 1;
    };
    const stops = [everyInterval(20, count), everyInterval(20, count)];
    await nextInterval(20, new AbortController().signal);
    for (const stop of stops) stop();
    expect(calls).to.equal(2);
  });

  it('does not call a function that another has stopped in the same tick', async () => {
    let calls = 0;
    const stopFirst = everyInterval(20, () => stopSecond());
    const stopSecond = everyInterval(20, () => {
      calls += 1;
    });
    await nextInterval(20, new AbortController().signal);
    await pause(30);
    stopFirst();
    expect(calls).to.equal(0);
  });

  it('keeps a process alive for a wait, and not for its functions', async () => {
    const module = new URL('../../src/kernel/shared-interval.js', import.meta.url);
    const source = `import { everyInterval, nextInterval } from '${module}';
      everyInterval(50, () => {});
      if (process.argv[1] === 'wait') await nextInterval(50, new AbortController().signal);
      process.on('exit', () => console.log('waited', process.argv[1]));`;
    const run = (what: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', source, what]);
    expect((await run('wait')).stdout).to.equal('waited wait\n');
    expect((await run('functions')).stdout).to.equal('waited functions\n');
  });

  it('ends a wait for its next tick at once where the signal aborts', async () => {
    const ending = new AbortController();
    const waiting = nextInterval(60_000, ending.signal);
    ending.abort();
    expect(await waiting).to.equal(false);
    expect(await nextInterval(60_000, ending.signal)).to.equal(false);
    expect(await nextInterval(20, new AbortController().signal)).to.equal(true);
  });
});
