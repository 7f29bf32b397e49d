import { keysDecider } from '../../access/keys/fingerprint.js';
import type { ServiceKeys } from '../../access/keys/service-keys.js';
import { keysStream } from '../../events/key-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { listKeys } from '../keys/list-keys.js';
import { listKeysRoute } from './contracts/service.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type KeyRoutes = {
  readonly store: EventStore;
  readonly keys: Pick<ServiceKeys, 'masterKeys' | 'signingKeys'>;
};

export const keyRoutes = ({ store, keys }: KeyRoutes): readonly BoundRoute[] => [
  handle(listKeysRoute, async (_, { now }) => {
    const { state: recorded } = await load(store, keysStream, keysDecider);
    return { items: listKeys(keys, recorded, now), next: null };
  }),
];
