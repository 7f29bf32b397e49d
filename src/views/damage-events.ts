import { z } from 'zod';
import { uuidV5 } from '../kernel/uuid.js';
import { causedByService, codecFor, defineEvent } from '../stores/event-store/codec.js';
import type { EventStore } from '../stores/event-store/event-store.js';

const ViewDamaged = defineEvent({
  category: 'service',
  type: 'ViewDamaged',
  version: 1,
  schema: z.object({ view: z.string(), setAsideAs: z.string() }),
});

export const damageCodec = codecFor([ViewDamaged]);

export const damageStream = 'service-views';

/** Permanent: each damage is recorded once, whatever instances detect it. */
const eventIdOf = uuidV5('c0e2a7b4-52c3-4b0e-9a6f-3f1d8e7b6a90');

/** `setAsideAs`: the name of the build that was set aside, which is unique. */
export async function recordDamage(store: EventStore, damage: { view: string; setAsideAs: string }): Promise<void> {
  const { cause, now } = causedByService();
  const event = damageCodec.encode({ type: 'ViewDamaged', data: damage }, cause, now);
  await store.append(damageStream, [{ ...event, id: eventIdOf(damage.setAsideAs) }]);
}
