import { expect } from 'chai';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { runCommand } from '../support/service/cli-in-process.js';
import { subscribe } from '../support/service/journey.js';
import { type SharedService, sharedService } from '../support/service/shared-service.js';

type Range = { from: string; to: string };

/** The offsets differ: as text, `from` comes after `to` in the right order, and before it in the wrong one. */
const times: Range = { from: '2026-01-31T13:00:00+05:00', to: '2026-01-31T12:00:00Z' };
const days: Range = { from: '2026-01-01', to: '2026-01-31' };
const reversed = ({ from, to }: Range): Range => ({ from: to, to: from });
const instant = ({ to }: Range): Range => ({ from: to, to });

describe('a range of times', () => {
  let service: SharedService;
  let receiver: Receiver;
  let listenerId: string;
  let orgId: string;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
    ({ orgId } = service);
    ({ listenerId } = await subscribe(service, `${receiver.origin}/hook`));
  });
  after(() => receiver.close());

  const { get, post } = administratorOf(() => service);
  const query = (range: Range) => new URLSearchParams({ orgId, ...range });
  const routes = {
    'GET /deliveries': { range: times, ask: (range: Range) => get(`/deliveries?${query(range)}`) },
    'POST /deliveries/redeliver': {
      range: times,
      ask: (range: Range) => post('/deliveries/redeliver', { orgId, ...range }),
    },
    'GET /stats': { range: days, ask: (range: Range) => get(`/stats?${query(range)}`) },
    'POST /replays': { range: times, ask: (range: Range) => post('/replays', { orgId, listenerId, ...range }) },
    'POST /audit/history': { range: times, ask: (range: Range) => post('/audit/history', { orgId, ...range }) },
  };
  const commands = {
    'deliveries list': times,
    'deliveries redeliver': times,
    'deliveries stats': days,
    'replays start': times,
    'audit history': times,
  };

  for (const [route, { range, ask }] of Object.entries(routes)) {
    it(`that ends before it begins is a 400 of ${route}, and one that is an instant is not`, async () => {
      const { status, body } = await ask(reversed(range));
      expect([status, body]).to.deep.equal([400, { ...(body as object), error: 'invalid_request' }]);
      expect(body).to.include({ message: 'from must not be later than to' });
      for (const valid of [range, instant(range)]) expect((await ask(valid)).status).to.be.below(300);
    });
  }

  for (const [command, range] of Object.entries(commands)) {
    it(`that ends before it begins is refused by flow-hooks ${command}`, async () => {
      const run = ({ from, to }: Range) => {
        const listenerOption = command === 'replays start' ? ['--listener', listenerId] : [];
        const options = ['--org', orgId, ...listenerOption, '--from', from, '--to', to];
        return runCommand(service.dataDirectory, ...command.split(' '), ...options);
      };
      const refused = await run(reversed(range));
      expect(refused).to.include({ code: 2, stdout: '' });
      expect(refused.stderr).to.match(/from must not be later than to/);
      expect(await run(range)).to.include({ code: 0, stderr: '' });
    });
  }

  it('of statistics without a beginning is the 30 days until its end, and without an end until today', async () => {
    const old = await get(`/stats?orgId=${orgId}&to=2020-03-01`);
    expect(old.body).to.include({ from: '2020-02-01', to: '2020-03-01' });
    const future = await get(`/stats?orgId=${orgId}&from=${new Date().getUTCFullYear() + 1}-12-31`);
    expect(future.status).to.equal(400);
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
    const { stdout } = await runCommand(service.dataDirectory, ...['--json', 'deliveries', 'stats', '--org', orgId]);
    expect((JSON.parse(stdout) as Range).to).to.be.oneOf([before, today()]); // not the same where midnight passes
  });
});
