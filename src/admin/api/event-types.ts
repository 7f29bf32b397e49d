import { streamTimeline } from '../../audit/history.js';
import { EventTypeNotFound, eventTypeStream } from '../../flows/types/event-type.js';
import {
  type EventTypeSummary,
  findEventType,
  listEventTypes,
  operateEventType,
} from '../../flows/types/operate-event-types.js';
import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  listEventTypesRoute,
  retireEventTypeRoute,
  showEventTypeRoute,
  showEventTypeTimelineRoute,
} from './contracts/event-types.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';

export const eventTypeRoutes = ({ store, readModel }: RouteStores): readonly BoundRoute[] => [
  handle(listEventTypesRoute, async ({ query }) => {
    const { items, next } = await listEventTypes(readModel, query);
    return { items: items.map(answerOf), next };
  }),
  handle(showEventTypeRoute, async ({ query: { name } }) => answerOf(await findEventType(store, name))),
  handle(showEventTypeTimelineRoute, async ({ query: { name, limit, after } }) => {
    const { entries, next } = await streamTimeline(store, 'eventType', eventTypeStream(name), { before: after, limit });
    if (entries.length === 0 && after === undefined) throw new EventTypeNotFound(name);
    return { items: [...entries], next: next?.toString() ?? null };
  }),
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

const changed = <Result extends EventTypeSummary & { changed: readonly string[] }>(result: Result) => ({
  ...answerOf(result),
  changed: [...result.changed],
});

const answerOf = <Type extends EventTypeSummary>(type: Type) => ({ ...type, searchable: [...type.searchable] });
