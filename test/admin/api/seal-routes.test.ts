import { expect } from 'chai';
import type { Administrator } from '../../../src/access/identity/caller.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { sealCalls, sealRouter } from '../../../src/admin/api/seals.js';
import { sealCheck, sealsOf } from '../../../src/audit/seals/seals.js';
import { keysCodec, keysStream } from '../../../src/events/key-events.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { appendListenerEvent, day } from '../../audit/append-events.js';
import { paused, subscribed } from '../../listeners/fixtures.js';
import { serveRoutes } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const path = '/admin/api/audit/seals';

describe('the routes of seals', () => {
  let store: EventStore;
  let keys: SigningKeys;

  beforeEach(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    keys = await signingKeys(generateSigningKeys());
    const retired = { masterKeys: [], signingKeys: [] };
    const recorded = { masterKeys: {}, signingKeys: [...keys.thumbprints], signsFrom: {}, retired };
    const cause = { actor: 'service', correlationId: 'start' };
    await store.append(keysStream, [keysCodec.encode({ type: 'KeysRecorded', data: recorded }, cause, day(1))]);
    await appendListenerEvent(store, subscribed(), { at: day(1) });
  });
  afterEach(() => store.close());

  async function served<Result>(
    caller: Administrator,
    use: (send: (route: string, body?: string, type?: string) => Promise<Response>) => Promise<Result>,
  ): Promise<Result> {
    const routes = sealRouter(sealCalls(sealsOf({ store, signingKeys: keys })), { administrator: async () => caller });
    const { origin, close } = await serveRoutes(routes);
    const send = (route: string, body?: string, type = 'application/octet-stream') =>
      fetch(`${origin}${path}${route}`, {
        method: 'POST',
        ...(body !== undefined && { body, headers: { 'content-type': type } }),
      });
    return use(send).finally(close);
  }

  const operator: Administrator = { actor: 'admin:ops', role: 'operator' };

  it('answer a seal as a file, and the result of its check as it is described', () =>
    served(operator, async (send) => {
      const made = await send('');
      expect(made.headers.get('content-disposition')).to.match(/^attachment; filename="flow-hooks-[\w-]+\.seal"$/);
      expect(made.headers.get('cache-control')).to.equal('no-store');
      const seal = await made.text();
      expect(Number(made.headers.get('content-length'))).to.equal(Buffer.byteLength(seal));

      const same = sealCheck.parse(await (await send('/check', seal)).json());
      expect(same).to.include({ matches: true, events: 2 });
      await appendListenerEvent(store, paused({ since: 0 }), { at: day(2) }); // claims to be older than the seal
      const other = sealCheck.parse(await (await send('/check', seal)).json());
      expect(other).to.include({ matches: false, differences: 1 });
      const thumbprint = keys.signer().thumbprint;
      expect((await send(`/check?thumbprint=${thumbprint}`, seal)).status).to.equal(200);
      expect((await send('/check?thumbprint=another', seal)).status).to.equal(400);
    }));

  it('refuse a body that is no seal, and a query that they do not know', () =>
    served(operator, async (send) => {
      for (const [route, body, type] of [
        ['/check', 'no seal', 'application/octet-stream'],
        ['/check', '{}', 'application/json'],
        ['/check', 'a=b', 'application/x-www-form-urlencoded'],
        ['/check?thumb=x', 'no seal', 'application/octet-stream'],
      ] as const) {
        const answer = await send(route, body, type);
        expect(answer.status, `${route} ${type}`).to.equal(400);
        expect(await answer.json()).to.include.keys('error', 'message', 'requestId');
      }
    }));

  it('are for operators and owners, not for viewers and API keys', async () => {
    const apiKey = { apiKeyId: '1', orgId: null, scopes: ['listeners:read' as const] };
    for (const caller of [
      { actor: 'admin:eve', role: 'viewer' as const },
      { actor: 'api-key:1', apiKey },
    ]) {
      await served(caller, async (send) => {
        expect((await send('')).status).to.equal(403);
        expect((await send('/check', 'no seal')).status).to.equal(403);
      });
    }
  });
});
