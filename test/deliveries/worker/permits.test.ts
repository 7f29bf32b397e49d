import { expect } from 'chai';
import { permitRenewal } from '../../../src/deliveries/worker/gates.js';
import { rejection } from '../../support/rejection.js';

describe('permits that have run out', () => {
  let looks: { ids: readonly string[]; answer: (closed: readonly string[]) => void; fail: (error: Error) => void }[];
  let now: number;
  let renew: ReturnType<typeof permitRenewal>;

  beforeEach(() => {
    looks = [];
    now = 0;
    renew = permitRenewal(
      {
        closedGates: (ids) =>
          new Promise((resolve, reject) => {
            looks.push({ ids, answer: (closed) => resolve(new Set(closed)), fail: reject });
          }),
      },
      { moment: () => now },
    );
  });

  it('are good again from the moment before the look, where the gate is open', async () => {
    now = 7;
    const permit = renew('a');
    now = 9;
    looks[0]?.answer([]);
    expect(await permit).to.equal(7);
  });

  it('are not renewed where the gate is closed', async () => {
    const permit = renew('a');
    looks[0]?.answer(['a']);
    expect(await permit).to.equal(undefined);
  });

  it('are looked at together, and never while a look is under way', async () => {
    const first = renew('a');
    const later = ['b', 'c', 'b'].map((listenerId) => renew(listenerId));
    expect(looks).to.have.length(1);
    now = 5;
    looks[0]?.answer([]);
    await first;
    while (looks.length < 2) await new Promise(setImmediate);
    expect(looks[1]?.ids).to.deep.equal(['b', 'c']);
    looks[1]?.answer(['c']);
    expect(await Promise.all(later)).to.deep.equal([5, undefined, 5]);
  });

  it('fail for the waiting callers if the queue fails, and for none of the later ones', async () => {
    const failing = rejection(renew('a'));
    looks[0]?.fail(new Error('away'));
    expect(await failing).to.have.property('message', 'away');
    const next = renew('a');
    while (looks.length < 2) await new Promise(setImmediate);
    looks[1]?.answer([]);
    expect(await next).to.equal(0);
  });
});
