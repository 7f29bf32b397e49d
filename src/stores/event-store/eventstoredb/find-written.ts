import type { AppendResult, ExpectedRevision, RecordedEvent } from '../event-store.js';
import { readIfExists } from '../read-if-exists.js';
import type { Reader } from './reading/read.js';
import type { RetryBudget } from './retry-budget.js';

type Append = {
  readonly stream: string;
  readonly events: readonly { readonly id: string }[];
  readonly expected: ExpectedRevision;
};

/** Number of events searched, from the end of the stream, for an append whose answer was lost. */
const settleWithin = 1_000;
/** The result of an append whose events are already where the expectation would put them. */
export async function findWritten(
  reader: Pick<Reader, 'stream'>,
  { stream, events, expected }: Append,
  budget: RetryBudget,
): Promise<AppendResult | undefined> {
  if (expected === 'any' || expected === 'stream-exists') {
    const lastId = events.at(-1)?.id;
    const fromTheEnd = reader.stream(stream, { direction: 'backwards', limit: settleWithin }, budget);
    for await (const event of readIfExists(fromTheEnd)) if (event.id === lastId) return resultOf(event);
    return undefined;
  }
  const from = expected === 'no-stream' ? 0n : expected + 1n;
  let index = 0;
  for await (const event of readIfExists(reader.stream(stream, { from, limit: events.length }, budget))) {
    if (event.id !== events[index]?.id) return undefined;
    index += 1;
    if (index === events.length) return resultOf(event);
  }
  return undefined;
}

const resultOf = ({ revision, position }: RecordedEvent): AppendResult => ({ revision, position });
