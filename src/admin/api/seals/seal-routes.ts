import Router from '@koa/router';
import { z } from 'zod';
import type { Identity } from '../../../access/identity/caller.js';
import { type Context, goneSignal, type RequestState, type Routes } from '../../../http/context.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { parseInput } from '../../../kernel/input/parse-input.js';
import { callerOf } from '../routing/admin-api.js';
import { adminPrefix } from '../routing/admin-route.js';
import { type SealCalls, sealFileName } from './seal-calls.js';

export const checkQuery = z.strictObject({ thumbprint: z.string().min(1).max(256).optional() });

/** `POST /audit/seals` answers the file of a new seal; `POST /audit/seals/check` compares the history with the seal in its body. */
export function sealRoutes(seals: SealCalls, identity: Pick<Identity, 'administrator'>): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true, prefix: `${adminPrefix}/audit/seals` });

  router.post('/', async (ctx) => {
    const caller = await begin(ctx);
    sendFile(ctx, await seals.make(caller, goneSignal(ctx)));
  });

  router.post('/check', async (ctx) => {
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
