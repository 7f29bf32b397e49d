import { trySubscriptionRoute } from '../../admin/api/contracts/feed.js';
import { testListenerRoute } from '../../admin/api/contracts/listeners.js';
import { sumOfTrials, type Tried } from '../../admin/api/sum-trials.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { CommandContext } from '../context.js';
import { beginningOf, type Columns, counted, printResult, printRows } from '../output.js';
import type { Given } from '../route-command.js';

/** The sample was cancelled before its attempt. */
class SampleNotSent extends DomainError {
  readonly code = 'sample_not_sent';
}

export async function testListener(given: Given, { output, call, stopOnSignal }: CommandContext): Promise<void> {
  stopOnSignal(); // cancels the sample, so that it is not sent days later
  const sent = await call(testListenerRoute, given);
  printRows(
    output,
    [sent],
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
  if (!sent.attempt)
    throw new SampleNotSent(
      'the sample was not sent: no service leased it, or the breaker, rate, order or Retry-After of the listener delays it',
    );
}

/** Reads until a signal, and prints the sums and the examples. */
export async function trySubscription(given: Given, { output, call, stopOnSignal }: CommandContext): Promise<void> {
  const stopping = stopOnSignal();
  const read = (after: string | undefined) => call(trySubscriptionRoute, { ...given, after });
  const sum = await sumOfTrials(read, () => !stopping.aborted);
  printResult(output, sum, sentenceOf(sum));
  if (output.json || sum.examples.length === 0) return;
  const columns = {
    outcome: 'outcome',
    event: 'eventId',
    type: 'type',
    recorded: 'recordedAt',
    'body or reason': ({ body, because }) => because ?? beginningOf(JSON.stringify(body), 200),
  } satisfies Columns<Tried['examples'][number]>;
  printRows(output, sum.examples, columns, '');
}

function sentenceOf({ from, upTo, sent, dropped, failed, gaps, next }: Tried): string {
  const outcomes = `${counted(sent, 'event')} would be sent, ${dropped} dropped by the filter, ${failed} would fail`;
  const missing = gaps.length > 0 ? '; events are missing, see --json' : '';
  const end = next === null ? '' : '; stopped before the end of the period';
  return `since ${from}, up to ${upTo ?? 'now'}: ${outcomes}${missing}${end}`;
}
