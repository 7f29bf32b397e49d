import { expect } from 'chai';
import { fanOutShares, type Pace, waitingPaces } from '../../../src/deliveries/fan-out/pace.js';

describe("an organisation's share of the fan-out's time", () => {
  it('is 5 ms at once and a fifth of each second, independent of others', () => {
    let now = 1_000;
    const shareOf = fanOutShares(() => now);
    const { mayContinue, evaluate } = shareOf('acme');
    const evaluateFor = (ms: number) =>
      evaluate(() => {
        now += ms;
        return true;
      });
    expect(mayContinue()).to.equal(true);
    expect(evaluateFor(4)).to.equal(true);
    expect(mayContinue()).to.equal(true);
    evaluateFor(25);
    expect([mayContinue(), shareOf('acme').mayContinue(), shareOf('globex').mayContinue()]).to.deep.equal([
      false,
      false,
      true,
    ]);
    now += 100;
    expect(mayContinue(), '5 ms are left of what was used').to.equal(false);
    now += 10;
    expect(mayContinue()).to.equal(true);
  });
});

describe('the pace of events that wait', () => {
  /** The filter takes 10 ms. */
  const evaluate = (pace: Pace) =>
    pace.evaluate(() => {
      now += 10;
      return true;
    });
  let now = 0;

  it('pauses after each slice for three times as long, one organisation after another', async () => {
    const paceOf = waitingPaces(new AbortController().signal, () => now);
    const [one, another] = [paceOf(), paceOf()];
    expect(one.mayContinue()).to.equal(true);
    const startedAt = performance.now();
    for (const pace of [one, another]) expect(evaluate(pace)).to.equal(true);
    expect(await Promise.all([one.mayContinue(), another.mayContinue()])).to.deep.equal([true, true]);
    expect(performance.now() - startedAt).to.be.above(58);
    expect(one.mayContinue()).to.equal(true);
  });

  it('ends when it is stopped', async () => {
    const stopping = new AbortController();
    const pace = waitingPaces(stopping.signal, () => now)();
    evaluate(pace);
    stopping.abort();
    expect(await pace.mayContinue()).to.equal(false);
  });
});
