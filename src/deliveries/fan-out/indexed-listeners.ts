import type { ListenerPeriod } from '../../../projections/listeners.js';
import { type FlowEvent, payloadOf } from '../../flows/flow-event.js';
import { namesOneType, selectsEvent } from '../../flows/types/subscription-types.js';
import { scalarsAt } from '../../listeners/filters/conditions.js';
import { equalitiesOf } from '../../listeners/filters/filter.js';
import { FilterTooCostly, maxSteps } from '../../listeners/filters/selected-values.js';
import type { Pace } from './pace.js';

/** Listeners of a subscription type, by their places. `byPath`: those with an equality at the path, by the values that it allows. */
type OfType = {
  always: number[];
  notIndexed: Set<number>;
  byPath: Map<string, { path: readonly string[]; byValue: Map<unknown, number[]> }>;
};

/** Lists with more values take more memory than they save time. */
const maxValues = 10;

/**
 * Listeners of an organisation, by subscription type and by an equality of their filters, so that an event has few filters
 * evaluated. A filter is indexed after its first evaluation, which compiles it within the organisation's share of the time.
 */
export class ListenerIndex {
  private readonly byType = new Map<string, OfType>();
  private readonly ofManyTypes: readonly (readonly [string, OfType])[];

  constructor(private readonly listeners: readonly ListenerPeriod[]) {
    for (const [place, { subscription }] of listeners.entries()) {
      const { subscriptionType, filter } = subscription;
      const ofType: OfType = this.byType.get(subscriptionType) ?? {
        always: [],
        notIndexed: new Set(),
        byPath: new Map(),
      };
      this.byType.set(subscriptionType, ofType);
      if (filter === null) ofType.always.push(place);
      else ofType.notIndexed.add(place);
    }
    this.ofManyTypes = [...this.byType].filter(([subscriptionType]) => !namesOneType(subscriptionType));
  }

  get size(): number {
    return this.listeners.length;
  }

  /** All listeners that select the event, and possibly others, in their order. */
  *candidates(event: FlowEvent, { evaluate }: Pick<Pace, 'evaluate'>): Generator<ListenerPeriod> {
    const named = this.byType.get(event.type);
    const matching = this.ofManyTypes.flatMap(([type, ofType]) => (selectsEvent(type, event) ? [ofType] : []));
    const ofEvent = new Set(named ? [named, ...matching] : matching);
    const places = evaluate(() => placesIn(ofEvent, event)) ?? this.listeners.keys();
    for (const place of places) {
      const listener = this.listeners[place] as ListenerPeriod; // the list does not change
      yield listener;
      for (const ofType of ofEvent) if (ofType.notIndexed.delete(place)) add(ofType, place, listener);
    }
  }
}

/** Undefined where the event is too costly to be looked up. */
function placesIn(ofEvent: Iterable<OfType>, event: FlowEvent): readonly number[] | undefined {
  const payload = payloadOf(event);
  const steps = { left: maxSteps };
  const places = new Set<number>();
  const addAll = (found: Iterable<number> = []) => {
    for (const place of found) places.add(place);
  };
  try {
    for (const { always, notIndexed, byPath } of ofEvent) {
      addAll(always);
      addAll(notIndexed);
      for (const { path, byValue } of byPath.values())
        for (const value of scalarsAt(path, payload, steps)) addAll(byValue.get(value));
    }
  } catch (error) {
    if (error instanceof FilterTooCostly) return undefined;
    throw error;
  }
  return [...places].sort((one, other) => one - other);
}

/** Indexes a listener by the equality that it shares with the fewest others. */
function add({ always, byPath }: OfType, place: number, { subscription }: ListenerPeriod): void {
  let fewest = Number.POSITIVE_INFINITY;
  let chosen: ReturnType<typeof equalitiesOf>[number] | undefined;
  for (const equality of equalitiesOf(subscription.filter)) {
    const { path, values } = equality;
    if (values.size > maxValues) continue;
    const known = byPath.get(path.join('.'))?.byValue;
    let others = 0;
    for (const value of values) others += known?.get(value)?.length ?? 0;
    if (others >= fewest) continue;
    fewest = others;
    chosen = equality;
  }
  if (!chosen) {
    always.push(place);
    return;
  }
  const { path, values } = chosen;
  const name = path.join('.');
  const { byValue } = byPath.get(name) ?? { byValue: new Map<unknown, number[]>() };
  byPath.set(name, { path, byValue });
  for (const value of values) {
    const places = byValue.get(value) ?? [];
    byValue.set(value, places);
    places.push(place);
  }
}
