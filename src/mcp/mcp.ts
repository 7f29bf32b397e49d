import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import Router from '@koa/router';
import { createMcpHandler, localhostAllowedOrigins, originValidationResponse } from '@modelcontextprotocol/server';
import type { Identity } from '../access/identity/caller.js';
import { headerId, headerOrClaim } from '../access/identity/headers.js';
import { mcpPath, resourceMetadata } from '../access/protected-resource.js';
import { notReserved } from '../access/reserved-organisation.js';
import { serviceIssuer } from '../access/service-issuer.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import { type Caller, limitOf } from '../admin/api/routing/admin-route.js';
import { callerOf } from '../admin/api/routing/admin-router.js';
import { countRequest } from '../admin/api/routing/call-limits.js';
import { hasBody } from '../http/body.js';
import { type Context, goneSignal, type RequestState, type Routes } from '../http/context.js';
import { PayloadTooLarge } from '../http/errors.js';
import type { AdminLimits, ListenerLimits } from '../http/limits/request-limits.js';
import { mediaTypeOf } from '../http/media-type.js';
import { isNestedWithin, maxNesting } from '../kernel/input/nesting.js';
import { type EventNumbering, eventMethods, jsonRpcErrors } from './protocol.js';
import { mcpServer } from './server.js';
import type { McpCall } from './tools.js';
import type { Webhooks } from './webhooks.js';

export type McpSettings = {
  /** Undefined in development mode, where the pages of this machine may call. */
  http: { publicUrl: string | undefined };
  mcp: { eventNumbering: EventNumbering };
};

type McpDependencies = {
  api: AdminApi;
  webhooks: Webhooks;
  identity: Pick<Identity, 'administrator'>;
  limits: AdminLimits & ListenerLimits;
  /** Ends streams. */
  stopping: AbortSignal;
};

/**
 * The endpoint of the Model Context Protocol: streamable HTTP without sessions, in the revision 2026-07-28 and those before it. Each request
 * is served on its own, for the caller of its bearer token.
 */
export function mcpRoutes(
  { http, mcp }: McpSettings,
  { api, webhooks, identity, limits, stopping }: McpDependencies,
): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  const own = http.publicUrl === undefined ? undefined : new URL(http.publicUrl).origin;
  // The package compares the names of hosts alone.
  const otherOrigins = own === undefined ? localhostAllowedOrigins() : [];
  const issuerOf = serviceIssuer(http.publicUrl);
  const calls = new WeakMap<Request, McpCall>();
  const handler = createMcpHandler(
    ({ era, requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo);
      if (!call) throw new Error('a request to the MCP endpoint has no caller');
      return mcpServer({ api, webhooks, limits, ...mcp }, { ...call, isModern: era === 'modern' });
    },
    { maxSubscriptions },
  );
  stopping.addEventListener('abort', () => void handler.close());

  router.all(mcpPath, async (ctx) => {
    await limits.arrival(ctx);
    ctx.set('Cache-Control', 'no-store');
    const request = webRequest(ctx);
    const refused = ctx.get('origin') === own ? undefined : originValidationResponse(request, otherOrigins);
    if (refused) return send(ctx, refused);
    ctx.state.signInHint = { resourceMetadata: `${issuerOf(ctx)}${resourceMetadata}${mcpPath}`, scope: 'listeners' };
    const caller = callerOf(await identity.administrator(ctx, 'listeners', mcpPath), ctx.state);
    const { body, bodyError, log } = ctx.state;
    if (bodyError instanceof PayloadTooLarge) throw bodyError;
    if (bodyError) return send(ctx, failure('parse', bodyError.message));
    if (isEmptyJson(ctx)) return send(ctx, failure('parse', 'the body is empty'));
    if (!isNestedWithin(maxLevels, body)) return send(ctx, failure('invalidRequest', 'the body is nested too deep'));
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (messages.length > maxMessages)
      return send(ctx, failure('invalidRequest', `a batch has at most ${maxMessages} messages`));
    for (const message of messages) if (!isCountedByCall(message)) await countRequest(limits, caller);
    calls.set(request, { caller, orgId: organisationOf(ctx, caller), log });
    return send(ctx, await handler.fetch(request, body === undefined ? {} : { parsedBody: body }));
  });
  return router;
}

/** Streams for notices of changes, of which there are none; the package needs a positive number. */
const maxSubscriptions = 1;

/** Levels around the arguments and payloads in a message of a batch. */
const maxLevels = maxNesting + 5;
/** Messages of a batch, in which others wait for as many lists of tools, for example: a millisecond each. */
const maxMessages = 10;

const methodsWithCount: readonly unknown[] = ['tools/call', ...Object.values(eventMethods)];
/** The limits of these messages are those of the routes that they call, and errors of their own say that they are exceeded. */
const isCountedByCall = (message: unknown): boolean =>
  methodsWithCount.includes((message as { method?: unknown } | null | undefined)?.method);

/** Callers with every organisation may choose one by the header `orgid`. Throws `Forbidden` for others if it differs. */
function organisationOf(ctx: Context, caller: Caller): string | undefined {
  const limit = limitOf(caller);
  if (limit !== null) return headerOrClaim(ctx, 'orgid', limit);
  const chosen = headerId(ctx, 'orgid');
  return caller.apiKey ? notReserved(chosen) : chosen;
}

const isEmptyJson = (ctx: Context): boolean =>
  ctx.method === 'POST' && !hasBody(ctx) && mediaTypeOf(ctx) === 'application/json';

const failure = (name: keyof typeof jsonRpcErrors, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: jsonRpcErrors[name], message } }, { status: 400 });

function webRequest(ctx: Context): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.headers)) if (value !== undefined) headers.set(name, String(value));
  // The header Host may be no valid name; the package compares the Origin alone.
  return new Request(`http://localhost${mcpPath}`, { method: ctx.method, headers, signal: goneSignal(ctx) });
}

function send(ctx: Context, response: Response): void {
  ctx.status = response.status;
  response.headers.forEach((value, name) => void ctx.set(name, value));
  ctx.body = response.body ? Readable.fromWeb(response.body as ReadableStream) : null; // the same at run time
}
