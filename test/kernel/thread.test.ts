import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { startThread } from '../../src/kernel/threads/thread.js';
import { rejection } from '../support/rejection.js';
import type { Unclosable } from './unclosable-thread.js';

describe('a thread', () => {
  it('ends even if its resources cannot be closed', async () => {
    const made = once(process, 'worker') as Promise<[Worker]>;
    const thread = await startThread<Unclosable>(new URL('./unclosable-thread.js', import.meta.url), undefined, {
      what: 'the thread',
      onMessage: () => undefined,
      onFailure: (error) => expect.fail(error.message),
    });
    const [worker] = await made;
    const ended = once(worker, 'exit');
    expect(await rejection(thread.close())).to.have.property('message', 'it is not closed');
    await ended;
  });
});
