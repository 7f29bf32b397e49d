import pb from '@eventstore/db-client/generated/streams_pb.js';
import type { AllStart, EventFilter } from '../store/read-all.js';
import type { Direction } from '../store/read-stream.js';
import { invalidArgument } from './call-failure.js';
import { type CheckpointedFilter, readFilter } from './read-filter.js';
import { readStreamName } from './wire.js';

import Options = pb.ReadReq.Options;

export type StreamStart = bigint | 'start' | 'end';

/** One of the four calls that share the method Read. */
export type ReadRequest = { resolveLinks: boolean; structuredIds: boolean } & (
  | ({ kind: 'stream'; stream: string; from: StreamStart } & Span)
  | ({ kind: 'all'; from: AllStart; filter: EventFilter | undefined } & Span)
  | StreamSubscriptionRequest
  | AllSubscriptionRequest
);

interface Span {
  direction: Direction;
  count: bigint;
}

export interface StreamSubscriptionRequest {
  kind: 'stream-subscription';
  stream: string;
  from: StreamStart;
}

export interface AllSubscriptionRequest {
  kind: 'all-subscription';
  from: AllStart;
  filter: CheckpointedFilter | undefined;
}

/** Throws the failure of a call whose options do not go together. */
export function readRequest(request: pb.ReadReq): ReadRequest {
  const options = request.getOptions() ?? new pb.ReadReq.Options();
  const filter = readFilter(options.getFilter());
  const stream = options.getStream();
  const all = options.getAll();
  const direction: Direction = options.getReadDirection() === 1 ? 'backwards' : 'forwards';
  const common = {
    resolveLinks: options.getResolveLinks(),
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
  };
  if (!options.hasUuidOption()) throw invalidArgument('A UUID option is required.');
  if (options.hasFilter() === options.hasNoFilter()) throw invalidArgument('A filter or none is required.');
  if (stream && filter) throw invalidArgument('A stream cannot be read with a filter.');
  if (options.hasSubscription()) {
    if (direction === 'backwards') throw invalidArgument('A subscription cannot go backwards.');
    if (stream) return { ...common, kind: 'stream-subscription', ...streamStart(stream) };
    if (all) return { ...common, kind: 'all-subscription', from: allStart(all), filter };
  } else if (options.hasCount()) {
    const span = { direction, count: BigInt(options.getCount()) };
    if (stream) return { ...common, ...span, kind: 'stream', ...streamStart(stream) };
    if (all) return { ...common, ...span, kind: 'all', from: allStart(all), filter: filter?.passes };
  }
  throw invalidArgument('A stream or $all, and a count or a subscription, are required.');
}

function streamStart(options: Options.StreamOptions): { stream: string; from: StreamStart } {
  const stream = readStreamName(options.getStreamIdentifier());
  if (options.hasRevision()) return { stream, from: BigInt(options.getRevision()) };
  return { stream, from: options.hasEnd() ? 'end' : 'start' };
}

function allStart(options: Options.AllOptions): AllStart {
  const position = options.getPosition();
  if (!position) return options.hasEnd() ? 'end' : 'start';
  return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
}
