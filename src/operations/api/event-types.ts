import { findEventType, listEventTypes, operateEventType } from '../../flows/types/operate-event-types.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  listEventTypesRoute,
  retireEventTypeRoute,
  showEventTypeRoute,
} from './contracts/event-types.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type EventTypeRoutes = { readonly store: EventStore; readonly readModel: Pick<ReadModel, 'find'> };

export const eventTypeRoutes = ({ store, readModel }: EventTypeRoutes): readonly BoundRoute[] => [
  handle(listEventTypesRoute, async ({ query }) => {
    const { items, next } = await listEventTypes(readModel, query);
    return { items: [...items], next };
  }),
  handle(showEventTypeRoute, ({ query: { name } }) => findEventType(store, name)),
  handle(declareEventTypeRoute, async ({ body }, context) =>
    changed(await operateEventType(store, { change: 'declare', ...body }, context)),
  ),
  handle(changeEventTypeRoute, async ({ body }, context) =>
    changed(await operateEventType(store, { change: 'change', ...body }, context)),
  ),
  handle(retireEventTypeRoute, async ({ body }, context) =>
    changed(await operateEventType(store, { change: 'retire', ...body }, context)),
  ),
];

const changed = <Result extends { readonly changed: readonly string[] }>(result: Result) => ({
  ...result,
  changed: [...result.changed],
});
