import { inBatches } from '../../../kernel/in-batches.js';
import { deliveryStates } from '../../queue/delivery.js';
import type { Collections, MessageRow } from '../collections.js';

/** Maximum number of messages that are checked concurrently. */
const concurrency = 16;

type Named = Pick<MessageRow, '_id' | 'orgId' | 'eventId' | 'position'>;

/** Finds those of the messages that no delivery needs. */
export const unneededMessages =
  ({ deliveries }: Pick<Collections, 'deliveries'>) =>
  async <Message extends Named>(messages: readonly Message[]): Promise<readonly Message[]> => {
    const needed = await inBatches(
      messages,
      async ({ orgId, eventId, position }) => {
        const delivery = { orgId, state: { $in: deliveryStates }, position, eventId };
        return (await deliveries.findOne(delivery, { projection: { _id: 1 } })) !== null;
      },
      concurrency,
    );
    return messages.filter((_, index) => !needed[index]);
  };
