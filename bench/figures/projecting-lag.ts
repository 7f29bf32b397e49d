import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { listenersView } from '../../projections/listeners.js';
import { newListenerId } from '../../src/listeners/listener.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { follow } from '../../src/stores/read-model/following/follow.js';
import { openSqliteReadModel } from '../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { cli } from '../../test/support/service/cli.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { quantile } from '../support/in-turns.js';
import { appendListeners } from '../support/listeners.js';
import { report } from '../support/report.js';

/** From append to live view, while a command rebuilds that view. */
const history = 50_000;
const perSecond = 200;
const measuredMs = 10_000;

const hookUrl = () => `https://hooks.example.com/hooks/catch/${randomUUID()}/`;
const directory = temporaryDirectory();
await appendListeners(directory, history, hookUrl);

const store = openSqliteEventStore({ directory });
const readModel = openSqliteReadModel({ directory });
const follower = follow({ store, readModel, projection: listenersView, log: pino({ level: 'silent' }) });
await follower.passed(await store.head());
let template: { readonly data: unknown; readonly type: string; readonly metadata: unknown } | undefined;
for await (const event of store.readAll({ limit: 1 })) template = event;
if (!template) throw new Error('there is no history');
const { type, data, metadata } = template as { type: string; data: object; metadata: object };

let rebuilding = true;
let rebuilds = 0;
const rebuilt = (async () => {
  while (rebuilding) {
    const env = { PATH: process.env.PATH, DATA_DIR: directory };
    const command = spawn(process.execPath, [cli, 'projections', 'rebuild', 'listeners'], { env, stdio: 'ignore' });
    const [code] = (await once(command, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the rebuild ended with ${code}`);
    rebuilds += 1;
  }
})();

const lags: number[] = [];
const passed: Promise<void>[] = [];
const startedAt = performance.now();
for (let count = 0; performance.now() - startedAt < measuredMs; count += 1) {
  const due = startedAt + (count * 1_000) / perSecond;
  if (due > performance.now()) await pause(due - performance.now());
  const event = { id: randomUUID(), type, data: { ...data, listenerId: newListenerId() }, metadata: { ...metadata } };
  passed.push(
    store.append(`listener-${randomUUID()}`, [event]).then(async ({ position }) => {
      const appendedAt = performance.now();
      await follower.passed(position);
      lags.push(performance.now() - appendedAt);
    }),
  );
}
rebuilding = false;
await Promise.all(passed);
await rebuilt;
await follower.stop();
await readModel.close();
await store.close();

report({
  figure: `lag of the live view at p99, at ${perSecond} appends a second during ${rebuilds} rebuilds, against 1 s`,
  ours: quantile(lags, 0.99),
  peer: 1_000,
  unit: 'ms',
  target: { atMost: 1 },
});
