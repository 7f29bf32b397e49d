import type { Command } from 'commander';
import { listenersView } from '../../../projections/listeners.js';
import { sendTestDelivery, type TestDelivery } from '../../deliveries/commands/test-delivery.js';
import { testDeliverySummary } from '../../deliveries/queries/summaries.js';
import { DomainError } from '../../kernel/domain-error.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { deliverableListener } from '../../listeners/queries/deliverable-listener.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { watch } from '../../stores/read-model/following/watch.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';

/** Maximum time to wait for the attempt: a service polls for deliveries of other processes every second. */
const waitMs = 10_000;

/** The sample was cancelled before its attempt. */
class SampleNotSent extends DomainError {
  readonly code = 'sample_not_sent';

  constructor() {
    super(
      'the sample was not sent: no service leased it, or the breaker, rate, order or Retry-After of the listener delays it',
    );
  }
}

/** `listeners test`: enqueues a sample for a listener, which a running service delivers. */
export async function test(listener: string, _: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const sent = await withStores((stores) => sendTo(canonicalUuid(listener), stores));
  printRows(
    output,
    [testDeliverySummary(sent)],
    {
      delivery: ({ deliveryId }) => deliveryId,
      state: ({ state }) => state,
      status: ({ attempt }) => attempt?.status ?? '-',
      error: ({ attempt }) => attempt?.error ?? '-',
      took: ({ attempt }) => (attempt ? `${attempt.durationMs} ms` : '-'),
      answer: ({ attempt }) => attempt?.answer ?? '-',
    },
    'nothing was sent',
  );
  if (!sent.attempt) throw new SampleNotSent();
}

async function sendTo(listenerId: string, stores: Stores): Promise<TestDelivery> {
  const store = await stores.events();
  const readModel = await stores.readModel();
  const view = watch({ store, readModel, projection: listenersView });
  const find = findListener({ store, readModel, viewPassed: view.passed });
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop); // cancels the sample, so that it is not sent days later
  try {
    const { orgId } = await find(listenerId);
    const listener = await deliverableListener({ store, findListener: find }, { orgId, listenerId });
    const { signal } = stopping;
    return await sendTestDelivery({ queue: await stores.deliveries(), clock: Date.now, waitMs, signal }, listener);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await view.stop();
  }
}
