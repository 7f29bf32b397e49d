import Router from '@koa/router';
import { z } from 'zod';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { resumeHook } from '../../deliveries/operate/resume-hook.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { ListenerEvent } from '../../events/listener-events.js';
import { NotFound } from '../../http/errors.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { type Listener, ListenerNotFound, registrationOf } from '../../registrations/listeners/listener.js';
import {
  type ListenerOperations,
  type OperateListener,
  operateListener,
} from '../../registrations/listeners/operate-listener.js';
import { overlapHours as limits } from '../../registrations/listeners/overlap-hours.js';
import { operatedSummary } from '../../registrations/listeners/queries/listener-summary.js';
import { signingSecret } from '../../registrations/listeners/signing-secret.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { Handled } from '../../stores/event-store/handle.js';
import { type AdminContext, type AdminRoutes, type AdminState, bodyOf } from './context.js';

export type ListenerChangeRoutes = {
  readonly operations: ListenerOperations;
  readonly queue: Pick<DeliveryQueue, 'list' | 'redeliver' | 'checkpoint'>;
  readonly masterKeys: MasterKeys;
};

const hourMs = 3_600_000;
const hours = { error: `must be a whole number from 0 to ${limits.max}` };
const rotateRequest = {
  overlapHours: z.int(hours).min(0, hours).max(limits.max, hours).default(limits.default),
  /** The `secretVersion` that is to be replaced: a repeat that says so rotates no second time. */
  replaces: z.int().positive().optional(),
};

/**
 * `POST /listeners/{listenerId}/pause`, `/resume`, `/rotate-secret` and `/unsubscribe`: each answers the new registration,
 * with the types of the appended events in `changed`. Resume also answers how many deliveries are still `held`, how many it
 * `redelivered` (only if `redeliverHeld` is true), and in `moreMayCome` whether the fan-out has still to process events of
 * the pause. Rotate also answers the new `signingSecret`.
 */
export function listenerChangeRoutes({ operations, queue, masterKeys }: ListenerChangeRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>({ prefix: '/listeners/:listenerId' });

  const change = (ctx: AdminContext, command: Change): Promise<Handled<Listener, ListenerEvent>> =>
    decided(ctx, (listenerId, context) => operateListener(operations, { ...command, listenerId }, context));

  async function decided<Result>(
    ctx: AdminContext,
    decide: (listenerId: string, context: { readonly cause: Cause; readonly now: Date }) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await decide(canonicalUuid(ctx.params.listenerId ?? ''), { cause: ctx.state.cause, now: new Date() });
    } catch (error) {
      // For a platform this error is a 500; here the requested resource is missing.
      throw error instanceof ListenerNotFound ? new NotFound('no active registration has this ID') : error;
    }
  }

  router.post('/pause', async (ctx) => {
    bodyOf(ctx, {});
    ctx.body = operatedSummary(await change(ctx, { change: 'pause' }));
  });

  router.post('/resume', async (ctx) => {
    const { redeliverHeld } = bodyOf(ctx, { redeliverHeld: z.boolean().default(false) });
    const { handled, settled } = await decided(ctx, (listenerId, context) =>
      resumeHook({ operations, queue, clock: Date.now }, { listenerId, redeliverHeld }, context),
    );
    ctx.body = { ...operatedSummary(handled), ...settled };
  });

  router.post('/rotate-secret', async (ctx) => {
    const { overlapHours, replaces } = bodyOf(ctx, rotateRequest);
    const handled = await change(ctx, {
      change: 'rotate-secret',
      keyGeneration: masterKeys.current,
      overlapMs: overlapHours * hourMs,
      replaces,
    });
    ctx.body = {
      ...operatedSummary(handled),
      signingSecret: signingSecret(masterKeys, registrationOf(handled.state)),
    };
  });

  router.post('/unsubscribe', async (ctx) => {
    bodyOf(ctx, {});
    ctx.body = operatedSummary(await change(ctx, { change: 'unsubscribe' }));
  });

  return router;
}

type Change<Command = OperateListener> = Command extends unknown ? Omit<Command, 'listenerId'> : never;
