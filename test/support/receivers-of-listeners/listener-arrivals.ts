import type { Receiver } from './receiver.js';

/** All times are the machine's monotonic clock, in nanoseconds: see `HandOver`. */
export type Published = {
  id: string;
  orgId: string;
  askedAt: bigint;
  acceptedAt: bigint;
};

export type Listener = {
  url: string;
  orgId: string;
  askedAt: bigint;
  registeredAt: bigint;
  ordered: boolean;
  /** Time at which its unsubscribe had been answered 200. */
  goneAt?: bigint;
};

/** The arrivals at a receiver so far, counted by event and listener. Each arrival is processed once. */
export function countArrivals(receiver: Receiver) {
  const counts = new Map<string, number>();
  const reachedUrls = new Set<string>();
  let processed = 0;

  function arrivals(): ReadonlyMap<string, number> {
    for (const { path, body } of receiver.received.slice(processed)) {
      const { id } = JSON.parse(body) as { id: string };
      const url = `${receiver.origin}${path}`;
      const arrival = arrivalOf(url, id);
      reachedUrls.add(url);
      counts.set(arrival, (counts.get(arrival) ?? 0) + 1);
      processed += 1;
    }
    return counts;
  }

  /** True if any event arrived at this URL. */
  const reached = (url: string): boolean => arrivals().size > 0 && reachedUrls.has(url);

  return { arrivals, reached };
}

type Load = {
  published: readonly Published[];
  staying: readonly Listener[];
  gone: readonly Listener[];
};

/** Compares the arrivals with the load: what each listener had to get, and must not have got. */
export function compare({ published, staying, gone }: Load, arrivals: () => ReadonlyMap<string, number>) {
  const owed = (): readonly string[] =>
    staying.flatMap(({ url, orgId, registeredAt }) =>
      published
        .filter((event) => event.orgId === orgId && event.askedAt > registeredAt)
        .map(({ id }) => arrivalOf(url, id)),
    );

  const strayed = (): readonly string[] =>
    [...staying, ...gone].flatMap(({ url, orgId, askedAt }) =>
      published
        .filter((event) => arrivals().has(arrivalOf(url, event.id)))
        .filter((event) => event.orgId !== orgId || event.acceptedAt < askedAt)
        .map(({ id }) => arrivalOf(url, id)),
    );

  /** True if an event was on the way to it, and has not arrived. */
  const wasRaced = ({ url, orgId, registeredAt, goneAt }: Listener): boolean =>
    published
      .filter((event) => event.orgId === orgId && event.askedAt > registeredAt)
      .some((event) => goneAt !== undefined && event.acceptedAt < goneAt && !arrivals().has(arrivalOf(url, event.id)));

  /** First arrivals of events at ordered listeners that came after one which was asked for only once they had been accepted. */
  const disordered = (): readonly string[] =>
    staying
      .filter(({ ordered }) => ordered)
      .flatMap(({ url }) => {
        const byArrival = new Map(published.map((event) => [arrivalOf(url, event.id), event]));
        let latestAsked = 0n;
        return [...arrivals().keys()].filter((arrival) => {
          const event = byArrival.get(arrival);
          const isLate = event !== undefined && event.acceptedAt < latestAsked;
          if (event && event.askedAt > latestAsked) latestAsked = event.askedAt;
          return isLate;
        });
      });

  return { owed, strayed, disordered, raced: () => gone.filter(wasRaced).length };
}

const arrivalOf = (url: string, id: string): string => `${url} ${id}`;
