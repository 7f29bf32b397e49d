import { expect } from 'chai';
import { maySetAside, toClear, toRemove } from '../../../src/stores/read-model/set-aside-limits.js';

const minute = 60_000;
const now = Date.parse('2026-11-01T12:00:00Z');
const ago = (minutes: number) => ({ since: now - minutes * minute });

describe('limits of damaged builds that are set aside', () => {
  it('allow three within an hour', () => {
    expect(maySetAside([ago(59), ago(30)], now)).to.equal(true);
    expect(maySetAside([ago(59), ago(30), ago(1)], now)).to.equal(false);
    expect(maySetAside([ago(60), ago(30), ago(1)], now)).to.equal(true);
    expect(maySetAside([{ since: new Date(now - minute) }, ago(2), ago(3)], now), 'dates').to.equal(false);
  });

  it('keep the latest three, with the one that is being set aside', () => {
    expect(toRemove([])).to.deep.equal([]);
    expect(toRemove([ago(2), ago(1)])).to.deep.equal([]);
    expect(toRemove([ago(4), ago(3), ago(2), ago(1)])).to.deep.equal([ago(4), ago(3)]);
  });

  it('empty an old one that still counts, and remove any other old one', () => {
    const cleared = toClear([ago(90), ago(45), ago(10)], { olderThanMs: 30 * minute, now });
    expect(cleared).to.deep.equal({ emptied: [ago(45)], removed: [ago(90)] });
  });
});
