import { apiKeyDecider, revokeApiKey } from '../../access/api-keys/api-key.js';
import { endPortalSession, portalLinkDecider } from '../../access/portal/portal-link.js';
import { sessionDecider } from '../../access/tokens/session.js';
import { revokeSession } from '../../access/tokens/session-commands.js';
import type { UnsubscribeBarrier } from '../../listeners/commands/end-listener.js';
import { unsubscribeListener } from '../../listeners/commands/listener-commands.js';
import type { OnRemoved } from '../../listeners/commands/operate-listener.js';
import { listenerDecider } from '../../listeners/listener.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { Cause } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { readLast } from '../../stores/event-store/read-if-exists.js';
import { cancelReplay, replayDecider } from '../replays/replay.js';
import type { ScannedStream } from './organisation-scan.js';

export type EndStreams = {
  store: EventStore;
  queue: Pick<DeliveryQueue, 'withdraw'>;
  barrier: UnsubscribeBarrier;
  onRemoved?: OnRemoved;
};

export type Context = { cause: Cause; now: Date };

/** Positions that readers must pass before the stream is deleted: the fan-out, and the reader that notifies agents' hosts. */
type EndedAt = { fanOut?: bigint | undefined; agents?: bigint | undefined };

/**
 * Repeatable: gates are closed and deliveries cancelled again, because an earlier call may have crashed before that.
 */
export async function endStream(settings: EndStreams, scanned: ScannedStream, context: Context): Promise<EndedAt> {
  try {
    return await end(settings, scanned, context);
  } catch (error) {
    // The listener is unknown: close all gates of the stream.
    if (!(error instanceof EventUndecodable)) throw error;
    for (const listenerId of scanned.listenerIds) await settings.barrier.close(listenerId);
    return {};
  }
}

async function end(
  { store, queue, barrier, onRemoved }: EndStreams,
  { stream, category }: ScannedStream,
  context: Context,
): Promise<EndedAt> {
  switch (category) {
    case 'listener': {
      const { state, position } = await handle(
        store,
        stream,
        listenerDecider,
        (listener) => (listener.state === 'none' ? [] : unsubscribeListener({ reason: 'erased' }, listener)),
        context,
      );
      if (state.state === 'none') return {};
      await barrier.close(state.details.listenerId);
      // Its URL is deleted with the stream.
      if (position !== undefined) onRemoved?.(state.details);
      if (!state.details.agent) return { fanOut: position };
      // It may have ended since the scan, with a session of the organisation.
      return { fanOut: position, agents: position ?? (await readLast(store, stream))?.position };
    }
    case 'session': {
      const revocation = { reason: 'operator', now: context.now } as const;
      await handle(store, stream, sessionDecider, (session) => revokeSession(revocation, session), context);
      return {};
    }
    case 'apiKey': {
      await handle(store, stream, apiKeyDecider, (key) => revokeApiKey(context, key), context);
      return {};
    }
    case 'portal': {
      await handle(store, stream, portalLinkDecider, endPortalSession, context);
      return {};
    }
    case 'replay': {
      const replayId = stream.slice('replay-'.length);
      const cancellation = { replayId, reason: 'erased' } as const;
      const { state } = await handle(
        store,
        stream,
        replayDecider,
        (replay) => (replay.state === 'none' ? [] : cancelReplay(cancellation, replay)),
        context,
      );
      if (state.state !== 'none') await queue.withdraw({ replay: replayId });
      return {};
    }
    default:
      return {};
  }
}
