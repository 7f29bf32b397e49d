import type { Issuers } from '../../access/access.js';
import type { PartStatus } from '../../http/health.js';
import { reasonInWords } from '../../kernel/reason-in-words.js';
import type { ObservedEventStore } from '../../stores/event-store/observed-event-store.js';
import type { Follower } from '../../views/follower.js';
import type { Dispatcher } from '../dispatcher.js';
import type { Stores } from '../stores/stores.js';

type Parts = Issuers & {
  /** The error because of which the event store cannot be reached or refuses events; undefined if there is none. */
  storeFailure: () => unknown;
  /** Subscriptions that are being re-established, and since when; several may have the same name. */
  failingSubscriptions: () => readonly { name: string; since: Date }[];
  followers: readonly Follower[];
  /** Undefined if this instance delivers nothing. */
  deliveries: Pick<Dispatcher, 'status'> | undefined;
};

type Observed = {
  store: Pick<ObservedEventStore, 'failure'>;
  stores: Pick<Stores, 'eventsFailure' | 'subscriptions'>;
  followers: readonly Follower[];
  /** Undefined if this instance delivers nothing. */
  dispatcher: Dispatcher | undefined;
};

/** The readiness of this instance, with the issuers that its API relies on. */
export const readinessOf =
  ({ store, stores, followers, dispatcher }: Observed) =>
  (issuers: Issuers): (() => readonly PartStatus[]) =>
    readiness({
      storeFailure: () => stores.eventsFailure() ?? store.failure(),
      failingSubscriptions: () => [...stores.subscriptions().failing, ...(dispatcher?.failingSubscriptions() ?? [])],
      followers,
      deliveries: dispatcher,
      ...issuers,
    });

/** The readiness of each part of the service, with the time since which it is not ready. */
export function readiness({
  storeFailure,
  failingSubscriptions,
  followers,
  deliveries,
  keySets,
  identityProviders,
}: Parts): () => readonly PartStatus[] {
  const notReadySince = new Map<string, string>();

  function part(name: string, reason: string | undefined): PartStatus {
    if (reason === undefined) {
      notReadySince.delete(name);
      return { part: name, ready: true };
    }
    const since = notReadySince.get(name) ?? new Date().toISOString();
    notReadySince.set(name, since);
    return { part: name, ready: false, since, reason };
  }

  return () => {
    const views = followers.map((follower) => {
      const { name, build, error, setAside } = follower.status();
      const again = setAside && 'it was damaged and has been set aside; it is being built again';
      const beingBuilt = build === undefined ? (again ?? 'it is being built') : undefined;
      return part(`view ${name}`, error ? reasonInWords(error) : beingBuilt);
    });
    const status = deliveries?.status();
    const delivering = status
      ? [
          part('fan-out', reasonOf(status.fanOut.error)),
          part('deliveries', reasonOf(status.worker.error ?? outageOf(status.worker))),
        ]
      : [];
    const subscriptions = firstOfEach(failingSubscriptions()).map(([name, since]) => ({
      part: name,
      ready: false,
      since: since.toISOString(),
      reason: 'it is being re-established',
    }));
    // Requests with other tokens need neither the key sets of issuers nor identity providers.
    const issuers = [
      ...keySets.map(({ name, failure }) => part(`key set ${name}`, reasonOf(failure()))),
      ...identityProviders.map(({ name, failure }) => part(`identity provider ${name}`, reasonOf(failure()))),
    ].map((status) => ({ ...status, required: false }) as const);
    return [part('event store', reasonOf(storeFailure())), ...subscriptions, ...views, ...delivering, ...issuers];
  };
}

/** Earliest time by name since which a subscription of that name has been failing. */
function firstOfEach(failing: ReturnType<Parts['failingSubscriptions']>): readonly (readonly [string, Date])[] {
  const since = new Map<string, Date>();
  for (const subscription of failing) {
    const known = since.get(subscription.name);
    if (!known || subscription.since < known) since.set(subscription.name, subscription.since);
  }
  return [...since];
}

const reasonOf = (error: unknown): string | undefined => (error === undefined ? undefined : reasonInWords(error));

const outageOf = ({ outage }: { outage: { failure: string } | undefined }) => outage && { message: outage.failure };
