import { Command } from 'commander';
import type { DeliveryQuery, DeliveryQueue, DeliveryRecord } from '../deliveries/delivery-queue.js';
import { publishedEventId } from '../flows/publish-flow-event.js';
import { contextOf } from './command-context.js';
import { requiredOrganisation, wholeNumber } from './options.js';
import { printRows } from './output.js';

type ListOptions = {
  readonly org: string;
  readonly event?: string;
  readonly listener?: string;
  readonly limit: string;
};

/** `deliveries status|list`: what is in the queue, and what became of what was. */
export function deliveryCommands(): Command {
  const deliveries = new Command('deliveries').description('what is sent to hooks, and what became of it');
  deliveries
    .command('status')
    .description('counts deliveries by state, and flow events that could not be turned into deliveries (set aside)')
    .action(async (_: object, command: Command) => {
      const { output, withStores } = contextOf(command);
      const counts = await withStores(async (stores) => (await stores.deliveries()).counts(Date.now()));
      printRows(
        output,
        [{ ...counts, oldestDueAt: isoOrNull(counts.oldestDueAt) }],
        {
          waiting: ({ waiting }) => waiting,
          succeeded: ({ succeeded }) => succeeded,
          exhausted: ({ exhausted }) => exhausted,
          cancelled: ({ cancelled }) => cancelled,
          'set aside': ({ setAside }) => setAside,
          'oldest due': ({ oldestDueAt }) => oldestDueAt,
        },
        '',
      );
    });
  deliveries
    .command('list')
    .description('lists deliveries of an organisation, those of the latest flow events first')
    .addOption(requiredOrganisation())
    .option('--event <id>', 'only of this flow event: the id it was published with, or its UUID in the store')
    .option('--listener <id>', 'only to this registration')
    .option('--limit <number>', 'at most so many', '100')
    .action(async ({ org, event, listener, limit }: ListOptions, command: Command) => {
      const { output, withStores } = contextOf(command);
      const query: DeliveryQuery = {
        ...{ orgId: org, limit: wholeNumber('--limit', limit, 1, 10_000) },
        ...(listener !== undefined && { listenerId: listener }),
      };
      const found = await withStores(async (stores) => find(await stores.deliveries(), query, event));
      printRows(
        output,
        found.map(shown),
        {
          event: ({ eventId }) => eventId,
          listener: ({ listenerId }) => listenerId,
          state: ({ state }) => state,
          attempts: ({ attempts }) => attempts,
          'last attempt': ({ lastAttemptAt }) => lastAttemptAt,
          status: ({ lastStatus }) => lastStatus,
          error: ({ lastError }) => lastError,
          due: ({ dueAt }) => dueAt,
        },
        `${org} has no such deliveries`,
      );
    });
  return deliveries;
}

/** Producers that publish know their own id of a flow event; those that write to the store know its UUID there. */
async function find(
  queue: DeliveryQueue,
  query: DeliveryQuery,
  event: string | undefined,
): Promise<readonly DeliveryRecord[]> {
  if (event === undefined) return queue.list(query);
  const published = await queue.list({ ...query, eventId: publishedEventId(query.orgId, event) });
  return published.length > 0 ? published : queue.list({ ...query, eventId: event });
}

const shown = ({ dueAt, enqueuedAt, lastAttemptAt, lastStatus, lastError, ...record }: DeliveryRecord) => ({
  ...record,
  enqueuedAt: isoOrNull(enqueuedAt),
  dueAt: isoOrNull(dueAt),
  lastAttemptAt: isoOrNull(lastAttemptAt),
  lastStatus: lastStatus ?? null,
  lastError: lastError ?? null,
});

const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
