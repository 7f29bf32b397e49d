import type { Command } from 'commander';
import { listenersView } from '../../../projections/listeners.js';
import { type SetAsideRetries, setAsideRetries } from '../../deliveries/commands/retry-set-aside.js';
import { retriedSummary, setAsideSummary } from '../../deliveries/queries/summaries.js';
import type { SetAside, SetAsideEvent } from '../../deliveries/queue/set-aside.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-position.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { registeredAt } from '../../listeners/queries/find.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { watch } from '../../stores/read-model/following/watch.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printRows } from '../output.js';

type RetryOptions = { readonly stream?: string; readonly revision?: string };

const pageSize = 100;

/** `deliveries set-aside`: events that could not be decoded. */
export async function listSetAside(_: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const events = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    return allOf((page) => queue.listSetAside(page));
  });
  printRows(
    output,
    events.map(setAsideSummary),
    {
      stream: ({ stream }) => stream,
      revision: ({ revision }) => revision,
      type: ({ type }) => type,
      reason: ({ reason }) => reason,
    },
    'nothing is set aside',
  );
}

/** `deliveries retry-set-aside`: delivers events that can be decoded now. */
export async function retrySetAside(options: RetryOptions, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const event = eventOf(options);
  const retried = await withStores((stores) =>
    withRetries(stores, async (retries) => (event ? [await retries.one(event)] : allOf(retries.page))),
  );
  printRows(
    output,
    retried.map(retriedSummary),
    {
      stream: ({ stream }) => stream,
      revision: ({ revision }) => revision,
      outcome: ({ outcome }) => outcome,
      deliveries: ({ deliveries }) => deliveries,
      reason: ({ reason }) => reason,
    },
    'nothing is set aside',
  );
}

/** The event that the options name; undefined where they name none, which selects all. Throws `UsageError`. */
function eventOf({ stream, revision }: RetryOptions): SetAsideEvent | undefined {
  if (stream === undefined && revision === undefined) return undefined;
  if (stream === undefined || revision === undefined) throw new UsageError('--stream and --revision go together');
  const parsed = parsePosition(revision);
  if (parsed === undefined) throw new UsageError(`--revision must be a whole number from 0 to ${maxPosition}`);
  return { stream, revision: parsed };
}

async function allOf<Item extends SetAside>(
  fetch: (request: PageRequest<bigint>) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const page of pages(pageSize, fetch, ({ position }) => position)) all.push(...page);
  return all;
}

/** Runs work with the view of a running service; waits for the view as long as a service does. */
async function withRetries<Result>(
  stores: Stores,
  work: (retries: SetAsideRetries) => Promise<Result>,
): Promise<Result> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const view = watch({ store, readModel, projection: listenersView });
  try {
    return await work(
      setAsideRetries({
        store,
        queue: await stores.deliveries(),
        clock: Date.now,
        viewPassed: view.passed,
        registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
      }),
    );
  } finally {
    await view.stop();
  }
}
