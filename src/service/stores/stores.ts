import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { Appended } from '../../stores/event-store/sqlite/sqlite-event-store.js';
import type { Leases } from '../../stores/leases/leases.js';
import type { LookAtLeases } from '../../stores/leases/mongodb/mongodb-leases.js';
import type { RateCounts } from '../../stores/rate-counts/rate-counts.js';
import type { Cluster } from '../../stores/settings.js';
import type { ReadModel } from '../../views/read-model.js';

export type Stores = {
  events: EventStore;
  readModel: ReadModel;
  /** Only the dispatcher opens the embedded queue, and only it passes the number of partitions of the fan-out. */
  openQueue: (partitions?: number) => Promise<DeliveryQueue>;
  leases: Leases;
  /** Leases for another thread of the process; undefined if no other instance competes. */
  lookAtLeases: LookAtLeases | undefined;
  /** Undefined if no other instance can count. */
  rateCounts: RateCounts | undefined;
  /** The error because of which the event store cannot be reached; undefined if it can. */
  eventsFailure: () => unknown;
  subscriptions: () => SubscriptionsStatus;
  /** Other instances may work on the same stores. */
  shared: boolean;
  /** Another thread has appended events. */
  wakeUp: (appended?: Appended) => void;
};

/** The subscriptions to the event store. Those of the embedded store cannot be dropped. */
export type SubscriptionsStatus = {
  /** Subscriptions that are being re-established, and since when. */
  failing: readonly { name: string; since: Date }[];
  /** Number of subscriptions that were opened again. */
  resubscriptions: number;
};

/** The location of the stores: the cluster if one is configured, otherwise the data directory. */
export type StoresAt = { cluster: Cluster | undefined; dataDirectory: string };

/** Called with the close function of each opened resource, in the order of opening. */
export type OnOpened = (close: () => Promise<void> | void) => void;

export type OpenStoresOptions = {
  /** Called if other threads have to be notified of appended events; without them if another process may have appended. */
  onAppended?: (appended?: Appended) => void;
  /** The main thread notifies this one of appended events, by `Stores.wakeUp`. */
  isNotified?: boolean;
  /** `lookAtLeases` of another thread, once it has started. */
  lookElsewhere?: () => LookAtLeases | undefined;
};

/** Ends one part; `timeoutMs` is the rest of the time that all parts have together. */
export type Close = (timeoutMs: number) => Promise<void> | void;

/** Called with the function that ends a part, in the order in which the parts are started. */
export type OnStop = (close: Close) => void;
