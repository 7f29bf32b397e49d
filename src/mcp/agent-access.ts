import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { actorOfApiKey } from '../access/identity/caller.js';
import { mcpPath } from '../access/protected-resource.js';
import { apiKeyCodec } from '../events/api-key-events.js';
import { clientCodec } from '../events/client-events.js';
import { consentCodec } from '../events/consent-events.js';
import { type ListenerDetails, listenerCodec } from '../events/listener-events.js';
import { sessionCodec } from '../events/session-events.js';
import { watchFailures } from '../kernel/failures.js';
import { repeatUntilAborted } from '../kernel/unless-aborted.js';
import { agentAccessReader as reader } from '../listeners/agents/agent-subscription.js';
import { endAllExpired } from '../listeners/agents/end-expired.js';
import { isAccessRevoked } from '../listeners/agents/revoked-access.js';
import { endListener, type UnsubscribeBarrier } from '../listeners/commands/end-listener.js';
import { currentListeners, registeredAt } from '../listeners/queries/registered-listeners.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { emptyBatch } from '../queue/fan-out-batch.js';
import { positionOf } from '../queue/reader-positions.js';
import { causedByService } from '../stores/event-store/codec.js';
import { EventUndecodable } from '../stores/event-store/errors.js';
import { categoryOf, type EventStore, type RecordedEvent } from '../stores/event-store/event-store.js';
import type { HeldLease, LeadershipLease, Leases } from '../stores/leases/leases.js';
import type { ReadModel } from '../views/read-model.js';

type AgentAccessDependencies = {
  store: EventStore;
  readModel: Pick<ReadModel, 'find'>;
  queue: Pick<DeliveryQueue, 'positions' | 'enqueue'>;
  leases: Leases;
  viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  barrier: UnsubscribeBarrier;
  /** Notifies an agent that its subscription has ended. Never rejects. */
  notifyTerminated: (details: ListenerDetails) => Promise<unknown>;
  clock: () => number;
  log: Logger;
};

const filter = { categories: ['session', 'consent', 'apiKey', 'service', 'listener'] };
/** Repeated after a crash, nothing changes: hosts drop the same notice by its ID. */
const keepEveryMs = 10_000;

/** Expired subscriptions end after this time at the latest, though no event is due to them. */
const sweepEveryMs = 600_000;

/**
 * Ends the subscriptions of agents with their session, consent, API key, client or time, and notifies the host of each that it has not ended
 * itself.
 */
export function startAgentAccess(dependencies: AgentAccessDependencies): Pick<HeldLease, 'stop'> {
  const { leases, log } = dependencies;
  return leases.hold(reader, async (lease) => {
    const { signal } = lease;
    const following = watchFailures(log, 'ending the subscriptions of agents');
    const sweeping = watchFailures(log, 'ending the expired subscriptions of agents');
    await Promise.all([
      repeatUntilAborted(signal, () => follow(dependencies, lease, following.recovered), following.record),
      repeatUntilAborted(signal, () => sweep(dependencies, signal, sweeping.recovered), sweeping.record),
    ]);
  });
}

/** Resolves with the pause after it, in milliseconds. */
async function sweep(
  { store, readModel, barrier, viewPassed, clock }: AgentAccessDependencies,
  signal: AbortSignal,
  worked: () => void,
): Promise<number> {
  await viewPassed(await store.head(), signal); // at the first start the view is being built
  await endAllExpired({ store, readModel, barrier }, { ...causedByService(), now: new Date(clock()) }, signal);
  worked();
  return sweepEveryMs;
}

/** Begins at the end of the history. */
async function follow(
  dependencies: AgentAccessDependencies,
  { term, signal }: Pick<LeadershipLease, 'term' | 'signal'>,
  worked: () => void,
): Promise<void> {
  const { store, queue, clock } = dependencies;
  const inTurn = pLimit(1);
  const keep = (position: () => bigint) =>
    inTurn(() => queue.enqueue({ ...emptyBatch, checkpoint: { reader, position: position(), term } }, clock()));
  let reached = await positionOf(queue, reader);
  if (reached === undefined) {
    const head = await store.head();
    await keep(() => head);
    reached = head;
  }
  const from = reached;
  /** Positions of events that are being handled, or whose notice is under way, in their order. */
  const underWay = new Set<bigint>();
  const done = (): bigint => {
    const [first] = underWay;
    return first === undefined ? (reached ?? from) : first - 1n;
  };

  /** Keeps the position at once: an erasure waits for it. */
  async function conclude({ details, isEndedByAgent }: Ended, position: bigint): Promise<void> {
    if (!isEndedByAgent) await dependencies.notifyTerminated(details);
    if (signal.aborted) return; // the next holder repeats it
    underWay.delete(position);
    await keep(done).catch(() => undefined); // repeated below, where the failure is reported
  }

  let keptAt = performance.now();
  for await (const { events, position } of store.subscribe({ ...(from >= 0n && { from }), filter, signal })) {
    for (const recorded of events) {
      underWay.add(recorded.position);
      reached = recorded.position;
      const ended = await notice(recorded, dependencies, signal);
      if (ended) void conclude(ended, recorded.position);
      else underWay.delete(recorded.position);
    }
    reached = position;
    worked();
    if (performance.now() - keptAt < keepEveryMs) continue;
    await keep(done);
    keptAt = performance.now();
  }
}

