import type { Readable } from 'node:stream';
import Router from '@koa/router';
import { z } from 'zod';
import type { AdministratorIdentity } from '../../access/identity/caller.js';
import {
  type CheckOptions,
  type SealCheck,
  type SealDocument,
  type Seals,
  sealCheck,
} from '../../audit/seals/seals.js';
import { type Context, goneSignal, type RequestState, type Routes } from '../../http/context.js';
import { type Route, serve } from '../../http/route-contract.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { type AdminAccess, adminPrefix, type Caller, requireAccess } from './routing/admin-route.js';
import { callerOf } from './routing/admin-router.js';

/** Reads the whole history: more than a viewer should cause. */
const sealAccess: AdminAccess = { role: 'operator', organisation: 'service' };

/** Both also reject with `Forbidden`. */
export type SealCalls = {
  make: (caller: Caller, signal: AbortSignal) => Promise<SealDocument>;
  check: (caller: Caller, content: Readable, options: CheckOptions) => Promise<SealCheck>;
};

/** A seal may be larger than a JSON body, so its routes stream it. */
export const sealCalls = (seals: Seals): SealCalls => ({
  async make(caller, signal) {
    requireAccess(caller, sealAccess);
    return seals.make(signal);
  },
  async check(caller, content, options) {
    requireAccess(caller, sealAccess);
    return seals.check(content, options);
  },
});

export const sealFileName = ({ statement }: Pick<SealDocument, 'statement'>): string =>
  `flow-hooks-${statement.sealedAt.replaceAll(/[:.]/g, '-')}.seal`;

const checkQuery = z.strictObject({ thumbprint: z.string().min(1).max(256).optional() });

export function sealRouter(seals: SealCalls, identity: AdministratorIdentity): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });

  serve(router, makeSealRoute, async (ctx) => {
    const caller = await begin(ctx);
    sendFile(ctx, await seals.make(caller, goneSignal(ctx)));
  });

  serve(router, checkSealRoute, async (ctx) => {
    const caller = await begin(ctx);
    const { thumbprint } = parseInput(checkQuery, { ...ctx.query });
    if (ctx.request.is('json', 'urlencoded', 'multipart'))
      throw new InvalidRequest('send the file of the seal as the body, with Content-Type: application/octet-stream');
    ctx.body = await seals.check(caller, ctx.req, { thumbprint, signal: goneSignal(ctx) });
  });

  async function begin(ctx: Context) {
    ctx.set('Cache-Control', 'no-store');
    return callerOf(await identity.administrator(ctx), ctx.state);
  }

  return router;
}

function sendFile(ctx: Context, document: Awaited<ReturnType<SealCalls['make']>>): void {
  ctx.attachment(sealFileName(document));
  ctx.type = 'application/octet-stream';
  ctx.length = document.bytes;
  ctx.body = document.content;
}

const common = {
  method: 'post',
  tag: 'Operators: audit',
  credentials: { adminKey: [sealAccess.role] },
} as const;
const file = 'application/octet-stream';

const makeSealRoute: Route = {
  ...common,
  name: 'makeSeal',
  path: `${adminPrefix}/audit/seals`,
  summary: 'Make a seal of the history',
  description:
    'A signed digest of every listener, session, API key and consent up to now, by which later changes are found. The whole history ' +
    'is read before the answer begins, at about 50,000 events a second; one seal at a time on each instance.',
  answer: { description: 'The file of the seal.', type: file, schema: z.string() },
  errors: ['seal_refused', 'seal_work_under_way'],
};

const checkSealRoute: Route = {
  ...common,
  name: 'checkSeal',
  path: `${adminPrefix}/audit/seals/check`,
  summary: 'Compare the history with a seal',
  description: 'The body is the file of a seal, at most 256 MiB. It changes nothing.',
  query: checkQuery,
  body: z.string(),
  bodyTypes: [file],
  bodyExample: 'eyJhbGciOiJFUzI1NiIsInR5cCI6…',
  answer: {
    description: 'The result.',
    schema: sealCheck,
    example: {
      sealedAt: '2026-01-31T12:00:00.000Z',
      streams: 5,
      events: 8,
      thumbprint: 'BHznkTGwS2VLP1JZIaRK9k5_bUlcK2_bz4-QUcGJ1tI',
      matches: true,
      differences: 0,
      erased: 0,
      findings: [],
    },
  },
  errors: ['invalid_request', 'seal_not_genuine', 'seal_work_under_way', 'payload_too_large', 'request_timeout'],
};

export const sealRoutes: readonly Route[] = [makeSealRoute, checkSealRoute];
