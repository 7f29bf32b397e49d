import type pb from '@eventstore/db-client/generated/streams_pb.js';
import type { handleServerStreamingCall } from '@grpc/grpc-js';
import { requireAccess } from '../access-control.js';
import { type Node, noteCall } from '../node.js';
import { NoSuchPosition, readAll } from '../store/read-all.js';
import { readStream } from '../store/read-stream.js';
import type { RecordedEvent } from '../store/recorded-event.js';
import { resolveLink } from '../store/resolve-link.js';
import { asCallFailure, streamDeleted, unexpectedResult } from './call-failure.js';
import { Outbox } from './outbox.js';
import { type ReadRequest, readRequest } from './read-request.js';
import { eventMessage, streamNotFoundMessage } from './read-response.js';
import { requireLeader } from './require-leader.js';
import { subscribeToAll } from './subscribe-to-all.js';
import { subscribeToStream } from './subscribe-to-stream.js';
import { Subscription } from './subscription.js';

type Request<Kind> = Extract<ReadRequest, { kind: Kind }>;

/** Reads and subscriptions of streams and of $all. */
export const read =
  (node: Node): handleServerStreamingCall<pb.ReadReq, Uint8Array> =>
  (call) => {
    const subscription = call.request.getOptions()?.hasSubscription() ? new Subscription(node, call) : undefined;
    const outbox = subscription?.outbox ?? new Outbox(call);
    const answer = async () => {
      const { conduct } = node;
      await conduct.hearing();
      const request = readRequest(call.request);
      noteCall(node, request.kind);
      const requiresLeader = call.metadata.get('requires-leader').includes('true');
      if (requiresLeader) requireLeader(node);
      requireAccess(node, call.metadata, 'read', 'stream' in request ? request.stream : '$all');
      await conduct.answering();
      if (request.kind === 'stream') return answerStream(node, outbox, request);
      if (request.kind === 'all') return answerAll(node, outbox, request);
      if (!subscription) return;
      if (request.kind === 'stream-subscription') return subscribeToStream(node, subscription, request);
      return subscribeToAll(node, subscription, request);
    };
    answer().catch((error) => outbox.end(asCallFailure(error)));
  };

async function answerStream(node: Node, outbox: Outbox, request: Request<'stream'>): Promise<void> {
  const { log } = node.store;
  const { stream: name, from, direction, count } = request;
  if (log.isTombstoned(name)) throw streamDeleted(name);
  if (count === 0n || (direction === 'forwards' && from === 'end')) throw unexpectedResult('ReadStreamResult');
  const stream = log.stream(name);
  if (stream.isMissing) outbox.put(streamNotFoundMessage(name));
  else await send(node, outbox, request, readStream(stream, from === 'start' ? 0n : from, direction));
  outbox.end();
}

async function answerAll(node: Node, outbox: Outbox, request: Request<'all'>): Promise<void> {
  const { from, direction, count, filter } = request;
  if (count === 0n) return; // The real server leaves this call without an answer for ever.
  try {
    await send(node, outbox, request, readAll(node.store.log, from, direction), filter);
  } catch (error) {
    const { noSuchPosition } = node.version;
    throw error instanceof NoSuchPosition ? unexpectedResult('ReadAllResult', noSuchPosition) : error;
  }
  outbox.end();
}

async function send(
  { conduct, store }: Node,
  outbox: Outbox,
  { count, resolveLinks, structuredIds }: Request<'stream' | 'all'>,
  events: Iterable<RecordedEvent>,
  passes: (event: RecordedEvent) => boolean = () => true,
): Promise<void> {
  let sent = 0n;
  for (const event of events) {
    if (!passes(event)) continue;
    outbox.put(eventMessage(resolveLinks ? resolveLink(store.log, event) : { event }, structuredIds));
    sent += 1n;
    if (sent === count) return;
    if (outbox.isFull) await outbox.room();
    await conduct.hearing();
    if (outbox.isClosed) return;
  }
}
