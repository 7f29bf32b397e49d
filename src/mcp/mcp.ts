import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import Router from '@koa/router';
import { createMcpHandler, localhostAllowedOrigins, originValidationResponse } from '@modelcontextprotocol/server';
import type { Identity } from '../access/identity/caller.js';
import { headerId } from '../access/identity/headers.js';
import { mcpPath, resourceMetadata } from '../access/protected-resource.js';
import { notReserved } from '../access/reserved-organisation.js';
import { serviceIssuer } from '../access/service-issuer.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import { type Caller, limitOf } from '../admin/api/routing/admin-route.js';
import { callerOf } from '../admin/api/routing/admin-router.js';
import { type Context, goneSignal, type RequestState, type Routes } from '../http/context.js';
import { PayloadTooLarge } from '../http/errors.js';
import type { AdminLimits, ListenerLimits } from '../http/limits/request-limits.js';
import { type EventNumbering, jsonRpcErrors } from './protocol.js';
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
  const origins = http.publicUrl === undefined ? localhostAllowedOrigins() : [new URL(http.publicUrl).hostname];
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
    const refused = originValidationResponse(request, origins);
    if (refused) return send(ctx, refused);
    ctx.state.signInHint = { resourceMetadata: `${issuerOf(ctx)}${resourceMetadata}${mcpPath}`, scope: 'listeners' };
    const caller = callerOf(await identity.administrator(ctx, 'listeners', mcpPath), ctx.state);
    const { body, bodyError, log } = ctx.state;
    if (bodyError instanceof PayloadTooLarge) throw bodyError;
    if (bodyError) return send(ctx, Response.json(parseError(bodyError), { status: 400 }));
    calls.set(request, { caller, orgId: organisationOf(ctx, caller), log });
    return send(ctx, await handler.fetch(request, body === undefined ? {} : { parsedBody: body }));
  });
  return router;
}

/** Streams for notices of changes, of which there are none; the package needs a positive number. */
const maxSubscriptions = 1;

/** Callers with every organisation may choose one by the header `orgid`. */
function organisationOf(ctx: Context, caller: Caller): string | undefined {
  const limit = limitOf(caller);
  if (limit !== null) return limit;
  const chosen = headerId(ctx, 'orgid');
  return caller.apiKey ? notReserved(chosen) : chosen;
}

const parseError = ({ message }: Error) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: jsonRpcErrors.parse, message },
});

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
