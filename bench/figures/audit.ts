import { organisationStreams } from '../../projections/organisation-streams.js';
import { indexedStreams } from '../../src/audit/find-streams.js';
import { auditHistory } from '../../src/audit/history.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { durationOf, mediansInTurns } from '../support/in-turns.js';
import { appendLives } from '../support/projecting-history.js';
import { report } from '../support/report.js';

const organisations = { few: 100, many: 100_000 };
const audited = { orgId: 'audited', listeners: 10, events: 100 };
const samples = 200;

async function storesAmong(others: number) {
  const directory = temporaryDirectory();
  const store = openSqliteEventStore({ directory });
  const readModel = openSqliteReadModel({ directory });
  await appendLives(store, others / 2, { organisationOf: (index) => `org-${index}` });
  await appendLives(store, audited.listeners, { organisationOf: () => audited.orgId });
  await appendLives(store, others / 2, { organisationOf: (index) => `org-${others / 2 + index}` });
  await rebuild({ store, readModel, projection: organisationStreams });
  const findStreams = indexedStreams(store, readModel);
  return {
    audit: () =>
      durationOf(async () => {
        const entries = await auditHistory(store, findStreams, { orgId: audited.orgId });
        if (entries.length !== audited.events) throw new Error(`the audit returned ${entries.length} events`);
      }),
    async close() {
      await readModel.close();
      await store.close();
    },
  };
}

const stores = { few: await storesAmong(organisations.few), many: await storesAmong(organisations.many) };
report({
  figure:
    'the history of an organisation of 100 events among 100,000 organisations, against it among 100, medians of 200',
  ...(await mediansInTurns({ rounds: samples, warmUps: samples }, { ours: stores.many.audit, peer: stores.few.audit })),
  unit: 'ms',
  target: { atMost: 1.5 },
});
await stores.few.close();
await stores.many.close();
