import type { Filter, Sort } from 'mongodb';
import { inBatches } from '../../../kernel/in-batches.js';
import type { DeliveryLog } from '../../delivery-log.js';
import {
  type BacklogQuery,
  type ListedListener,
  type ListenerLog,
  type ListenerState,
  mergeTroubled,
  type TroubleQuery,
} from '../../listener-log.js';
import { healthy } from '../../policy/listener-health.js';
import type { Collections, DeliveryRow, ListenerRow } from '../collections.js';
import type { Shared } from '../shared.js';

type DeliveryReader = Pick<DeliveryLog, 'counts'> & Pick<ListenerLog, 'listenerStates'>;

/**
 * Maximum number of waiting deliveries that are counted by the index; above it the counts by state are used, so the cost is
 * bounded.
 */
const maxCounted = 10_000;
/** Maximum number of open breakers that are counted. */
const maxBreakersCounted = 1_000;
/** Maximum number of listeners whose due bounds are compared with their deliveries. */
const maxDueBounds = 16;
/** Maximum number of listeners whose next delivery is looked up side by side. */
const concurrency = 16;

type ListenerStateRow = Pick<ListenerRow, '_id' | 'health' | 'paused' | 'subscription' | 'nextDue' | 'dueSince'>;

export function openDeliveryReader({
  collections: { listeners, deliveries, setAside },
  statistics,
  underWay,
}: Shared): DeliveryReader {
  /** Due time of the first waiting delivery of a listener, apart from those that this process has under way. */
  async function firstDueOf({ _id: listenerId }: Pick<ListenerRow, '_id'>): Promise<number | undefined> {
    const isFree = { _id: { $nin: [...underWay.ofListener(listenerId)] } };
    const earliest = { sort: { dueAt: 1 }, projection: { dueAt: 1 } } as const;
    return (await deliveries.findOne({ state: 'waiting', listenerId, ...isFree }, earliest))?.dueAt?.getTime();
  }

  /** Finds the oldest by the listeners' due bounds, which may be too early: the first of them are looked up. */
  async function oldestDueAt(now: number): Promise<number | undefined> {
    const range = { $gte: new Date(0), $lte: new Date(now) };
    const first = (field: 'nextDue' | 'dueSince', limit: number) =>
      listeners
        .find({ [field]: range })
        .project<Pick<ListenerRow, '_id' | 'nextDue' | 'dueSince'>>({ nextDue: 1, dueSince: 1 })
        .sort({ [field]: 1 })
        .limit(limit)
        .toArray();
    const [due, [delayed]] = await Promise.all([first('nextDue', maxDueBounds), first('dueSince', 1)]);
    const times = await inBatches(due, firstDueOf, concurrency);
    const others = due.length === maxDueBounds ? due.at(-1)?.nextDue?.getTime() : undefined;
    const known = [...times, others, delayed?.dueSince?.getTime()].filter((time) => time !== undefined && time <= now);
    return known.length === 0 ? undefined : Math.min(...(known as readonly number[])); // filtered
  }

  /** The delivery that an ordered listener gets next. */
  async function headOf(listenerId: string): Promise<string | undefined> {
    const inOrder = { sort: { position: 1, _id: 1 }, projection: { _id: 1 } } as const;
    return (await deliveries.findOne({ state: 'waiting', listenerId }, inOrder))?._id;
  }

  return {
    async counts(now) {
      const limit = maxCounted;
      const [tallied, waiting, aside, oldest, openBreakers] = await Promise.all([
        statistics.states(),
        deliveries.countDocuments({ state: 'waiting' }, { limit }),
        setAside.countDocuments({}, { limit }),
        oldestDueAt(now),
        listeners.countDocuments({ 'health.breaker.openUntil': { $gte: 0 } }, { limit: maxBreakersCounted }),
      ]);
      return {
        ...tallied,
        waiting: waiting < limit ? waiting : Math.max(limit, tallied.waiting),
        setAside: aside,
        oldestDueAt: oldest,
        openBreakers,
      };
    },

    async listenerStates(listenerIds) {
      const rows = await listeners
        .find({ _id: { $in: listenerIds } })
        .project<ListenerStateRow>({ health: 1, paused: 1, subscription: 1, nextDue: 1, dueSince: 1 })
        .toArray();
      const stateOf = async (row: ListenerStateRow): Promise<[string, ListenerState]> => {
        const { _id, subscription, health = healthy, paused = false, nextDue, dueSince } = row;
        const keptBackUntil = dueSince && nextDue?.getTime();
        const head = subscription?.ordered ? await headOf(_id) : undefined;
        return [_id, { health, paused, head, keptBackUntil, nextDue: nextDue?.getTime() }];
      };
      return new Map(await inBatches(rows, stateOf, concurrency));
    },
  };
}

type Row = Pick<ListenerRow, '_id' | 'orgId' | 'hookUrl' | 'paused' | 'health' | 'nextDue' | 'dueSince'>;

