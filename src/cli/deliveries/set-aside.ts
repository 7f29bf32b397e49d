import { listenersView } from '../../../projections/listeners.js';
import { type SetAsideRetries, setAsideRetries } from '../../deliveries/commands/retry-set-aside.js';
import { retriedSummary, setAsideSummary } from '../../deliveries/queries/summaries.js';
import type { SetAside, SetAsideEvent } from '../../deliveries/queue/kept-events.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-input.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { registeredAt } from '../../listeners/queries/find.js';
import type { Stores } from '../../service/stores/command-stores.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printRows } from '../output.js';
import { withView } from '../views.js';

type RetryOptions = { readonly stream?: string; readonly revision?: string };

const pageSize = 100;

export async function setAside(_: object, { output, withStores }: CommandContext): Promise<void> {
  const events = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    return allOf((page) => queue.listSetAside(page));
  });
  printRows(
    output,
    events.map(setAsideSummary),
    {
      stream: 'stream',
      revision: 'revision',
      type: 'type',
      reason: 'reason',
    },
    'nothing is set aside',
  );
}

export async function retrySetAside(options: RetryOptions, { output, withStores }: CommandContext): Promise<void> {
  const event = eventOf(options);
  const retried = await withStores((stores) =>
    withRetries(stores, async (retries) => (event ? [await retries.one(event)] : allOf(retries.page))),
  );
  printRows(
    output,
    retried.map(retriedSummary),
    {
      stream: 'stream',
      revision: 'revision',
      outcome: 'outcome',
      deliveries: 'deliveries',
      reason: 'reason',
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

const withRetries = <Result>(stores: Stores, work: (retries: SetAsideRetries) => Promise<Result>): Promise<Result> =>
  withView(stores, listenersView, async ({ store, readModel, viewPassed }) =>
    work(
      setAsideRetries({
        store,
        queue: await stores.deliveries(),
        clock: Date.now,
        viewPassed,
        registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
      }),
    ),
  );
