import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { abortedByAny } from '../../src/kernel/unless-aborted.js';

describe('a signal of several', () => {
  setFlagsFromString('--expose-gc');
  const collectAll = runInNewContext('gc') as () => void;

  it('is aborted with one of them, also if the whole heap was collected before anything listened to it', async () => {
    async function isAborted(): Promise<boolean> {
      const stopping = new AbortController();
      let changing = new AbortController();
      const waiting = async () => {
        const signal = abortedByAny(stopping.signal, changing.signal);
        await pause(20);
        return signal.aborted;
      };
      const waited = waiting();
      await pause(3);
      collectAll();
      changing.abort();
      changing = new AbortController();
      return waited;
    }
    const all: boolean[] = [];
    for (let round = 0; round < 10; round += 1) all.push(...(await Promise.all([isAborted(), isAborted()])));
    expect(all).to.not.include(false);
  });
});
