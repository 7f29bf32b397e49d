import { type Command, Option } from 'commander';
import { listeners as listenersView } from '../../../projections/listeners.js';
import { localGates } from '../../deliveries/gates.js';
import { resumeHook } from '../../deliveries/resume-hook.js';
import { unsubscribeBarrier } from '../../deliveries/start-deliveries.js';
import { tellQueue } from '../../deliveries/tell-queue.js';
import type { Handled } from '../../event-store/handle.js';
import { requireMasterKeyOfService } from '../../keys/fingerprint.js';
import type { ListenerEvent } from '../../listeners/events.js';
import { findHook } from '../../listeners/find-hook.js';
import { type Listener, registrationOf } from '../../listeners/listener.js';
import { operatedSummary } from '../../listeners/listener-summary.js';
import { type ListenerOperations, type OperateListener, operateListener } from '../../listeners/operate-listener.js';
import { overlapHours } from '../../listeners/rotate-listener-secret.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { watch } from '../../read-model/watch.js';
import { SettingsReader } from '../../settings.js';
import { type CommandContext, contextOf } from '../command-context.js';
import { masterKeysOf } from '../command-keys.js';
import type { Stores } from '../command-stores.js';
import { UsageError } from '../failure.js';
import { listenerArgument, wholeNumber } from '../options.js';
import { counted, printResult } from '../output.js';
import { removalNoticesOf, toldSentence } from '../removal-notice.js';

type Changed = Handled<Listener, ListenerEvent>;

/** `listeners pause|resume|rotate-secret|unsubscribe <listener>`: what an operator decides about one registration. */
export function addListenerChangeCommands(listeners: Command): void {
  const add = (name: string, description: string) =>
    listeners.command(name).description(description).addArgument(listenerArgument());

  add('pause', 'keeps a registration but delivers nothing to it: what happens meanwhile is held').action(
    async (listenerId: string, _: object, command: Command) => {
      const context = contextOf(command);
      const changed = await context.withStores((stores) => change(context, stores, { change: 'pause', listenerId }));
      print(context, changed);
    },
  );
  add('resume', 'delivers to a paused hook again; what is held stays so unless it is told otherwise')
    .option('--redeliver-held', 'delivers what is held too')
    .action(resume);
  add('rotate-secret', 'gives a hook its next signing secret, and prints it')
    .addOption(
      new Option(
        '--overlap-hours <number>',
        'for so long deliveries are signed with the secret before too; 0 revokes it',
      )
        .default(overlapHours.usual)
        .argParser((text) => wholeNumber('--overlap-hours', text, 0, overlapHours.most)),
    )
    .option('--replaces <version>', 'changes nothing where this version of the secret has been replaced already')
    .action(rotateSecret);
  add('unsubscribe', 'removes a hook: no delivery to it starts any more').action(unsubscribe);
}

async function resume(listenerId: string, options: { readonly redeliverHeld?: true }, command: Command): Promise<void> {
  const context = contextOf(command);
  const redeliverHeld = options.redeliverHeld === true;
  const { handled: changed, settled } = await context.withStores(async (stores) => {
    const queue = await stores.deliveries();
    return withOperations(stores, (operations) =>
      resumeHook({ operations, queue, clock: Date.now }, { listenerId, redeliverHeld }, contextNow(context)),
    );
  });
  const { held, redelivered, moreMayCome } = settled;
  const due = counted(redelivered, 'held delivery is', 'held deliveries are');
  const how = redeliverHeld ? 'more may become due' : 'more may come in as held';
  const more = moreMayCome ? `; ${how}: the fan-out has not come up to the end of the pause yet` : '';
  print(context, changed, settled, `; ${due} due now, ${counted(held, 'stays', 'stay')} held${more}`);
}

type RotateOptions = { readonly overlapHours: number; readonly replaces?: string };

async function rotateSecret(
  listenerId: string,
  { overlapHours, replaces }: RotateOptions,
  command: Command,
): Promise<void> {
  const context = contextOf(command);
  const masterKeys = await masterKeysOf(context.dataDirectory);
  if (!masterKeys)
    throw new UsageError('rotate-secret needs the master keys of the service: set MASTER_KEYS as it has it');
  const version = replaces === undefined ? undefined : wholeNumber('--replaces', replaces, 1, Number.MAX_SAFE_INTEGER);
  const changed = await context.withStores(async (stores) => {
    await requireMasterKeyOfService(stores.events(), masterKeys);
    return change(context, stores, {
      ...{ change: 'rotate-secret', listenerId, keyGeneration: masterKeys.current },
      ...{ overlapMs: overlapHours * 3_600_000, replaces: version },
    });
  });
  const secret = signingSecret(masterKeys, registrationOf(changed.state));
  const { changed: events, ...summary } = operatedSummary(changed);
  const { secretVersion, previousSecretUntil } = summary;
  const which =
    events.length === 0
      ? `nothing changed: the secret of ${listenerId} is version ${secretVersion} already`
      : `the secret of ${listenerId} is version ${secretVersion} now`;
  const overlap = previousSecretUntil === null ? '' : `; the one before signs too until ${previousSecretUntil}`;
  printResult(context.output, { ...summary, changed: events, signingSecret: secret }, `${which}: ${secret}${overlap}`);
}

async function unsubscribe(listenerId: string, _: object, command: Command): Promise<void> {
  const context = contextOf(command);
  const notices = removalNoticesOf(new SettingsReader(process.env));
  const changed = await context.withStores((stores) => change(context, stores, { change: 'unsubscribe', listenerId }));
  if (changed.events.length > 0) notices?.onRemoved(registrationOf(changed.state));
  const [told] = (await notices?.results()) ?? [];
  print(context, changed, { notice: told ?? null }, told && toldSentence(told));
}

/** As the admin API does, against the stores of a service that may be running. */
const change = (context: CommandContext, stores: Stores, command: OperateListener): Promise<Changed> =>
  withOperations(stores, (operations) => operateListener(operations, command, contextNow(context)));

const contextNow = ({ cause }: CommandContext) => ({ cause, now: new Date() });

async function withOperations<Result>(
  stores: Stores,
  work: (operations: ListenerOperations) => Promise<Result>,
): Promise<Result> {
  const store = stores.events();
  const readModel = stores.readModel();
  const queue = await stores.deliveries();
  const view = watch({ store, readModel, projection: listenersView });
  try {
    return await work({
      ...{ store, findHook: findHook({ store, readModel, viewPassed: view.passed }) },
      tellChange: tellQueue(queue, Date.now),
      barrier: unsubscribeBarrier(localGates(), queue, true), // the permits are the service's
    });
  } finally {
    await view.stop();
  }
}

function print({ output }: CommandContext, changed: Changed, more: object = {}, sentence = ''): void {
  const { changed: events, ...summary } = operatedSummary(changed);
  const { listenerId, state } = summary;
  const what = events.length === 0 ? `is ${state}: nothing changed` : `is ${state} now`;
  printResult(output, { ...summary, changed: events, ...more }, `${listenerId} ${what}${sentence}`);
}
