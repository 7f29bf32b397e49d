import { pino } from 'pino';
import { openSqliteEventStore } from '../src/event-store/sqlite/sqlite-event-store.js';
import { createApp } from '../src/http/app.js';
import { listen } from '../src/http/listen.js';
import { identityOf } from '../src/identity/identify.js';
import { ensureDefaultTask } from '../src/integration-tasks/ensure-default-task.js';
import { masterKeys } from '../src/keys/master-keys.js';
import { listenerRoutes } from '../src/listeners/routes.js';
import { bearerToken } from '../src/tokens/bearer.js';

/** Our routes for hooks, without views of a million registrations that nobody reads here, on the data directory named first. */
const [directory = ''] = process.argv.slice(2);
const store = openSqliteEventStore({ directory });
await ensureDefaultTask(store, { actor: 'bench', correlationId: 'bench' }, new Date());

const app = createApp({
  log: pino({ level: 'warn' }),
  routes: [
    listenerRoutes({
      prefix: '/api/hooks',
      store,
      identity: identityOf({
        believeEveryone: true,
        isTrustedGateway: () => false,
        verifyAccessToken: () => Promise.reject(new Error('the benchmark sends no tokens')),
        bearerToken,
        adminKeys: new Map(),
      }),
      masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 1)]])),
      barrier: { close: async () => undefined },
      checkTarget: async () => undefined,
      subscriptionTypes: undefined,
    }),
  ],
  loopbackNamesOnly: true,
  maxConcurrentRequests: 2_000,
  answerTokenError: () => false,
});
const { origin } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit());
process.send?.({ origin });
