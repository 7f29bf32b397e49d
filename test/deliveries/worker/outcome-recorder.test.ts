import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { type OutcomeRecorder, outcomeRecorder } from '../../../src/deliveries/worker/outcome-recorder.js';
import { until } from '../../support/until.js';

describe('the recorder of outcomes', () => {
  /** The number of outcomes in each write. */
  let writes: number[];
  let finishWrite: () => void;
  let recorder: OutcomeRecorder;
  let awaiting: string[];

  let ended: boolean;

  beforeEach(() => {
    ended = false;
    writes = [];
    awaiting = [];
    start(60_000);
  });

  function start(gatherMs: number | undefined): void {
    recorder = outcomeRecorder({
      queue: {
        record: (outcomes) => {
          writes.push(outcomes.length);
          return new Promise((resolve) => {
            finishWrite = () => resolve({ counted: outcomes.length, troubled: [] });
            if (ended) finishWrite();
          });
        },
      },
      log: pino({ enabled: false }),
      clock: Date.now,
      onTroubled: () => undefined,
      onWaiting: () => undefined,
      onAwaited: (listenerIds) => void awaiting.push(...listenerIds),
      ...(gatherMs !== undefined && { gatherMs }),
    });
  }
  afterEach(async () => {
    const drained = recorder.drained();
    ended = true;
    finishWrite();
    await drained;
  });

  function add(count: number, options: { awaitedBy?: string } = {}): void {
    for (let number = 0; number < count; number += 1) {
      recorder.add({ id: 'delivery', asRead: '0.0', kind: 'released' }, options);
    }
  }

  const written = (count: number) => until(() => writes.length === count, `write ${count}`);

  it('writes a hundred outcomes at once, and fewer after 100 ms', async () => {
    start(undefined);
    add(100);
    await written(1);
    add(3);
    finishWrite();
    await written(2);
    expect(writes).to.deep.equal([100, 3]);
  });

  it('gathers while it writes, and after that', async () => {
    add(100);
    await written(1);
    add(40);
    finishWrite();
    await pause(10);
    expect(writes).to.deep.equal([100]);
    add(60);
    await written(2);
    expect(writes).to.deep.equal([100, 100]);
  });

  it('writes at once an outcome that a listener waits for, with the others, and names the listener', async () => {
    add(5);
    add(1, { awaitedBy: 'listener' });
    await written(1);
    expect(writes).to.deep.equal([6]);
    add(5);
    add(1, { awaitedBy: 'listener' });
    finishWrite();
    await written(2);
    expect(writes).to.deep.equal([6, 6]);
    expect(awaiting).to.deep.equal(['listener']);
  });

  it('writes at once when it is drained', async () => {
    add(1);
    const drained = recorder.drained();
    await written(1);
    expect(writes).to.deep.equal([1]);
    finishWrite();
    await drained;
  });
});
