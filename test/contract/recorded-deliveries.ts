import { randomUUID } from 'node:crypto';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { recordedAttemptsContract } from './recorded-deliveries/attempts.js';
import type { RecordedContext } from './recorded-deliveries/context.js';
import { recordedRowsContract } from './recorded-deliveries/rows.js';

type RecordedStore = {
  /** Makes a place with a copy of what release 1.0.0 has recorded. `leasesEndInMs`: undefined where they have expired. */
  restore: (place: string, leasesEndInMs?: number) => Promise<void>;
  open: (place: string) => Promise<DeliveryQueue> | DeliveryQueue;
  readers: RecordedContext['readers'];
};

export function recordedDeliveriesContract(store: string, { restore, open, readers }: RecordedStore) {
  describe(`deliveries of release 1.0.0 on ${store}`, () => {
    let place: string;
    let queue: DeliveryQueue | undefined;
    async function openCopy(leasesEndInMs?: number) {
      await queue?.close();
      place = randomUUID();
      await restore(place, leasesEndInMs);
      queue = await open(place);
    }
    beforeEach(() => openCopy());
    afterEach(async () => {
      await queue?.close();
      queue = undefined;
    });

    const context: RecordedContext = {
      queue() {
        if (!queue) throw new Error('the queue is not open');
        return queue;
      },
      async reopen() {
        await queue?.close();
        queue = await open(place);
      },
      openLeased: openCopy,
      readers,
    };
    recordedRowsContract(context);
    recordedAttemptsContract(context);
  });
}
