import type { Logger } from 'pino';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { listClients } from './operate-clients.js';

/** Warns if no client is registered: then every caller who has a code or a refresh token may exchange it. */
export async function warnWithoutClients(store: EventStore, log: Pick<Logger, 'warn'>): Promise<void> {
  if ((await listClients(store)).length > 0) return;
  log.warn(
    '/access and /refresh accept requests without client credentials, because no client is registered: register each ' +
      'platform with flow-hooks clients add',
  );
}
