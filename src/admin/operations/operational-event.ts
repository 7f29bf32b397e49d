import { type ListenerEvent, listenerCodec } from '../../events/listener-events.js';
import { type OperationalType, operationsOrganisation } from '../../events/operational-events.js';
import { reasonOf } from '../../events/portal-events.js';
import { replayCodec } from '../../events/replay-events.js';
import { selectsOperational } from '../../flows/types/subscription-types.js';
import { maskedHookUrl } from '../../listeners/hook-url.js';
import { actorOf, type Recorded } from '../../stores/event-store/codec.js';
import { erasureCodec, erasuresStream } from '../../stores/event-store/erasure-events.js';
import { categoryOf, type JsonObject, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { damageCodec, damageStream } from '../../views/damage-events.js';

/** The operational event of an event of the history. `orgId`: the organisation concerned, which gets a copy; undefined: none. */
export type OperationalEvent = {
  type: OperationalType;
  orgId: string | undefined;
  data: JsonObject;
  /** Cause of an alert at a listener: operators are notified once a minute of each. Undefined: each time. */
  alert?: readonly [listenerId: string, type: OperationalType, cause: string];
};

/** Undefined: none is published. Throws `EventUndecodable`. */
export function operationalEventOf(recorded: RecordedEvent): OperationalEvent | undefined {
  switch (categoryOf(recorded.stream)) {
    case 'listener':
      return ofListener(listenerCodec.decode(recorded));
    case 'replay':
      return ofReplay(recorded);
    default:
      return ofService(recorded);
  }
}

/** Operational listeners cause no operational events: a failure would cause the next one. */
export const isOperationalListener = ({
  orgId,
  subscription,
}: {
  orgId: string;
  subscription: { subscriptionType: string };
}): boolean => orgId === operationsOrganisation || selectsOperational(subscription.subscriptionType);

export const listenerFacts = (listener: { orgId: string; listenerId: string; hookUrl: string }) => ({
  orgId: listener.orgId,
  listenerId: listener.listenerId,
  hookUrl: maskedHookUrl(listener.hookUrl),
});

function ofListener(event: Recorded<ListenerEvent>): OperationalEvent | undefined {
  const found = factsOf(event, actorOf(event));
  if (!found) return undefined;
  const { cause = '', ...facts } = found;
  return { ...facts, orgId: event.data.orgId, alert: [event.data.listenerId, facts.type, cause] };
}

/** Agents come and go, as platforms do. */
const unannounced: ReadonlySet<string> = new Set(['requested', 'erased', 'expired', 'access-revoked']);

type Facts = Pick<OperationalEvent, 'type' | 'data'> & { cause?: string };

function factsOf({ type, data }: ListenerEvent, actor: string | null): Facts | undefined {
  if (isOperationalListener(data)) return undefined;
  const listener = listenerFacts(data);
  switch (type) {
    case 'ListenerFailing':
      return { type: 'listener.failing', data: { ...listener, ...data.failing }, cause: `${data.failing.percent}` };
    case 'ListenerPaused': {
      const reason = reasonOf(data.reason, actor);
      return { type: 'listener.paused', data: { ...listener, reason }, cause: reason };
    }
    case 'ListenerResumed':
      return data.circuitClosed ? undefined : { type: 'listener.resumed', data: listener };
    case 'ListenerUnsubscribed': {
      // An erasure is announced by the pseudonym: `organisation.erased`.
      if (unannounced.has(data.reason)) return undefined;
      const reason = reasonOf(data.reason, actor);
      return { type: 'listener.removed', data: { ...listener, reason }, cause: reason };
    }
    case 'ListenerSecretRotated': {
      if (data.agent) return undefined;
      const { version: secretVersion, previous } = data.secret;
      const previousSecretUntil = previous?.until ?? null;
      return { type: 'secret.rotated', data: { ...listener, secretVersion, previousSecretUntil } };
    }
    default:
      return undefined;
  }
}

function ofReplay(recorded: RecordedEvent): OperationalEvent | undefined {
  const { type, data } = replayCodec.decode(recorded);
  if (type !== 'ReplayCompleted' && type !== 'ReplayCancelled') return undefined;
  if ('reason' in data && data.reason === 'erased') return undefined;
  const { orgId, listenerId, replayId, enqueued } = data;
  const outcome = type === 'ReplayCompleted' ? 'completed' : 'cancelled';
  return {
    type: 'replay.finished',
    orgId,
    data: { orgId, listenerId, replayId, outcome, enqueued },
    alert: [listenerId, 'replay.finished', outcome],
  };
}

function ofService(recorded: RecordedEvent): OperationalEvent | undefined {
  if (recorded.stream === damageStream) {
    return { type: 'view.damaged', orgId: undefined, data: damageCodec.decode(recorded).data };
  }
  if (recorded.stream !== erasuresStream) return undefined;
  const { type, data } = erasureCodec.decode(recorded);
  if (type !== 'OrganisationErased') return undefined;
  const { organisation, streams, flowStreams } = data;
  return { type: 'organisation.erased', orgId: undefined, data: { organisation, streams, flowStreams } };
}
