import { expect } from 'chai';
import { administratorOf } from '../../../support/service/administrator.js';
import { runCliForJson } from '../../../support/service/cli.js';
import type { ServiceProcess } from '../../../support/service/service.js';
import { until } from '../../../support/until.js';
import type { TwoInstances } from './two-instances.js';

type Key = { id: string; key: string };
type Entry = { state: string; lastUsedAt: string | null };

/** API keys that one instance creates or revokes, and the other knows. */
export function apiKeysSuite({ cluster, instances }: TwoInstances): void {
  describe('API keys on several instances', function () {
    this.timeout(240_000);

    const administratorAt = (index: number) => administratorOf(() => instances()[index] as ServiceProcess); // there are two
    const publishOnAll = (key: string) =>
      Promise.all(
        instances().map(async (instance) => {
          const headers = { authorization: `Bearer ${key}` };
          return (await instance.fetch('/api/flows', { headers, json: { type: 'flow.done', data: {} } })).status;
        }),
      );
    const create = async (index: number): Promise<Key> => {
      const request = { name: 'erp', orgId: 'acme', scopes: ['flows:publish'] };
      return (await administratorAt(index).post('/api-keys', request)).body as Key;
    };

    it('are valid on all instances as soon as they are created, and refused by all as soon as they are revoked', async () => {
      for (const [creator, revoker] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const { id, key } = await create(creator);
        expect(await publishOnAll(key)).to.deep.equal([202, 202]);
        expect((await administratorAt(revoker).post(`/api-keys/${id}/revoke`)).status).to.equal(200);
        expect(await publishOnAll(key)).to.deep.equal([401, 401]);
      }
    });

    it('record one use for all instances, which the view and the history show', async () => {
      const { id, key } = await create(1);
      for (let round = 0; round < 5; round += 1) await publishOnAll(key);
      const listed = async () => {
        const { items } = (await administratorAt(0).get('/api-keys?orgId=acme')).body as { items: (Entry & Key)[] };
        return items.find((item) => item.id === id);
      };
      await until(async () => typeof (await listed())?.lastUsedAt === 'string', 'the last use');
      const history = await runCliForJson(cluster().environment, 'audit', 'history', '--org', 'acme');
      const types = history
        .filter((entry) => (entry as { apiKeyId: string }).apiKeyId === id)
        .map((entry) => (entry as { type: string }).type);
      expect(types).to.deep.equal(['ApiKeyCreated', 'ApiKeyUsed']);
    });
  });
}
