import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { post, rateOf, type Server } from '../processes/processes.js';
import { now } from './arrivals.js';
import { orgId } from './listeners.js';

type Service = Pick<Server, 'pool'>;

const bodyBytes = 505;

/** `bodyBytes` long: the envelope has a fixed length. */
export function deliveredBody(id: string = randomUUID(), type = 'flow.completed'): string {
  const envelope = { id, type, timestamp: '2026-01-01T12:00:00.000Z', orgId, flowId: id };
  const capacity = bodyBytes - JSON.stringify({ ...envelope, data: { text: '' } }).length;
  return JSON.stringify({ ...envelope, data: { text: 'x'.repeat(capacity) } });
}

const template = JSON.parse(deliveredBody()) as { data: unknown };

/** Publishes an event of the size of `deliveredBody` for `flow.completed`. */
export async function publish(service: Service, id: string, type = 'flow.completed'): Promise<void> {
  const body = JSON.stringify({ orgId, type, id, data: template.data });
  await post(service, { path: '/api/flows', body, expected: 202 });
}

export async function publishBatch(service: Service, ids: readonly string[], type = 'flow.completed'): Promise<void> {
  const body = JSON.stringify(ids.map((id) => ({ orgId, type, id, data: template.data })));
  await post(service, { path: '/api/flows/batch', body, expected: 202 });
}

/** Returns the listener ID. */
export async function registerListener(
  service: Service,
  hookUrl: string,
  subscriptionType = 'flow.completed',
  fields: object = {},
): Promise<string> {
  const answer = await post(service, {
    path: '/api/hooks/subscribe/flows',
    headers: { orgid: orgId, userid: 'user-1' },
    body: JSON.stringify({ hookUrl, subscriptionType, ...fields }),
    expected: 201,
  });
  return (JSON.parse(answer) as { listenerId: string }).listenerId; // the contract with platforms
}

/**
 * Publishes by concurrent callers, and waits until the one matching listener got all. Benches run a burst first, so
 * that the service is warm.
 */
export async function burst(
  service: Service,
  queue: DeliveryQueue,
  { callers, count, type }: { callers: number; count: number; type?: string },
): Promise<ReadonlyMap<string, number>> {
  const { succeeded } = await queue.counts(Date.now());
  const handedOver = new Map<string, number>();
  await rateOf(callers, count, async () => {
    const id = randomUUID();
    handedOver.set(id, now());
    await publish(service, id, type);
  });
  await untilSucceeded(queue, succeeded + count);
  return handedOver;
}

/** Does not wait for answers before the next call; resolves with the sending times, once all are answered. */
export async function sendPaced(
  { perSecond, count }: { perSecond: number; count: number },
  send: (id: string, number: number) => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const handedOver = new Map<string, number>();
  const answered: Promise<void>[] = [];
  const startedAt = now();
  for (let number = 0; number < count; number += 1) {
    const earlyMs = startedAt + (number * 1_000) / perSecond - now();
    if (earlyMs > 0) await pause(earlyMs);
    const id = randomUUID();
    handedOver.set(id, now());
    answered.push(send(id, number));
  }
  await Promise.all(answered);
  return handedOver;
}

export async function untilSucceeded(queue: DeliveryQueue, count: number): Promise<void> {
  while ((await queue.counts(Date.now())).succeeded < count) await pause(5);
}
