import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { EventForStream, KnownEvent, NewEvent, StreamReader } from '../stores/event-store/event-store.js';
import { readFirstIfExists } from '../stores/event-store/read-if-exists.js';

/** Reads at a time: a batch that is sent again may consist of known events. */
const maxReads = 16;

/** Warning to producers that publish another event under a used ID. */
export const differsWarning = 'an event with this id was published before with another content, which is kept';

/** The warnings that there are, in one text. */
export const withDiffersWarning = (warning: string | undefined): string =>
  warning === undefined ? differsWarning : `${warning}; ${differsWarning}`;

/** IDs of the known events whose content differs from that of the event that was recorded under the ID. */
export async function differingEvents(
  store: StreamReader,
  events: readonly EventForStream[],
  known: readonly KnownEvent[],
): Promise<ReadonlySet<string>> {
  if (known.length === 0) return new Set();
  const sent = new Map(events.map(({ event }) => [event.id, event]));
  const differing = await pLimit(maxReads).map([...known], async ({ id, stream, revision }) => {
    const recorded = await readFirstIfExists(store.readStream(stream, { from: revision, limit: 1 }));
    const event = sent.get(id);
    return event && recorded?.id === id && !isSameContent(event, recorded) ? [id] : [];
  });
  return new Set(differing.flat());
}

/** The order of the fields makes no difference. */
export const isSameContent = (one: Content, other: Content): boolean =>
  isDeepStrictEqual(contentOf(one), contentOf(other));

type Content = Pick<NewEvent, 'type'> & { data: unknown; metadata: unknown };

function contentOf({ type, data, metadata }: Content): unknown {
  const { cloudEvent, dataText } = metadata as { cloudEvent?: unknown; dataText?: unknown }; // of flow events
  return JSON.parse(JSON.stringify({ type, data, cloudEvent, dataText }));
}
