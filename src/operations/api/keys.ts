import Router from '@koa/router';
import { keysLifecycle } from '../../access/keys/fingerprint.js';
import type { ServiceKeys } from '../../access/keys/service-keys.js';
import { keysStream } from '../../events/key-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { type KeyEntry, listKeys } from '../keys/list-keys.js';
import { type AdminRoutes, type AdminState, type List, queryOf } from './context.js';

export type KeyRoutes = {
  readonly store: EventStore;
  readonly keys: Pick<ServiceKeys, 'masterKeys' | 'signingKeys'>;
};

/** `GET /keys`: the signing keys and master keys of this instance and of the record, without key material. */
export function adminKeyRoutes({ store, keys }: KeyRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/keys', async (ctx) => {
    queryOf(ctx, {});
    const { state: recorded } = await load(store, keysStream, keysLifecycle);
    ctx.body = { items: listKeys(keys, recorded, new Date()), next: null } satisfies List<KeyEntry>;
  });

  return router;
}
