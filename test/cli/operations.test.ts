import { expect } from 'chai';
import { subscribeOperationsRoute } from '../../src/admin/api/contracts/operations.js';
import type { Subject } from '../../src/cli/route-command.js';
import { addCommands } from '../../src/cli/subjects/operations.js';
import type { RouteAnswer } from '../../src/http/route-contract.js';
import { givenOperations } from '../support/admin/given-operations.js';

type Says = (answer: RouteAnswer<typeof subscribeOperationsRoute>) => string;

/** The sentence of the command about an answer of its route. */
function saysOfSubscribe(): Says {
  let says: Says = () => '';
  const add = (name: string, _: object, declared: { says: Says }) => {
    if (name === 'subscribe') says = declared.says;
  };
  addCommands({ add } as unknown as Subject);
  return says;
}

describe('subscribing to operational events on the command line', () => {
  it('says which subscription it replaced', async () => {
    const operations = await givenOperations();
    const says = saysOfSubscribe();
    const lines: string[] = [];
    for (const subscriptionType of ['listener.*', 'delivery.*', 'delivery.*']) {
      const body = { hookUrl: 'https://hooks.example.com/ops', subscriptionType };
      const operator = { actor: 'admin:ops', role: 'owner', orgId: null } as const;
      lines.push(says(await operations.api.call(subscribeOperationsRoute, { body }, operator)));
    }
    expect(lines.map((line) => /gets (.*), signed/.exec(line)?.[1])).to.deep.equal([
      'listener.*',
      'delivery.*, in place of listener.*',
      'delivery.*',
    ]);
    await operations.stop();
  });
});
