import type { Logger } from 'pino';
import { z } from 'zod';
import { showDifferenceRoute, showHistoryRoute } from '../admin/api/contracts/audit.js';
import { listDeliveriesRoute, redeliverDeliveryRoute, showDeliveryRoute } from '../admin/api/contracts/deliveries.js';
import { listEventTypesRoute } from '../admin/api/contracts/event-types.js';
import { explainFlowEventRoute } from '../admin/api/contracts/explanation.js';
import { readFeedRoute, trySubscriptionRoute } from '../admin/api/contracts/feed.js';
import { listFlowEventsRoute, publishFlowEventRoute, showFlowEventRoute } from '../admin/api/contracts/flow-events.js';
import { showListenerAsOfRoute, showListenerRoute } from '../admin/api/contracts/listener-queries.js';
import {
  listListenersRoute,
  pauseListenerRoute,
  resumeListenerRoute,
  testListenerRoute,
  tryListenerRoute,
  unsubscribeListenerRoute,
} from '../admin/api/contracts/listeners.js';
import {
  cancelReplayRoute,
  listReplaysRoute,
  showReplayRoute,
  startReplayRoute,
} from '../admin/api/contracts/replays.js';
import { listBacklogRoute, listListenersInTroubleRoute } from '../admin/api/contracts/service.js';
import { type AnyAdminRoute, type Caller, limitOf, requireAccess } from '../admin/api/routing/admin-route.js';
import { Forbidden, InsufficientScope } from '../http/errors.js';
import { parseInput } from '../kernel/input/parse-input.js';

/** The caller of a request to the endpoint. */
export type McpCall = {
  caller: Caller;
  /** Organisation of the caller, or the one that it chose; undefined: the input of each tool names one. */
  orgId: string | undefined;
  log: Logger;
};

/** A tool calls a route of the admin API, with the same input, rights and limits. */
export type Tool = {
  name: string;
  route: AnyAdminRoute;
  /** Undefined: it reads. */
  effect?: 'changes' | 'removes';
  /** A repeat with the same input changes nothing more. */
  isIdempotent?: true;
  forOperators?: true;
  /** Fields of the route that the tool does not have. */
  without?: readonly string[];
};

/** Hook URLs are secrets: tools name listeners by their IDs. */
const byUrl = ['hookUrl'];

const all: readonly Tool[] = [
  { name: 'list_listeners', route: listListenersRoute },
  { name: 'get_listener', route: showListenerRoute },
  { name: 'listener_as_of', route: showListenerAsOfRoute },
  { name: 'try_listener', route: tryListenerRoute },
  { name: 'try_subscription', route: trySubscriptionRoute },
  { name: 'list_event_types', route: listEventTypesRoute },
  { name: 'find_events', route: listFlowEventsRoute },
  { name: 'get_event', route: showFlowEventRoute },
  { name: 'read_events', route: readFeedRoute, without: ['wait'] },
  { name: 'explain_event', route: explainFlowEventRoute, without: byUrl },
  { name: 'list_deliveries', route: listDeliveriesRoute },
  { name: 'get_delivery', route: showDeliveryRoute },
  { name: 'list_replays', route: listReplaysRoute },
  { name: 'get_replay', route: showReplayRoute },
  { name: 'audit_history', route: showHistoryRoute, forOperators: true, without: byUrl },
  { name: 'difference', route: showDifferenceRoute, forOperators: true },
  { name: 'listeners_in_trouble', route: listListenersInTroubleRoute, forOperators: true },
  { name: 'get_backlog', route: listBacklogRoute, forOperators: true },
  { name: 'redeliver', route: redeliverDeliveryRoute, effect: 'changes' },
  { name: 'start_replay', route: startReplayRoute, effect: 'changes', without: byUrl },
  { name: 'cancel_replay', route: cancelReplayRoute, effect: 'removes', isIdempotent: true },
  { name: 'pause_listener', route: pauseListenerRoute, effect: 'changes', isIdempotent: true },
  { name: 'resume_listener', route: resumeListenerRoute, effect: 'changes', isIdempotent: true },
  { name: 'test_listener', route: testListenerRoute, effect: 'changes' },
  { name: 'unsubscribe_listener', route: unsubscribeListenerRoute, effect: 'removes', isIdempotent: true },
  { name: 'publish_event', route: publishFlowEventRoute, effect: 'changes' },
];

/** Tools that the caller's role or scopes permit, in a fixed order. */
export const toolsOf = (caller: Caller): readonly Tool[] =>
  all.filter(({ route, forOperators }) => (!forOperators || limitOf(caller) === null) && permits(caller, route));

function permits(caller: Caller, { access }: AnyAdminRoute): boolean {
  try {
    requireAccess(caller, access);
    return true;
  } catch (error) {
    if (error instanceof Forbidden || error instanceof InsufficientScope) return false;
    throw error;
  }
}

export const annotationsOf = ({ route, effect, isIdempotent }: Tool) => ({
  title: route.summary,
  readOnlyHint: effect === undefined,
  destructiveHint: effect === 'removes',
  idempotentHint: effect === undefined || isIdempotent === true,
  openWorldHint: false,
});

/** Pages that a model can read. */
const limit = z.int().min(1).max(100).default(20).describe('Maximum number of items in the page.');

const partsOf = ({ params, query, body }: AnyAdminRoute) => ({
  params: params.shape,
  query: query.shape,
  body: body instanceof z.ZodObject ? body.shape : {},
});

/** `orgId`: of the caller; undefined: the tool's input names the organisation. */
export function inputOf({ route, without = [] }: Tool, orgId: string | undefined) {
  const { params, query, body } = partsOf(route);
  const fields = Object.entries({ ...params, ...query, ...body }).filter(
    ([name]) => !without.includes(name) && !(name === 'orgId' && orgId !== undefined),
  );
  return z.strictObject({ ...Object.fromEntries(fields), ...(fields.some(([name]) => name === 'limit') && { limit }) });
}

type Fields = Readonly<Record<string, unknown>>;

/** The request of the tool's route. Fields of paths and queries are texts. Throws `InvalidRequest`. */
export function requestOf(tool: Tool, input: Fields, orgId: string | undefined) {
  const { params, query, body } = partsOf(tool.route);
  const { limit } = parseInput(inputOf(tool, orgId), input); // the other fields go as they were sent
  const given = { ...input, ...(orgId !== undefined && { orgId }), ...(limit !== undefined && { limit }) };
  const part = (shape: object, asSent: (value: unknown) => unknown): Fields =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        Object.hasOwn(shape, name) && value !== undefined ? [[name, asSent(value)]] : [],
      ),
    );
  return { params: part(params, String), query: part(query, String), body: part(body, (value) => value) };
}
