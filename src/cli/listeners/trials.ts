import { listenersView } from '../../../projections/listeners.js';
import { sendTestDelivery, type TestDelivery } from '../../deliveries/commands/test-delivery.js';
import { testDeliverySummary } from '../../deliveries/queries/summaries.js';
import { tryRegistered } from '../../deliveries/queries/try-event.js';
import { transformer } from '../../deliveries/transforms/transformer.js';
import { publishRequest } from '../../flows/contract.js';
import { DomainError } from '../../kernel/domain-error.js';
import { canonicalUuid } from '../../kernel/input/texts.js';
import { deliverableListener } from '../../listeners/queries/deliverable-listener.js';
import { findListener } from '../../listeners/queries/find-listener.js';
import type { Stores } from '../../service/stores/command-stores.js';
import type { CommandContext } from '../context.js';
import { printResult, printRows } from '../output.js';
import { parseData, parseOptions } from '../parse-options.js';
import { withView } from '../views.js';

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

export async function test(listener: string, _: object, { output, withStores }: CommandContext): Promise<void> {
  const sent = await withStores((stores) => sendTo(canonicalUuid(listener), stores));
  printRows(
    output,
    [testDeliverySummary(sent)],
    {
      delivery: 'deliveryId',
      state: 'state',
      status: ({ attempt }) => attempt?.status ?? '-',
      error: ({ attempt }) => attempt?.error ?? '-',
      took: ({ attempt }) => (attempt ? `${attempt.durationMs} ms` : '-'),
      answer: ({ attempt }) => attempt?.answer ?? '-',
    },
    '',
  );
  if (!sent.attempt) throw new SampleNotSent();
}

async function sendTo(listenerId: string, stores: Stores): Promise<TestDelivery> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop); // cancels the sample, so that it is not sent days later
  return withView(stores, listenersView, async (sources) => {
    const find = findListener(sources);
    const { orgId } = await find(listenerId);
    const found = await deliverableListener({ store: sources.store, findListener: find }, { orgId, listenerId });
    const queue = await stores.deliveries();
    return sendTestDelivery({ queue, clock: Date.now, waitMs, signal: stopping.signal }, found);
  }).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop));
}

const { type, data, id } = publishRequest.shape;

export async function tryListener(
  listener: string,
  options: { readonly data: string },
  { output, withStores }: CommandContext,
): Promise<void> {
  const event = parseOptions({ type, data, id }, { ...options, data: parseData(options.data) });
  const transforms = transformer();
  const tried = await withStores((stores) =>
    withView(stores, listenersView, (sources) => {
      const dependencies = {
        store: sources.store,
        findListener: findListener(sources),
        transform: transforms.transform,
      };
      return tryRegistered(dependencies, canonicalUuid(listener), event, new Date());
    }),
  ).finally(() => transforms.stop());
  printResult(output, tried, tried.sent ? JSON.stringify(tried.body) : `nothing would be sent: ${tried.because}`);
}
