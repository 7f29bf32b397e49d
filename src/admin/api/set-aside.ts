import type { SetAsideRetries } from '../../deliveries/commands/retry-set-aside.js';
import { retriedSummary, setAsideSummary } from '../../deliveries/queries/summaries.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { pageOf } from './contracts/fields.js';
import { listSetAsideRoute, retrySetAsideRoute } from './contracts/set-aside.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type SetAsideRoutes = {
  readonly queue: Pick<DeliveryQueue, 'listSetAside'>;
  readonly retries: SetAsideRetries;
};

const byPosition = ({ position }: { readonly position: string }) => position;

export const setAsideRoutes = ({ queue, retries }: SetAsideRoutes): readonly BoundRoute[] => [
  handle(listSetAsideRoute, async ({ query: { limit, after } }) => {
    const events = await queue.listSetAside({ limit, ...(after !== undefined && { after }) });
    return pageOf(events.map(setAsideSummary), { limit, after: byPosition });
  }),

  handle(retrySetAsideRoute, async ({ body: { stream, revision, after, limit } }) => {
    if (stream !== undefined && revision !== undefined)
      return { items: [retriedSummary(await retries.one({ stream, revision }))], next: null };
    if (stream !== undefined || revision !== undefined) throw new InvalidRequest('stream and revision go together');
    const retried = await retries.page({ after, limit });
    return pageOf(retried.map(retriedSummary), { limit, after: byPosition });
  }),
];
