import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { type Lane, lane } from '../../../src/deliveries/transforms/lane.js';
import { startEvaluator } from '../../../src/deliveries/transforms/start-evaluator.js';

const limits = { timeMs: 1_000, bytes: 10_000, depth: 20 };

describe('a process of evaluations', function () {
  this.timeout(60_000);
  let opened: Lane | undefined;
  afterEach(() => opened?.stop());

  /** Evaluates in a lane whose processes are these, one after the other, and then usual ones. */
  function laneWith(...processes: readonly (() => ChildProcess)[]): () => ReturnType<Lane['add']> {
    const next = processes.values();
    opened = lane(limits, 200, (given) => next.next().value?.() ?? startEvaluator(given));
    const { add } = opened;
    return () => add({ orgId: 'acme', owner: 'l1' }, { expression: 'id', body: '{"id":1}' });
  }

  const withoutDescriptors = () => {
    const process = new EventEmitter() as ChildProcess; // as Node answers EMFILE and EAGAIN: without `send`
    setImmediate(() => process.emit('error', new Error('spawn EMFILE')));
    return process;
  };
  const withoutMemory = () => {
    throw new Error('spawn ENOMEM');
  };

  for (const [what, start] of [
    ['descriptors', withoutDescriptors],
    ['memory', withoutMemory],
  ] as const) {
    it(`that the system has no ${what} for is to be tried again later`, async () => {
      const evaluate = laneWith(start);
      expect(await evaluate()).to.deep.equal({ kind: 'busy' });
      expect(await evaluate()).to.deep.equal({ kind: 'done', body: '1' });
    });
  }

  it('that could not be replaced after its end is to be tried again later', async () => {
    const dying = () => {
      const process = startEvaluator(limits);
      process.kill('SIGKILL');
      return process;
    };
    const evaluate = laneWith(dying, withoutDescriptors);
    expect(await evaluate()).to.deep.equal({ kind: 'busy' });
    expect(await evaluate()).to.deep.equal({ kind: 'done', body: '1' });
  });

  it('that was suspended is replaced, and the expression is not blamed', async () => {
    const suspended = () => {
      const process = startEvaluator(limits);
      process.kill('SIGSTOP');
      return process;
    };
    expect(await laneWith(suspended)()).to.deep.equal({ kind: 'done', body: '1' });
  });
});
