import { testListenerRoute } from '../../admin/api/contracts/listeners.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { CommandContext } from '../context.js';
import { printRows } from '../output.js';
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
