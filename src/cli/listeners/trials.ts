import { testListenerRoute, tryListenerRoute } from '../../admin/api/contracts/listeners.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { CommandContext } from '../context.js';
import { printResult, printRows } from '../output.js';
import { parseData } from '../parse-options.js';

/** The sample was cancelled before its attempt. */
class SampleNotSent extends DomainError {
  readonly code = 'sample_not_sent';
}

export async function test(
  listenerId: string,
  _: object,
  { output, call, stopOnSignal }: CommandContext,
): Promise<void> {
  stopOnSignal(); // cancels the sample, so that it is not sent days later
  const sent = await call(testListenerRoute, { listenerId });
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

type TryOptions = { type: string; data: string; id?: string };

export async function tryListener(
  listenerId: string,
  { type, data, id }: TryOptions,
  { output, call }: CommandContext,
): Promise<void> {
  const event = { type, data: parseData(data), id };
  const tried = await call(tryListenerRoute, { listenerId, event });
  printResult(output, tried, tried.sent ? JSON.stringify(tried.body) : `nothing would be sent: ${tried.because}`);
}
