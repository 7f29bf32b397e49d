import { pino } from 'pino';
import { bearerToken } from '../../src/access/authorization-header.js';
import { identityOf } from '../../src/access/identity/identify.js';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { createApp } from '../../src/http/app.js';
import { limiter } from '../../src/http/limits/limiter.js';
import { requestLimits } from '../../src/http/limits/request-limits.js';
import { listen } from '../../src/http/listen.js';
import { ensureDefaultTask } from '../../src/listeners/integration-tasks/ensure-default-task.js';
import { listenerRoutes } from '../../src/listeners/routes.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';

/** Without the views, which are not read here. Argument: the data directory. */
const [directory = ''] = process.argv.slice(2);
const store = openSqliteEventStore({ directory });
await ensureDefaultTask(store, { actor: 'bench', correlationId: 'bench' }, new Date());

const routes = [
  listenerRoutes(
    { prefix: '/api/hooks', subscriptionTypes: undefined },
    {
      store,
      identity: identityOf({
        believeEveryone: true,
        verifyAccessToken: () => Promise.reject(new Error('the benchmark sends no tokens')),
        bearerToken,
        verifyApiKey: async () => undefined,
        checkingKey: (_, __, check) => check(),
        adminKeys: new Map(),
      }),
      masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 1)]])),
      barrier: { close: async () => undefined },
      checkTarget: async () => undefined,
      limits: requestLimits({ organisation: limiter('organisation', { count: 1_000_000_000, windowMs: 60_000 }) }),
      listenerQuota: async () => undefined,
    },
  ),
];
const app = createApp(
  {
    log: pino({ level: 'warn' }),
    loopbackNamesOnly: true,
    maxConcurrentRequests: 2_000,
    answerTokenError: () => false,
  },
  { routes },
);
const { origin } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit());
process.send?.({ origin });
