import Router from '@koa/router';
import { expect } from 'chai';
import { z } from 'zod';
import { jsonBody } from '../../src/http/body.js';
import type { RequestState, Routes } from '../../src/http/context.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';

describe('an invalid request body', () => {
  let served: Served;

  before(async () => {
    const routes: Routes = new Router<RequestState>();
    routes.post('/', (ctx) => {
      ctx.body = jsonBody(ctx, z.strictObject({ why: z.string() }));
    });
    served = await serveRoutes(routes);
  });
  after(() => served.close());

  for (const [what, body, message] of [
    ['a list', '[]', 'send a JSON object'],
    ['without a field', '{}', 'why: is missing'],
    ['with an unknown field', '{"why":"a","who":"b"}', 'not known here: who'],
    ['truncated', '{"why":', 'the body is not valid JSON'],
  ] as const) {
    it(`is answered with the reason: ${what}`, async () => {
      const answer = await served.post('/', body);
      expect([answer.status, answer.body.message]).to.eql([400, message]);
    });
  }

  it('is answered with the limit of its content type if it is too large', async () => {
    const tooLarge = (bytes: number, type: string) => served.post('/', 'a'.repeat(bytes), { 'content-type': type });
    for (const [bytes, type] of [
      [65_536, 'application/x-www-form-urlencoded'],
      [1_200_000, 'application/json'],
    ] as const) {
      const { status, body } = await tooLarge(bytes + 1, type);
      expect([status, body.message]).to.eql([413, `the body is over the limit of ${bytes} bytes`]);
    }
  });
});
