import type { MasterKeys } from '../../access/keys/master-keys.js';
import { resumeAndRelease } from '../../deliveries/commands/resume-and-release.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { detailsOf } from '../../listeners/listener.js';
import { type ListenerOperations, type OperateListener, operateListener } from '../../listeners/operate-listener.js';
import { operatedSummary } from '../../listeners/queries/listener-summary.js';
import { signingSecret } from '../../listeners/signing-secret.js';
import { changeListenerOptionsRoute } from './contracts/listener-queries.js';
import {
  pauseListenerRoute,
  resumeListenerRoute,
  rotateListenerSecretRoute,
  unsubscribeListenerRoute,
} from './contracts/listeners.js';
import { type BoundRoute, type CallContext, handle } from './routing/handle.js';
import { listenerOwner, orNotFound } from './routing/listener-owner.js';

export type ListenerChangeRoutes = {
  readonly operations: ListenerOperations;
  readonly queue: Pick<DeliveryQueue, 'list' | 'redeliver' | 'checkpoint' | 'firstWaiting'>;
  readonly masterKeys: MasterKeys;
};

const hourMs = 3_600_000;
const missing = 'no active listener has this ID';

export function listenerChangeRoutes({ operations, queue, masterKeys }: ListenerChangeRoutes): readonly BoundRoute[] {
  const owner = listenerOwner(operations.findListener, missing);
  const change = (command: OperateListener, context: CallContext) =>
    orNotFound(() => operateListener(operations, command, context), missing);

  return [
    handle(
      pauseListenerRoute,
      async ({ params }, context) => operatedSummary(await change({ change: 'pause', ...params }, context)),
      owner,
    ),
    handle(
      resumeListenerRoute,
      async ({ params, body: { redeliverHeld } }, context) => {
        const { handled, settled } = await orNotFound(
          () => resumeAndRelease({ operations, queue, clock: Date.now }, { ...params, redeliverHeld }, context),
          missing,
        );
        return { ...operatedSummary(handled), ...settled };
      },
      owner,
    ),
    handle(
      rotateListenerSecretRoute,
      async ({ params, body: { overlapHours, replaces } }, context) => {
        const keyGeneration = masterKeys.current;
        const overlapMs = overlapHours * hourMs;
        const handled = await change(
          { change: 'rotate-secret', ...params, keyGeneration, overlapMs, replaces },
          context,
        );
        const secret = signingSecret(masterKeys, detailsOf(handled.state));
        return { ...operatedSummary(handled), signingSecret: secret };
      },
      owner,
    ),
    handle(
      changeListenerOptionsRoute,
      async ({ params, body }, context) =>
        operatedSummary(await change({ change: 'options', ...params, ...body }, context)),
      owner,
    ),
    handle(
      unsubscribeListenerRoute,
      async ({ params }, context) => operatedSummary(await change({ change: 'unsubscribe', ...params }, context)),
      owner,
    ),
  ];
}
