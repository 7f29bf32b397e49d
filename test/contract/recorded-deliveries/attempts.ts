import { expect } from 'chai';
import { emptyBatch, leaseRequest, succeeded } from '../../support/deliveries/delivery-batches.js';
import { until } from '../../support/until.js';
import { hour, minute, second } from '../delivery-queue/context.js';
import {
  attemptAll,
  idOfListener,
  later,
  listenerOf,
  nameOf,
  queued,
  type RecordedContext,
  recorded,
  statesOf,
} from './context.js';

const { noon } = recorded;

export function recordedAttemptsContract({ queue, openLeased }: RecordedContext): void {
  it('are attempted once, when they are due, their attempts numbered on, in order where that is kept', async () => {
    const numbered = (name: string, from: number, to: number, attempt: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `${name}-${from + index} ${attempt}`);
    const redelivered = 'exhausted-2 2';
    const underWay = ['underWay-0 3', ...numbered('underWay', 1, 2, 1), ...numbered('arriving', 1, 2, 1)];
    const ordered = ['ordered-1 2', ...numbered('ordered', 2, 3, 1)];
    const blocked = ['blocked-0 2', ...numbered('blocked', 1, 2, 1)];
    const due: readonly (readonly [number, readonly string[]])[] = [
      [later, [...underWay, ...ordered, ...numbered('waiting', 0, 2, 1), redelivered, 'replayed-1 1']],
      [noon + 20 * second, numbered('failing', 10, 14, 1)],
      [noon + 5 * minute, blocked],
      [noon + 10 * minute, ['retried-0 2', ...numbered('failing', 0, 9, 2)]],
      [noon + 30 * minute, ['asking-0 2', 'asking-1 1']],
      [noon + hour, ['retried-1 4']],
    ];
    /** Attempts without those whose probe was under way: see below. */
    const attempted = async (now: number) =>
      (await attemptAll(queue(), now)).filter((each) => !each.startsWith('probed'));
    for (const [at, expected] of due) {
      const before = at === later ? [] : await attempted(at - 1);
      expect(before, `before ${new Date(at).toISOString()}`).to.deep.equal([]);
      const now = await attempted(at);
      expect(now, new Date(at).toISOString()).to.have.members(expected);
      for (const inOrder of [ordered, blocked])
        if (expected.includes(inOrder[0] ?? ''))
          expect(now.filter((each) => inOrder.includes(each))).to.deep.equal(inOrder);
    }
    expect(await attemptAll(queue(), noon + 24 * hour), 'nothing is left').to.deep.equal([]);
    const counts = { waiting: 0, held: 4, exhausted: 2, cancelled: 4 };
    expect(await queue().counts(noon + 24 * hour)).to.include(counts);
  });

  it('whose attempts were under way are due again once their leases have expired, or at once', async () => {
    await openLeased(2 * second);
    const expected = ['underWay-0 3', 'underWay-1 1', 'underWay-2 1', 'arriving-1 1', 'arriving-2 1'];
    const inOrder = ['ordered-1 2', 'ordered-2 1', 'ordered-3 1'];
    const attempted: string[] = [];
    await until(async () => {
      attempted.push(...(await attemptAll(queue(), later)));
      return [...expected, ...inOrder].every((each) => attempted.includes(each));
    }, 'the attempts under way to be repeated');
    expect(attempted, 'each once').to.deep.equal([...new Set(attempted)]);
    expect(attempted.filter((each) => each.startsWith('ordered'))).to.deep.equal(inOrder);
    expect(attempted.filter((each) => /^(pausedLater|closedLater)/.test(each))).to.deep.equal([]);
  });

  it('of a listener whose breaker is open wait for its time, then one is the probe', async () => {
    expect((await queue().counts(noon)).openBreakers).to.equal(2);
    const failing = idOfListener('failing');
    const health = (await queue().listenerStates([failing])).get(failing)?.health;
    expect(health?.breaker).to.deep.equal({ openings: 1, openUntil: noon + 20 * second, probing: false });
    expect(health?.failing).to.include({ since: noon - 10 * second, attempts: 10 });
    const before = await attemptAll(queue(), noon + 20 * second - 1);
    expect(before.filter((each) => each.startsWith('failing'))).to.deep.equal([]);

    const afterProbe = noon + 62 * second; // of the listener whose probe was under way, at the latest
    const { deliveries } = await queue().lease(leaseRequest({ now: afterProbe }));
    const names = deliveries.map(nameOf).map(listenerOf);
    expect(names.filter((name) => name === 'failing')).to.have.length(1);
    expect(names.filter((name) => name === 'probed')).to.have.length.at.most(1);
    await queue().record(deliveries.map(succeeded), afterProbe);
    await attemptAll(queue(), afterProbe);
    expect((await queue().counts(noon)).openBreakers).to.equal(0);
    expect(await statesOf(queue(), 'failing')).to.include.members(['failing-10 succeeded 1', 'failing-14 succeeded 1']);
    expect(await statesOf(queue(), 'probed')).to.include.members(['probed-10 succeeded 1', 'probed-11 succeeded 1']);
  });

  it('that are held stay held until their listener is resumed and they are released', async () => {
    await attemptAll(queue(), noon + 24 * hour);
    expect(await statesOf(queue(), 'paused')).to.deep.equal(['paused-0 held 1', 'paused-1 held 0']);
    expect(await statesOf(queue(), 'pausedLater')).to.deep.equal(['pausedLater-0 held 0', 'pausedLater-1 held 0']);

    const resumed = ['paused', 'pausedLater'].map(queued);
    await queue().enqueue({ ...emptyBatch, listeners: resumed }, noon + 24 * hour);
    expect(await attemptAll(queue(), noon + 24 * hour)).to.deep.equal([]);
    const released = resumed.map(({ listenerId, position: before }) => ({ listenerId, before }));
    await queue().enqueue({ ...emptyBatch, released }, noon + 24 * hour);
    expect(await attemptAll(queue(), noon + 24 * hour)).to.have.members([
      ...['paused-0 2', 'paused-1 1', 'pausedLater-0 1', 'pausedLater-1 1'],
    ]);
  });
}
