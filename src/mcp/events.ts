import { type McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listEventTypesRoute } from '../admin/api/contracts/event-types.js';
import { readFeedRoute } from '../admin/api/contracts/feed.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { Caller } from '../admin/api/routing/admin-route.js';
import { countChange, countedIfRefused, countRequest } from '../admin/api/routing/call-limits.js';
import { failureOf } from '../http/errors.js';
import { RateLimited } from '../http/limits/rate-limit.js';
import type { AdminLimits, ListenerLimits } from '../http/limits/request-limits.js';
import type { RouteAnswer } from '../http/route-contract.js';
import { isObject } from '../listeners/filters/selected-values.js';
import { hostCursor, unlessOutdated } from './missed-events.js';
import { type EventNumbering, eventErrorNumbers, eventMethods, jsonRpcErrors, nextPollMs } from './protocol.js';
import type { McpCall } from './tools.js';
import {
  selection,
  subscribeParams,
  subscribeWebhook,
  unsubscribeParams,
  unsubscribeWebhook,
  type Webhooks,
} from './webhooks.js';

export type EventSettings = {
  api: AdminApi;
  webhooks: Webhooks;
  /** Limits of requests that call no route for their caller. */
  limits: AdminLimits & ListenerLimits;
  eventNumbering: EventNumbering;
};

type EventType = RouteAnswer<typeof listEventTypesRoute>['items'][number];
type FeedItem = RouteAnswer<typeof readFeedRoute>['items'][number];

const listParams = z.looseObject({ cursor: z.string().nullish() });
const pollParams = z.looseObject({
  ...selection,
  cursor: z.string().nullish(),
  maxAgeMs: z.number().min(0).nullish(),
  maxEvents: z.int().min(1).nullish(),
});

const pageSize = 100;
const endOfFeed = 'end';
const typesPerPage = '1000';

/**
 * Events in poll mode, the feed of the caller's organisation without any state, and in webhook mode, as listeners. Event types are those that
 * are declared.
 */
export function serveEvents({ server }: McpServer, settings: EventSettings & { call: McpCall }): void {
  const { api, limits, call, eventNumbering } = settings;
  const errorNumbers = eventErrorNumbers[eventNumbering];
  // Types are of the whole service; their names are public.
  const ofService: Caller = { actor: call.caller.actor, role: 'viewer', orgId: null };
  const typesAfter = (after: string | undefined) =>
    api.call(listEventTypesRoute, { query: { limit: typesPerPage, ...(after !== undefined && { after }) } }, ofService);

  async function typeOf(name: string): Promise<EventType> {
    for (let after: string | undefined; ; ) {
      const { items, next } = await typesAfter(after);
      const found = items.find((each) => each.name === name && each.state === 'declared');
      if (found) return found;
      if (next === null) throw new ProtocolError(errorNumbers.NotFound, 'no such event type', { kind: 'event' });
      after = next;
    }
  }

  async function selectionOf({ name, arguments: given }: z.output<z.ZodObject<typeof selection>>) {
    const type = await typeOf(name);
    return { type, filter: filterOf(type, given ?? {}) };
  }

  /** Errors of the routes as those of the protocol. */
  async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const { code, status, message } = failureOf(error, call.log);
      if (status === 401 || status === 403 || code.startsWith('integration_task_'))
        throw new ProtocolError(errorNumbers.Forbidden, message, { reason: message });
      if (status === 429) {
        const limit =
          error instanceof RateLimited ? { limit: error.limit.name, max: error.limit.count } : { limit: code };
        throw new ProtocolError(errorNumbers.ResourceExhausted, message, limit);
      }
      throw new ProtocolError(status < 500 ? jsonRpcErrors.invalidParams : jsonRpcErrors.internal, message);
    }
  }

  server.setRequestHandler(eventMethods.list, { params: listParams }, ({ cursor }) =>
    answered(async () => {
      await countRequest(limits, call.caller);
      const { items, next } = await typesAfter(cursor ?? undefined);
      const events = items.filter(({ state }) => state === 'declared').map(describedType);
      return { resultType: 'complete', events, ...(next !== null && { nextCursor: next }) };
    }),
  );

  server.setRequestHandler(eventMethods.poll, { params: pollParams }, (params) =>
    answered(async () => {
      const { orgId } = call;
      if (orgId === undefined) {
        const reason = 'events are those of an organisation: use its credentials, or send the header orgid';
        throw new ProtocolError(errorNumbers.Forbidden, reason, { reason });
      }
      const { cursor = null, maxEvents, maxAgeMs } = params;
      const { type, filter, place } = await countedIfRefused(
        async () => ({
          ...(await selectionOf(params)),
          place: cursor === null ? endOfFeed : hostCursor(cursor),
        }),
        limits,
        call.caller,
      );
      const query = {
        orgId,
        type: type.name,
        limit: `${Math.min(maxEvents ?? pageSize, pageSize)}`,
        ...(filter && { filter: JSON.stringify(filter) }),
      };
      const pageAfter = (after: string) => api.call(readFeedRoute, { query: { ...query, after } }, call.caller);
      const page = await unlessOutdated(pageAfter(place));
      if (page) return polled(page, maxAgeMs ?? undefined);
      return { ...polled(await pageAfter(endOfFeed), undefined), truncated: true };
    }),
  );

  server.setRequestHandler(eventMethods.subscribe, { params: subscribeParams }, (params) =>
    answered(async () => {
      await countRequest(limits, call.caller);
      const { filter } = await selectionOf(params);
      return subscribeWebhook(params, { ...settings, filter });
    }),
  );

  server.setRequestHandler(eventMethods.unsubscribe, { params: unsubscribeParams }, (params) =>
    answered(async () => {
      await countRequest(limits, call.caller);
      await countChange(limits, call.caller);
      return unsubscribeWebhook(params, settings);
    }),
  );
}