/** A subscription of an agent that has ended. */
type Ended = { details: ListenerDetails; isEndedByAgent: boolean };

async function notice(
  recorded: RecordedEvent,
  dependencies: AgentAccessDependencies,
  signal: AbortSignal,
): Promise<Ended | undefined> {
  try {
    if (categoryOf(recorded.stream) === 'listener') return await noticeListener(recorded, dependencies);
    const ended = endedAccess(recorded);
    if (!ended) return undefined;
    const { readModel, viewPassed } = dependencies;
    await viewPassed(recorded.position, signal);
    const all =
      ended.orgId === undefined ? currentListeners(readModel) : registeredAt(readModel, ended.orgId, recorded.position);
    for await (const page of all)
      for (const listener of page) if (ended.isOf(listener)) await end(listener, ended.isOf, dependencies);
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error; // it stops the views, which say so
  }
  return undefined;
}

type OfAgent = Pick<ListenerDetails, 'agent' | 'userId'>;

/** `orgId` undefined: of all organisations. */
type EndedAccess = { orgId: string | undefined; isOf: (listener: OfAgent) => boolean };

/** Undefined for other events, and for sessions of platforms: these are many, and their subscriptions are left to their end. */
function endedAccess(recorded: RecordedEvent): EndedAccess | undefined {
  switch (recorded.type) {
    case 'SessionRevoked': {
      const { sessionId, orgId, resource } = sessionCodec.decode(recorded).data;
      return resource === mcpPath ? { orgId, isOf: isOfSession(sessionId) } : undefined;
    }
    case 'ConsentWithdrawn': {
      const { clientId, orgId, userId } = consentCodec.decode(recorded).data;
      return { orgId, isOf: ({ agent, userId: by }) => agent?.clientId === clientId && by === userId };
    }
    case 'ApiKeyRevoked': {
      const { apiKeyId, orgId } = apiKeyCodec.decode(recorded).data;
      const key = actorOfApiKey(apiKeyId);
      return { orgId: orgId ?? undefined, isOf: ({ agent, userId }) => agent !== undefined && userId === key };
    }
    case 'ClientRemoved': {
      const { clientId } = clientCodec.decode(recorded).data;
      return { orgId: undefined, isOf: ({ agent }) => agent?.clientId === clientId };
    }
    default:
      return undefined;
  }
}

const isOfSession =
  (sessionId: string | null) =>
  ({ agent }: OfAgent): boolean =>
    agent?.sessionId === sessionId;

const endedByAgent: ReadonlySet<string> = new Set(['requested', 'expired']);

/** A subscribe that was under way when its session, consent or API key ended comes after that. */
async function noticeListener(
  recorded: RecordedEvent,
  dependencies: Omit<AgentAccessDependencies, 'readModel'>,
): Promise<Ended | undefined> {
  const { type, data } = listenerCodec.decode(recorded);
  if (!data.agent) return undefined;
  if (type === 'ListenerUnsubscribed') return { details: data, isEndedByAgent: endedByAgent.has(data.reason) };
  const { orgId, userId, agent } = data;
  if (await isAccessRevoked(dependencies.store, { orgId, userId, agent }))
    await end(data, isOfSession(agent.sessionId), dependencies);
  return undefined;
}

async function end(
  { orgId, hookUrl, listenerId }: ListenerDetails,
  isOf: EndedAccess['isOf'],
  { store, barrier, clock }: Pick<AgentAccessDependencies, 'store' | 'barrier' | 'clock'>,
): Promise<void> {
  // Another session may have refreshed it since.
  const command = { reason: 'access-revoked', orgId, hookUrl, listenerId, isDue: isOf } as const;
  await endListener({ store, barrier }, command, { ...causedByService(), now: new Date(clock()) });
}
