import { expect } from 'chai';
import type { CommandContext } from '../../src/cli/context.js';
import { subscribe } from '../../src/cli/operations/actions.js';
import { givenOperations } from '../support/admin/given-operations.js';

describe('subscribing to operational events on the command line', () => {
  it('says which subscription it replaced', async () => {
    const operations = await givenOperations();
    const lines: string[] = [];
    const output = { json: false, write: (line: string) => lines.push(line) };
    const call = (route: never, fields: object) =>
      operations.api.call(route, { body: fields } as never, { actor: 'admin:ops', role: 'owner', orgId: null });
    const context = { output, call } as unknown as CommandContext; // all that the action uses
    const options = { hookUrl: 'https://hooks.example.com/ops' };
    await subscribe({ ...options, type: 'listener.*' }, context);
    await subscribe({ ...options, type: 'delivery.*' }, context);
    await subscribe({ ...options, type: 'delivery.*' }, context);
    expect(lines.map((line) => /gets (.*), signed/.exec(line)?.[1])).to.deep.equal([
      'listener.*',
      'delivery.*, in place of listener.*',
      'delivery.*',
    ]);
    await operations.stop();
  });
});