const describedType = ({ name, description, schema, searchable }: EventType) => ({
  name,
  description,
  delivery: ['poll', 'webhook'],
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      searchable.map((path) => [path, { description: `Only events with this ${path}; a list: with one of these.` }]),
    ),
    additionalProperties: false,
  },
  payloadSchema: isObject(schema) ? schema : { type: 'object' },
});

/** Equality with the searchable fields of the type. Throws `ProtocolError`. */
function filterOf({ searchable }: EventType, given: Readonly<Record<string, unknown>>): object | undefined {
  const refused = (path: string, reason: string) =>
    new ProtocolError(jsonRpcErrors.invalidParams, `arguments: ${path} ${reason}`);
  for (const [path, value] of Object.entries(given)) {
    if (!searchable.includes(path)) throw refused(path, 'is not searchable in events of this type');
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!values.every(isScalar))
      throw refused(path, 'must be a text, a number, true, false or null, or a list of these');
  }
  const conditions = Object.entries(given).map(([path, value]) => [
    path,
    Array.isArray(value) ? { $in: value } : value,
  ]);
  return conditions.length > 0 ? Object.fromEntries(conditions) : undefined;
}

function polled({ items, next, more }: RouteAnswer<typeof readFeedRoute>, maxAgeMs: number | undefined) {
  const oldest = maxAgeMs === undefined ? Number.NEGATIVE_INFINITY : Date.now() - maxAgeMs;
  const events = items.flatMap((item) => (isWithin(item, oldest) ? [occurrenceOf(item)] : []));
  const isSkipped = events.length < items.length; // gaps, and events that are too old
  return {
    resultType: 'complete',
    events,
    cursor: next,
    truncated: isSkipped,
    hasMore: more,
    nextPollMs: more ? 0 : nextPollMs,
  };
}

type FeedEvent = Extract<FeedItem, { kind: 'event' }>;

const isWithin = (item: FeedItem, oldest: number): item is FeedEvent =>
  item.kind === 'event' && Date.parse(item.recordedAt) >= oldest;

const occurrenceOf = ({ cursor, storeEventId, event: { type, timestamp, data } }: FeedEvent) => ({
  eventId: storeEventId,
  name: type,
  timestamp,
  data: isObject(data) ? data : { value: data },
  cursor,
});

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null || JSON.isRawJSON(value);