const projection = { orgId: 1, hookUrl: 1, paused: 1, health: 1, nextDue: 1, dueSince: 1 } as const;

/** A listener without them that is kept back waits for its own rate. */
const isDelayedByHealth = ['failing', 'pace', 'notBefore'].map((field) => ({ [`health.${field}`]: { $exists: true } }));

export function openListeners(collections: Pick<Collections, 'listeners' | 'deliveries'>): ListenerLog['listeners'] {
  const { listeners } = collections;
  const backlogOf = openBacklog(collections);

  /** Each group is read in the order of an index, so the cost does not depend on the number of listeners. */
  async function inTrouble({ dueBefore, limit, orgId }: TroubleQuery): Promise<readonly Identified[]> {
    const due = { $gte: new Date(0), $lte: new Date(dueBefore) };
    const find = (filter: Filter<ListenerRow>, sort: Sort) =>
      listeners
        .find({ ...filter, orgId })
        .project<Row>(projection)
        .sort(sort)
        .limit(limit)
        .toArray();
    const groups = await Promise.all([
      find({ paused: { $ne: true }, 'health.breaker.openUntil': { $gte: 0 } }, { 'health.breaker.openUntil': -1 }),
      find({ paused: true, 'health.failing.since': { $gte: 0 } }, { 'health.failing.since': 1 }),
      find({ dueSince: due, $or: [{ nextDue: due }, ...isDelayedByHealth] }, { dueSince: 1 }),
      find({ nextDue: due }, { nextDue: 1 }),
    ]);
    return mergeTroubled(
      groups.map((rows) => rows.flatMap(identified)),
      limit,
    );
  }

  async function withBacklog({ limit, ...query }: BacklogQuery): Promise<readonly ListedListener[]> {
    const counts = await backlogOf(query);
    const most = [...counts]
      .sort(([one, a], [other, b]) => b.waiting + b.held - a.waiting - a.held || (one < other ? -1 : 1))
      .slice(0, limit);
    const found = await listeners
      .find({ _id: { $in: most.map(([id]) => id) } })
      .project<Row>(projection)
      .toArray();
    const byId = new Map(found.flatMap(identified).map((listener) => [listener.listenerId, listener]));
    return most.flatMap(([id, numbers]) => {
      const listener = byId.get(id);
      return listener ? [{ ...listener, ...numbers }] : [];
    });
  }

  return async (query) => {
    if (!('dueBefore' in query)) return withBacklog(query);
    const troubled = await inTrouble(query);
    if (troubled.length === 0) return [];
    const counts = await backlogOf({ listenerId: { $in: troubled.map(({ listenerId }) => listenerId) } });
    return troubled.map((listener) => ({ ...listener, ...(counts.get(listener.listenerId) ?? noBacklog) }));
  };
}

type Identified = Omit<ListedListener, keyof Backlog>;

/** A listener that was removed, or whose organisation was erased, is in no trouble any more. */
function identified({ _id, orgId, hookUrl, paused = false, health = healthy, nextDue, dueSince }: Row): Identified[] {
  if (orgId === undefined || hookUrl === undefined) return [];
  return [{ listenerId: _id, orgId, hookUrl, paused, health, dueSince: (dueSince ?? nextDue)?.getTime() }];
}

type Backlog = Pick<ListedListener, 'waiting' | 'held'>;

const noBacklog: Backlog = { waiting: 0, held: 0 };

type Counted = { _id: { listenerId: string; state: keyof Backlog }; count: number };

/** Numbers of deliveries by listener; of all organisations, held ones are counted for paused listeners only, which an index finds. */
const openBacklog =
  ({ listeners, deliveries }: Pick<Collections, 'listeners' | 'deliveries'>) =>
  async (within: Pick<Filter<DeliveryRow>, 'orgId' | 'listenerId'>): Promise<ReadonlyMap<string, Backlog>> => {
    const count = (match: Filter<DeliveryRow>) =>
      deliveries
        .aggregate<Counted>([
          { $match: match },
          { $group: { _id: { listenerId: '$listenerId', state: '$state' }, count: { $sum: 1 } } },
        ])
        .toArray();
    const ofPaused = async () => {
      const paused = await listeners.find({ paused: true }).project<Pick<ListenerRow, '_id'>>({ _id: 1 }).toArray();
      return paused.length === 0 ? [] : count({ listenerId: { $in: paused.map(({ _id }) => _id) }, state: 'held' });
    };
    const isOfAll = within.orgId === undefined && within.listenerId === undefined;
    const counted = await Promise.all([
      count({ ...within, state: 'waiting' }),
      isOfAll ? ofPaused() : count({ ...within, state: 'held' }),
    ]);
    const counts = new Map<string, Backlog>();
    for (const { _id, count: number } of counted.flat())
      counts.set(_id.listenerId, { ...(counts.get(_id.listenerId) ?? noBacklog), [_id.state]: number });
    return counts;
  };
