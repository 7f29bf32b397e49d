// What the compiler accepts of a program that uses the package, and what it refuses: each `@ts-expect-error` has to be an error, and there
// may be no other. It is compiled, not run.
import {
  type CancelledReplay,
  type DeliveredEvent,
  type Delivery,
  FlowHooks,
  FlowHooksError,
  type ListedFlowEvent,
  type Listener,
  type PublishResult,
  type Replay,
  verify,
} from 'flow-hooks-client';

const flowHooks = new FlowHooks({
  url: new URL('https://hooks.example.com/base'),
  key: 'key',
  timeoutMs: 1,
  retries: 0,
});
// @ts-expect-error a key is required
new FlowHooks({ url: 'https://hooks.example.com' });
// @ts-expect-error no such option
new FlowHooks({ url: 'https://hooks.example.com', key: 'key', timeout: 1 });
// @ts-expect-error the key cannot be read
listeners.key;

export async function publishing(): Promise<void> {
  const { id, warning }: { id: string; warning?: string } = await flowHooks.publish({
    type: 'order.paid',
    data: { total: 42 },
  });
  await flowHooks.publish({ type: 'order.paid', data: id, orgId: 'acme', id, flowId: id, occurredAt: warning ?? id });
  // @ts-expect-error a type is required
  await flowHooks.publish({ data: {} });
  // @ts-expect-error data is required
  await flowHooks.publish({ type: 'order.paid' });
  // @ts-expect-error no such field
  await flowHooks.publish({ type: 'order.paid', data: null, organisation: 'acme' });
  // @ts-expect-error a text
  await flowHooks.publish({ type: 'order.paid', data: null, occurredAt: new Date() });
  await flowHooks.publish({ type: 'order.paid', data: null }, { signal: AbortSignal.timeout(1) });

  const results: readonly PublishResult[] = await flowHooks.publishBatch(new Set([{ type: 'order.paid', data: 1 }]));
  for (const result of results) {
    if (result.status === 'rejected') result.error satisfies string;
    // @ts-expect-error only rejected events have an error
    else result.error;
    result.id satisfies string;
  }
  // @ts-expect-error a list
  await flowHooks.publishBatch({ type: 'order.paid', data: 1 });
}

export async function subscribing(): Promise<void> {
  const { orgId, scopes } = await flowHooks.whoami();
  scopes satisfies string[];
  const hookUrl = 'https://hooks.example.com';
  const { signingSecret } = await flowHooks.subscribe({ hookUrl, subscriptionType: '*', orgId: orgId ?? 'acme' });
  signingSecret satisfies string;
  // @ts-expect-error a type is required
  await flowHooks.subscribe({ hookUrl });
  await (flowHooks.unsubscribe({ hookUrl, userId: 'ada' }) satisfies Promise<void>);
}

export async function listing(): Promise<void> {
  for await (const delivery of flowHooks.listDeliveries({ orgId: 'acme', state: 'exhausted' }, { pageSize: 10 })) {
    delivery satisfies Delivery;
    delivery.lastStatus satisfies number | null;
    // @ts-expect-error no such field
    delivery.status;
  }
  for await (const event of flowHooks.listFlowEvents({ orgId: 'acme', type: 'order.*' }))
    event satisfies ListedFlowEvent;
  for await (const listener of flowHooks.listListeners({ orgId: 'acme' })) listener satisfies Listener;
  // @ts-expect-error an organisation is required
  flowHooks.listDeliveries({});
  // @ts-expect-error no such state
  flowHooks.listDeliveries({ orgId: 'acme', state: 'failed' });
  // @ts-expect-error pages are followed by the client
  flowHooks.listDeliveries({ orgId: 'acme', after: 'cursor' });
  // @ts-expect-error an async iterator, not a promise of a list
  (await flowHooks.listListeners({ orgId: 'acme' })).length;
}

export async function operating(): Promise<void> {
  const { event, items } = await flowHooks.explain({ orgId: 'acme', eventId: 'order-4711' });
  event.position satisfies string;
  for (const { outcome, deliveries } of items) {
    outcome satisfies string;
    // @ts-expect-error no such outcome
    outcome === 'lost';
    deliveries[0]?.attempts satisfies unknown[] | undefined;
  }
  // @ts-expect-error the event is required
  await flowHooks.explain({ orgId: 'acme' });
  const replay: Replay = await flowHooks.replay({ orgId: 'acme', listenerId: 'id', ratePerSecond: 5 });
  await flowHooks.waitForReplay(replay.id, { pollMs: 1, onProgress: ({ percent }) => percent satisfies number });
  (await flowHooks.cancelReplay(replay.id)) satisfies CancelledReplay;
  await flowHooks.replay({ orgId: 'acme', hookUrl: 'https://hooks.example.com', eventId: 'order-4711' });
  // @ts-expect-error the listener is required
  await flowHooks.replay({ orgId: 'acme', type: 'order.*' });
  // @ts-expect-error a number
  await flowHooks.replay({ orgId: 'acme', listenerId: 'id', ratePerSecond: '5' });
}

export async function everyRoute(): Promise<void> {
  const { data, error, response } = await flowHooks.api.GET('/admin/api/replays', {
    params: { query: { orgId: 'acme' } },
  });
  if (data) data.items[0]?.state satisfies 'running' | 'completed' | 'cancelled' | undefined;
  else error.message satisfies string;
  response.status satisfies number;
  // @ts-expect-error not a code of this route
  if (error?.error === 'event_type_mismatch') return;
  const samples = await flowHooks.api.GET('/api/hooks/perform-list'); // answers 201 with a list
  samples.data satisfies unknown[] | undefined; // the results of a transformation are any JSON
  const filter = { 'data.total': { $gt: 40 }, type: { $in: ['order.paid', 'order.sent'] } };
  await flowHooks.api.POST('/api/hooks/subscribe/flows', {
    params: { header: { orgid: 'acme', userid: 'ada' } },
    body: { hookUrl: 'https://hooks.example.com', subscriptionType: 'order.*', filter },
  });
  // @ts-expect-error no such route
  await flowHooks.api.GET('/admin/api/hooks');
  // @ts-expect-error no such method of the route
  await flowHooks.api.POST('/admin/api/deliveries');
  // @ts-expect-error the path has a parameter
  await flowHooks.api.GET('/admin/api/replays/{id}');
  const { listenerId } = { listenerId: 'id' };
  await flowHooks.api.POST('/admin/api/listeners/{listenerId}/resume', { params: { path: { listenerId } }, body: {} });
  // @ts-expect-error a boolean
  const body: { redeliverHeld?: boolean } = { redeliverHeld: 'yes' };
  await flowHooks.api.POST('/admin/api/listeners/{listenerId}/resume', { params: { path: { listenerId } }, body });
}

export function receiving(): void {
  const event = verify(['whsec_a', 'whsec_b'], new Headers(), new Uint8Array());
  event satisfies DeliveredEvent;
  const { headers }: { headers: Record<string, string | string[] | undefined> } = { headers: {} };
  verify<{ total: number }>('whsec_a', headers, 'body').total satisfies number;
  // @ts-expect-error not parsed
  verify('whsec_a', headers, { id: 'order-4711' });
  // @ts-expect-error unknown until it is checked
  event.data.total;
}

export function failing(error: unknown): void {
  if (!(error instanceof FlowHooksError)) return;
  const { code, status, requestId, retryAfterMs, results } = error;
  code satisfies string;
  [status, retryAfterMs] satisfies (number | undefined)[];
  requestId satisfies string | undefined;
  results?.map(({ id }) => id);
  // @ts-expect-error read only
  error.code = 'other';
}
