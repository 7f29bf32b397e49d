import { expect } from 'chai';
import { runCli } from '../../support/service/cli.js';

/** No process listens on the port that is reserved for this. */
const nowhere = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:9?tls=false', MONGODB_URL: 'mongodb://127.0.0.1:9' };

describe('flow-hooks, where EventStoreDB and MongoDB are configured', function () {
  this.timeout(120_000);

  it('says that the one is missing where only the other is set', async () => {
    const { code, stderr } = await runCli({ MONGODB_URL: nowhere.MONGODB_URL }, 'tasks', 'show');
    expect({ code, stderr }).to.eql({
      code: 2,
      stderr: 'flow-hooks: EVENTSTOREDB_URL is needed where MONGODB_URL is set\n',
    });
  });

  for (const [what, args, says] of [
    ['the events', ['tasks', 'show'], /^flow-hooks: the event store [^\n]+\n$/],
    ['a view', ['listeners', 'list', '--org', 'a'], /^flow-hooks: MongoDB: [^\n]+\n$/],
    ['the queue', ['deliveries', 'status'], /^flow-hooks: MongoDB: [^\n]+\n$/],
    ['a view to rebuild', ['views', 'rebuild', 'listeners'], /^flow-hooks: MongoDB: [^\n]+\n$/],
  ] as const) {
    it(`says in one line, and soon, that ${what} cannot be reached`, async () => {
      const { code, stdout, stderr } = await runCli(nowhere, ...args);
      expect(stderr).to.match(says);
      expect({ code, stdout }).to.eql({ code: 3, stdout: '' });
    });
  }
});
