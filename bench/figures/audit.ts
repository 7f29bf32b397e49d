import { organisationStreams } from '../../projections/organisation-streams.js';
import { indexedStreams } from '../../src/admin/audit/find-streams.js';
import { auditHistory } from '../../src/admin/audit/history.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../src/stores/read-model/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { appendLives } from '../support/projecting-history.js';
import { median } from '../support/quantile.js';
import { report } from '../support/report.js';

const organisations = { few: 100, many: 100_000 };
/** Of the organisation that is audited, and the events of all its streams. */
const audited = { orgId: 'audited', listeners: 10, events: 100 };
const samples = 200;

/** Opens a store where the audited organisation is one among others, each with a listener of ten events. */
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
    async audit(): Promise<number> {
      const startedAt = performance.now();
      const entries = await auditHistory(store, findStreams, { orgId: audited.orgId });
      if (entries.length !== audited.events) throw new Error(`the audit returned ${entries.length} events`);
      return performance.now() - startedAt;
    },
    async close() {
      await readModel.close();
      await store.close();
    },
  };
}

const stores = { few: await storesAmong(organisations.few), many: await storesAmong(organisations.many) };
const durations = { few: [] as number[], many: [] as number[] };
for (let sample = -samples; sample < samples; sample += 1) {
  for (const size of ['few', 'many'] as const) {
    const duration = await stores[size].audit();
    if (sample >= 0) durations[size].push(duration); // those before warm up
  }
}
await stores.few.close();
await stores.many.close();

report({
  figure:
    'the history of an organisation of 100 events among 100,000 organisations, against it among 100, medians of 200',
  ours: median(durations.many),
  peer: median(durations.few),
  unit: 'ms',
  target: { atMost: 1.5 },
});
