import { listenersView } from '../../../projections/listeners.js';
import { requireMasterKeyOfService } from '../../access/keys/recorded-keys.js';
import { resumeAndRelease } from '../../deliveries/commands/resume-and-release.js';
import { notifyQueue } from '../../deliveries/fan-out/queued-listener.js';
import { unsubscribeBarrier, workerGates } from '../../deliveries/worker/gates.js';
import type { ListenerEvent } from '../../events/listener-events.js';
import { canonicalUuid, opaqueId } from '../../kernel/input/texts.js';
import { detailsOf, type Listener } from '../../listeners/listener.js';
import { type ListenerOperations, type OperateListener, operateListener } from '../../listeners/operate-listener.js';
import { listListeners } from '../../listeners/queries/find.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import { listenerSummary, operatedSummary } from '../../listeners/queries/listener-summary.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { subscriptionColumns } from '../../listeners/subscription.js';
import type { Stores } from '../../service/stores/command-stores.js';
import type { Handled } from '../../stores/event-store/handle.js';
import { type CommandContext, readSettings } from '../context.js';
import { UsageError } from '../failure.js';
import { masterKeysOf } from '../keys-of-service.js';
import { wholeNumber } from '../options.js';
import { counted, type Output, printResult, printRows } from '../output.js';
import { parseOptions, parseRate } from '../parse-options.js';
import { allItems, withView } from '../views.js';

export async function list(options: object, { output, withStores }: CommandContext): Promise<void> {
  const { orgId } = parseOptions({ orgId: opaqueId }, options);
  const listeners = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return allItems(
      (after) => listListeners(readModel, orgId, { after }),
      (page) => page.listeners,
    );
  });
  printRows(
    output,
    listeners.map(listenerSummary),
    {
      listener: 'listenerId',
      state: 'state',
      ...subscriptionColumns,
      user: 'userId',
      since: 'since',
      'hook URL': 'hookUrl',
    },
    `${orgId} has no listeners`,
  );
}

export async function pause(listener: string, _: object, context: CommandContext): Promise<void> {
  printChanged(context.output, await change(context, { change: 'pause', listenerId: canonicalUuid(listener) }));
}

export async function resume(
  listener: string,
  { redeliverHeld = false }: { readonly redeliverHeld?: boolean },
  { output, withStores, causeNow }: CommandContext,
): Promise<void> {
  const wanted = { listenerId: canonicalUuid(listener), redeliverHeld };
  const { handled, settled } = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    return withOperations(stores, (operations) =>
      resumeAndRelease({ operations, queue, clock: Date.now }, wanted, causeNow()),
    );
  });
  const { held, redelivered, moreMayCome } = settled;
  const due = counted(redelivered, 'held delivery is', 'held deliveries are');
  const how = redeliverHeld ? 'more may become due' : 'more may be held';
  const more = moreMayCome ? `; ${how}: the fan-out has not reached the end of the pause yet` : '';
  printChanged(output, handled, settled, `; ${due} due now, ${counted(held, 'stays', 'stay')} held${more}`);
}

type SubscriptionOptions = { readonly ordered?: boolean; readonly rate?: string };

export async function options(
  listener: string,
  { ordered, rate }: SubscriptionOptions,
  context: CommandContext,
): Promise<void> {
  if (ordered === undefined && rate === undefined) {
    throw new UsageError('give an option to change: --ordered, --no-ordered or --rate');
  }
  const listenerId = canonicalUuid(listener);
  const options = { ordered, ratePerSecond: parseRate(rate) };
  const wanted = { change: 'options', listenerId, options } as const;
  printChanged(context.output, await change(context, wanted));
}

type RotateOptions = { readonly overlapHours: number; readonly replaces?: string };

export async function rotateSecret(
  listener: string,
  { overlapHours, replaces }: RotateOptions,
  context: CommandContext,
): Promise<void> {
  const listenerId = canonicalUuid(listener);
  const masterKeys = await masterKeysOf(context.dataDirectory);
  if (!masterKeys)
    throw new UsageError('rotate-secret needs the master keys of the service: set MASTER_KEYS to its value');
  const version = replaces === undefined ? undefined : wholeNumber('--replaces', replaces, 1, Number.MAX_SAFE_INTEGER);
  const overlapMs = overlapHours * 3_600_000;
  const wanted = { listenerId, keyGeneration: masterKeys.current, overlapMs, replaces: version };
  const changed = await context.withStores(async (stores) => {
    await requireMasterKeyOfService(await stores.events(), masterKeys);
    return withOperations(stores, (operations) =>
      operateListener(operations, { change: 'rotate-secret', ...wanted }, context.causeNow()),
    );
  });
  const secret = signingSecret(masterKeys, listenerId, detailsOf(changed.state).secret);
  const summary = operatedSummary(changed);
  const { secretVersion, previousSecretUntil } = summary;
  const which =
    changed.events.length === 0
      ? `nothing changed: the secret of ${listenerId} is version ${secretVersion} already`
      : `the secret of ${listenerId} is version ${secretVersion} now`;
  const overlap = previousSecretUntil === null ? '' : `; the previous one signs too until ${previousSecretUntil}`;
  printResult(context.output, { ...summary, signingSecret: secret }, `${which}: ${secret}${overlap}`);
}

export async function unsubscribe(listener: string, _: object, context: CommandContext): Promise<void> {
  const { noticeSentence, removalNoticesOf } = await import('./removal-notice.js'); // it loads an HTTP client
  const notices = readSettings(removalNoticesOf);
  const changed = await change(context, { change: 'unsubscribe', listenerId: canonicalUuid(listener) });
  if (changed.events.length > 0) notices?.onRemoved(detailsOf(changed.state));
  const [notice] = (await notices?.results()) ?? [];
  printChanged(context.output, changed, { notice: notice ?? null }, notice && noticeSentence(notice));
}

type Changed = Handled<Listener, ListenerEvent>;

/** Changes a listener as the admin API does. A service may use the stores at the same time. */
const change = ({ withStores, causeNow }: CommandContext, wanted: OperateListener): Promise<Changed> =>
  withStores((stores) => withOperations(stores, (operations) => operateListener(operations, wanted, causeNow())));

const withOperations = <Result>(
  stores: Stores,
  work: (operations: ListenerOperations) => Promise<Result>,
): Promise<Result> =>
  withView(stores, listenersView, async (sources) => {
    const queue = await stores.deliveries();
    return work({
      store: sources.store,
      findListener: findListener(sources),
      notifyChange: notifyQueue(queue, Date.now),
      barrier: unsubscribeBarrier(workerGates(), queue, true), // permits are held by the service's processes
    });
  });

/** Prints a listener and the events of a change to it. `more`: further fields of the JSON; `sentence`: end of the text. */
function printChanged(output: Output, changed: Changed, more: object = {}, sentence = ''): void {
  const summary = operatedSummary(changed);
  const what = changed.events.length === 0 ? `is ${summary.state}: nothing changed` : `is ${summary.state} now`;
  printResult(output, { ...summary, ...more }, `${summary.listenerId} ${what}${sentence}`);
}
