import { expect } from 'chai';
import { agentQuota, TooManySubscriptions } from '../../../src/listeners/agents/agent-quota.js';
import type { JsonObject } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';

const now = new Date('2026-02-03T04:00:00.000Z');
const member = { orgId: 'acme', userId: 'ada', now };

describe('the quota of subscriptions of agents', () => {
  type Row = { userId: string; hookUrl: string; agent: JsonObject | null; secret: { expiresAt?: string } };
  const row = (hookUrl: string, changes: Partial<Row> = {}): Row => ({
    userId: 'ada',
    hookUrl,
    agent: {},
    secret: { expiresAt: '2026-02-03T04:00:00.001Z' },
    ...changes,
  });
  let reads: object[];
  beforeEach(() => {
    reads = [];
  });
  function quotaOf(max: number | undefined, rows: readonly Row[]) {
    const documents = rows.map((document, index) => ({ key: String(index).padStart(5, '0'), document }));
    return agentQuota(max, {
      async find(_, { where, after = '', limit = 100 }) {
        reads.push(where);
        return documents.filter(({ key }) => key > after).slice(0, limit);
      },
    });
  }

  it('counts those of the member that have not expired, and no listeners of platforms', async () => {
    const rows = [
      row('1'),
      row('2', { userId: 'bob' }),
      row('3', { agent: null, secret: {} }),
      row('4', { secret: { expiresAt: now.toISOString() } }),
    ];
    const quota = quotaOf(2, rows);
    await quota.take(member, 'a');
    expect(await rejection(quota.take(member, 'b'))).to.be.instanceOf(TooManySubscriptions);
    await quota.take(member, 'a');
    await quota.take({ ...member, userId: 'bob' }, 'b');
    expect(reads[0]).to.include({ orgId: 'acme' });
  });

  it('counts all pages, and only once for many at a time', async () => {
    const rows = Array.from({ length: 1_002 }, (_, index) =>
      row(`${index}`, { userId: index > 1_000 ? 'ada' : 'bob' }),
    );
    const quota = quotaOf(3, rows);
    const all = await Promise.allSettled(['a', 'b', 'c'].map((each) => quota.take(member, each)));
    expect(all.map(({ status }) => status)).to.eql(['fulfilled', 'fulfilled', 'rejected']);
    expect(reads).to.have.length(2);
  });

  it('permits another one for each that was released', async () => {
    const quota = quotaOf(1, []);
    await quota.take(member, 'a');
    quota.release(member, 'a');
    await quota.take(member, 'b');
    expect(await rejection(quota.take(member, 'a'))).to.be.instanceOf(TooManySubscriptions);
  });

  it('is not counted where there is none', async () => {
    const quota = quotaOf(undefined, []);
    for (let count = 0; count < 200; count += 1) await quota.take(member, `${count}`);
    expect(reads).to.eql([]);
  });
});
