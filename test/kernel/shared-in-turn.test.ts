import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { sharedInTurn } from '../../src/kernel/shared-interval.js';

describe('a call that is shared in a turn of the event loop', () => {
  it('is executed once for the callers of the turn, after their calls, and again for later ones', async () => {
    let value = 'before';
    let executions = 0;
    const read = sharedInTurn(async () => {
      executions += 1;
      return value;
    });
    const first = read();
    await Promise.resolve();
    value = 'during';
    expect(await Promise.all([first, read()])).to.deep.equal(['during', 'during']);
    expect(executions).to.equal(1);
    value = 'after';
    expect(await read()).to.equal('after');
    expect(executions).to.equal(2);
  });

  it('does not join one under way, whose result may be from before the call', async () => {
    const answers: (() => void)[] = [];
    const read = sharedInTurn(() => new Promise<number>((resolve) => answers.push(() => resolve(answers.length))));
    const first = read();
    await nextTurn();
    await nextTurn();
    const second = read();
    await nextTurn();
    await nextTurn();
    expect(answers).to.have.length(2);
    for (const answer of answers) answer();
    await Promise.all([first, second]);
  });

  it('fails for all its callers, and is tried again for later ones', async () => {
    let fails = true;
    const read = sharedInTurn(async () => {
      if (fails) throw new Error('no answer');
      return 'an answer';
    });
    const outcomes = await Promise.allSettled([read(), read()]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await read()).to.equal('an answer');
  });
});
