import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { type EvaluationProcess, evaluationProcess } from '../../../src/deliveries/transforms/evaluation-process.js';
import { startEvaluator } from '../../../src/deliveries/transforms/start-evaluator.js';

const limits = { timeMs: 1_000, bytes: 10_000, depth: 20 };

describe('a process of evaluations', function () {
  this.timeout(60_000);
  let opened: EvaluationProcess | undefined;
  afterEach(() => opened?.stop());

  /** Evaluates with these processes, one after the other, and then usual ones. */
  function evaluationWith(...processes: readonly (() => ChildProcess)[]): () => ReturnType<EvaluationProcess['add']> {
    const next = processes.values();
    opened = evaluationProcess(limits, 200, (given) => next.next().value?.() ?? startEvaluator(given));
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
      const evaluate = evaluationWith(start);
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
    const evaluate = evaluationWith(dying, withoutDescriptors);
    expect(await evaluate()).to.deep.equal({ kind: 'busy' });
    expect(await evaluate()).to.deep.equal({ kind: 'done', body: '1' });
  });

  it('that was suspended is replaced, and the expression is not blamed', async () => {
    const suspended = () => {
      const process = startEvaluator(limits);
      process.kill('SIGSTOP');
      return process;
    };
    expect(await evaluationWith(suspended)()).to.deep.equal({ kind: 'done', body: '1' });
  });
});
