import type pb from '@eventstore/db-client/generated/streams_pb.js';
import type { EventFilter } from '../store/read-all.js';
import { invalidArgument } from './call-failure.js';

/** The window of a filter that asks for none of its own. */
const defaultWindow = 32;

/** A filter with the number of events after which a subscription says how far it is. */
export interface CheckpointedFilter {
  passes: EventFilter;
  /** Number of events examined for one page of history. */
  window: number;
  checkpointInterval: number;
}

export function readFilter(options: pb.ReadReq.Options.FilterOptions | undefined): CheckpointedFilter | undefined {
  if (!options) return undefined;
  const byStream = options.getStreamIdentifier();
  const expression = byStream ?? options.getEventType();
  if (!expression) throw invalidArgument('A filter by stream name or event type is required.');
  const matches = matcher(expression.getRegex(), expression.getPrefixList());
  const window = options.hasMax() ? options.getMax() : defaultWindow;
  const multiplier = options.getCheckpointintervalmultiplier();
  if (multiplier < 1 || window < 1) throw invalidArgument('A window and a checkpoint interval are at least 1.');
  return {
    passes: ({ stream, type }) => matches(byStream ? stream : type),
    window,
    checkpointInterval: window * multiplier,
  };
}

function matcher(regex: string, prefixes: readonly string[]): (value: string) => boolean {
  if (prefixes.length > 0) return (value) => prefixes.some((prefix) => value.startsWith(prefix));
  try {
    const expression = new RegExp(regex);
    return (value) => expression.test(value);
  } catch {
    throw invalidArgument(`Not a regular expression: ${regex}`);
  }
}
