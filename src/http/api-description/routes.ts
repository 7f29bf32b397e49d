import { hash } from 'node:crypto';
import Router from '@koa/router';
import { z } from 'zod';
import type { RequestState, Routes } from '../context.js';
import { isBelow } from '../later-routes.js';
import { type Route, serve } from '../route-contract.js';

export const nameOfRoute = ({ method, path }: { method: string; path: string }): string =>
  `${method.toUpperCase()} ${path}`;

const routeNames = (routes: readonly Routes[]): readonly string[] =>
  routes.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
    ),
  );

/**
 * The values of the routes that exist, in their order. Throws if a route has none, unless its path begins with one of
 * `pages`: those are for people and no part of the API.
 */
export function describedRoutes(
  routes: readonly Routes[],
  values: readonly Route[],
  pages: readonly string[],
): readonly Route[] {
  const existing = new Set(routeNames(routes));
  const described = new Set(values.map(nameOfRoute));
  const missing = [...existing].filter(
    (name) => !described.has(name) && !isBelow(name.slice(name.indexOf(' ') + 1), pages),
  );
  if (missing.length > 0) throw new Error(`the API description lacks: ${missing.join(', ')}`);
  return values.filter((route) => existing.has(nameOfRoute(route)));
}

/** `GET /openapi.json`. `text`: the document as JSON; called at the first request. */
export function apiDescriptionRoutes(text: () => string): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  let made: { text: string; etag: string } | undefined;
  serve(router, apiDescriptionRoute, (ctx) => {
    made ??= tagged(text());
    ctx.set('Cache-Control', 'no-cache'); // kept, and asked for again: most answers are 304
    ctx.set('ETag', made.etag);
    ctx.status = 200; // `fresh` compares successful answers only
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.type = 'json';
    ctx.body = made.text;
  });
  return router;
}

const tagged = (text: string) => ({ text, etag: `"${hash('sha256', text, 'base64url')}"` });

export const apiDescriptionRoute: Route = {
  name: 'showApiDescription',
  method: 'get',
  path: '/openapi.json',
  tag: 'Monitoring',
  summary: 'Show this description',
  description:
    'The description in the form of [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html). `/docs` shows it to people.',
  credentials: { anonymous: [] },
  answer: { description: 'The description.', schema: z.looseObject({ openapi: z.string() }) },
  otherAnswers: { 304: { description: 'The caller has it already (`If-None-Match`).' } },
  errors: ['too_many_requests', 'internal_error'],
  commonErrors: 'none',
};
