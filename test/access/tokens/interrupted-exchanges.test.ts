import { expect } from 'chai';
import { interruptedExchanges } from '../../../src/access/tokens/exchange-code.js';

describe('interrupted exchanges', () => {
  it('are forgotten when no code of that time is accepted any more', () => {
    let ms = 0;
    const interrupted = interruptedExchanges(() => new Date(ms));
    interrupted.add('session');
    ms = 719_999;
    expect(interrupted.has('session')).to.equal(true);
    ms = 720_000;
    expect(interrupted.has('session')).to.equal(false);
  });

  it('are remembered in bounded memory, the most recent ones', () => {
    const interrupted = interruptedExchanges(() => new Date(0));
    for (let count = 0; count <= 10_000; count += 1) interrupted.add(`session ${count}`);
    expect(interrupted.has('session 0')).to.equal(false);
    expect(interrupted.has('session 1')).to.equal(true);
    expect(interrupted.has('session 10000')).to.equal(true);
  });
});
