import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import Router from '@koa/router';
import type { Context, RequestState, Routes } from '../../http/context.js';

const root = new URL('../../../../', import.meta.url);

/** `GET /llms.txt` (https://llmstxt.org) and `GET /docs/….md`, to which it links: the documents of this version, for agents and programs. */
export function guideRoutes(): Routes {
  const documents = new Set(readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md')));
  const router: Routes = new Router<RequestState>({ sensitive: true });

  async function send(ctx: Context, path: string, type: string): Promise<void> {
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = type;
    ctx.body = await readFile(new URL(path, root));
  }

  router.get('/llms.txt', (ctx) => send(ctx, 'llms.txt', 'text/plain; charset=utf-8'));
  router.get('/docs/:name', (ctx, next) => {
    const { name = '' } = ctx.params;
    return documents.has(name) ? send(ctx, `docs/${name}`, 'text/markdown; charset=utf-8') : next();
  });
  return router;
}
