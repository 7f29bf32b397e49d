import type { DomainEvent, EventDefinition, EventOf, Recorded } from '../stores/event-store/codec.js';
import { StreamsErased } from '../stores/event-store/erasure-events.js';
import { categoryOf, type JsonObject } from '../stores/event-store/event-store.js';

/** Documents are JSON. */
export type KeyedOperation =
  | { kind: 'put'; key: string; document: JsonObject }
  /** Sets some fields of a document. Does nothing where it does not exist. */
  | { kind: 'patch'; key: string; fields: JsonObject }
  | { kind: 'remove'; key: string };

export type Operation =
  | KeyedOperation
  /**
   * Removes every document with one of these values in a field, which must be the first of an index and never change.
   */
  | { kind: 'remove-where'; field: string; values: readonly string[] };

/** Our key parts (UUIDs, numbers, types) never contain a `/`. */
type Key = string | readonly string[];
const keyOf = (key: Key): string => (typeof key === 'string' ? key : key.join('/'));

export const put = (key: Key, document: JsonObject): KeyedOperation => ({ kind: 'put', key: keyOf(key), document });
export const patch = (key: Key, fields: JsonObject): KeyedOperation => ({ kind: 'patch', key: keyOf(key), fields });
export const remove = (key: Key): KeyedOperation => ({ kind: 'remove', key: keyOf(key) });

export const removeWhere = (field: string, values: readonly string[]): Operation => ({
  kind: 'remove-where',
  field,
  values,
});

export type Handler<Event extends DomainEvent> = (event: Recorded<Event>) => Operation | readonly Operation[];

/** A read model as a value: no I/O, no clock, no store. */
export type Projection = {
  name: string;
  /** Raised when its documents change; the view is then rebuilt. */
  version: number;
  /** Lookups: equality on the leading fields, a range on the last. */
  indexes: readonly (readonly string[])[];
  /** Events for validation and upcasting. */
  events: readonly EventDefinition[];
  /** Handlers by category and then by type: any producer may publish a flow event of type ListenerSubscribed. */
  on: Readonly<Record<string, Readonly<Record<string, Handler<DomainEvent>>>>>;
};

type HandlersFor<Definitions extends readonly EventDefinition[]> = {
  readonly [Type in EventOf<Definitions[number]>['type']]?: Handler<
    Extract<EventOf<Definitions[number]>, { type: Type }>
  >;
};

/** `ids`: what follows the category in the names of the streams. */
type Erased = { readonly [Names in 'streams' | 'ids' | 'listenerIds']: readonly string[] };

/** Erases data of permanently deleted streams. */
type Forget = (erased: Erased) => Operation | readonly Operation[];

/** A projection of the events of one category, which removes the data of erased streams. */
export function projection<const Definitions extends readonly EventDefinition[]>(definition: {
  name: string;
  version: number;
  category: string;
  indexes: readonly (readonly string[])[];
  events: Definitions;
  on: HandlersFor<Definitions>;
  forget: Forget;
}): Projection {
  const { category, events, on, forget, ...rest } = definition;
  return {
    ...rest,
    events: [...events, StreamsErased],
    // `projectWith` gives each handler only events of its own type.
    on: { [category]: on as unknown as Handlers, ...forgetting(forget, category) },
  };
}

type Handlers = Readonly<Record<string, Handler<DomainEvent>>>;

/** Handlers for `on` of a projection with `StreamsErased` among its events. */
export const forgetting = (forget: Forget, category?: string): Readonly<Record<string, Handlers>> => ({
  [StreamsErased.category]: {
    [StreamsErased.type]({ data }) {
      const all = (data as EventOf<typeof StreamsErased>['data']).streams;
      const erased = category === undefined ? all : all.filter(({ stream }) => categoryOf(stream) === category);
      const streams = erased.map(({ stream }) => stream);
      const ids = streams.map((stream) => stream.slice(stream.indexOf('-') + 1));
      return streams.length === 0
        ? []
        : forget({ streams, ids, listenerIds: erased.flatMap((one) => one.listenerIds) });
    },
  },
});

/** 20 digits, so that text order is numeric order. */
export const sortable = (value: bigint | string): string => value.toString().padStart(20, '0');

/** Value after every position: the end of a period that still holds. */
export const open = '9'.repeat(20);

/** `<name>-v<version>-<run>`, without dots, which some engines refuse in `renameCollection`. */
export type BuildName = string;

/** One version of a projection: each has its own builds, lease and rebuilds. */
export const viewOf = ({ name, version }: Projection): string => `${name}-v${version}`;

export const buildName = (projection: Projection, run: string): BuildName => `${viewOf(projection)}-${run}`;

export const isBuildName = (name: string): boolean => /^[\w-]+-v\d+-[\w-]+$/.test(name);

export const isBuildOf = (projection: string, name: string): boolean =>
  name.startsWith(`${projection}-v`) && /^\d+-[\w-]+$/.test(name.slice(projection.length + 2));
