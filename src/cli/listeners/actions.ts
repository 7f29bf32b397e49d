import { changeListenerOptionsRoute } from '../../admin/api/contracts/listener-queries.js';
import {
  type changedListenerAnswer,
  listListenersRoute,
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  unsubscribeListenerRoute,
} from '../../admin/api/contracts/listeners.js';
import type { AnswerOf } from '../../http/route-contract.js';
import { subscriptionColumns } from '../../listeners/subscription.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { counted, type Output, printResult, printRows } from '../output.js';
import { parseRate } from '../parse-options.js';

export async function list(options: { org: string }, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listListenersRoute, options),
    {
      listener: 'listenerId',
      state: 'state',
      ...subscriptionColumns,
      user: 'userId',
      since: 'registeredAt',
      'hook URL': 'hookUrl',
    },
    `${options.org} has no listeners`,
  );
}

export async function pause(listenerId: string, _: object, { output, call }: CommandContext): Promise<void> {
  printChanged(output, await call(pauseListenerRoute, { listenerId }));
}

export async function resume(
  listenerId: string,
  { redeliverHeld = false, closeCircuit = false }: { redeliverHeld?: boolean; closeCircuit?: boolean },
  { output, call }: CommandContext,
): Promise<void> {
  const resumed = await call(resumeListenerRoute, { listenerId, redeliverHeld, closeCircuit });
  const { held, redelivered, moreMayCome } = resumed;
  const due = counted(redelivered, 'held delivery is', 'held deliveries are');
  const how = redeliverHeld ? 'more may become due' : 'more may be held';
  const more = moreMayCome ? `; ${how}: the fan-out has not reached the end of the pause yet` : '';
  printChanged(output, resumed, `; ${due} due now, ${counted(held, 'stays', 'stay')} held${more}`);
}

type SubscriptionOptions = { ordered?: boolean; rate?: string };

export async function options(
  listenerId: string,
  { ordered, rate }: SubscriptionOptions,
  { output, call }: CommandContext,
): Promise<void> {
  if (ordered === undefined && rate === undefined)
    throw new UsageError('give an option to change: --ordered, --no-ordered or --rate');
  const change = { listenerId, ordered, ratePerSecond: parseRate(rate) };
  printChanged(output, await call(changeListenerOptionsRoute, change));
}

type RotateOptions = { overlapHours: number; replaces?: string };

export async function rotateSecret(
  listenerId: string,
  { overlapHours, replaces }: RotateOptions,
  { output, call }: CommandContext,
): Promise<void> {
  const version = replaces === undefined ? undefined : wholeNumber('--replaces', replaces, 1, Number.MAX_SAFE_INTEGER);
  const rotated = await call(rotateListenerSecretRoute, { listenerId, overlapHours, replaces: version });
  const { secretVersion, previousSecretUntil, signingSecret, signingPublicKey, changed } = rotated;
  const which =
    changed.length === 0
      ? `nothing changed: the secret of ${listenerId} is version ${secretVersion} already`
      : `the secret of ${listenerId} is version ${secretVersion} now`;
  const overlap = previousSecretUntil === null ? '' : `; the previous one signs too until ${previousSecretUntil}`;
  printResult(output, rotated, `${which}: ${signingSecret}${overlap}; the public key for v1a is ${signingPublicKey}`);
}

export async function unsubscribe(listenerId: string, _: object, { output, call }: CommandContext): Promise<void> {
  printChanged(output, await call(unsubscribeListenerRoute, { listenerId }));
}

type Changed = Pick<AnswerOf<typeof changedListenerAnswer>, 'listenerId' | 'state' | 'changed'>;

/** Prints a listener after a change. `sentence`: end of the text. */
function printChanged(output: Output, listener: Changed, sentence = ''): void {
  const { listenerId, state, changed } = listener;
  const what = changed.length === 0 ? `is ${state}: nothing changed` : `is ${state} now`;
  printResult(output, listener, `${listenerId} ${what}${sentence}`);
}
