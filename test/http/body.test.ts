import Router from '@koa/router';
import { expect } from 'chai';
import { z } from 'zod';
import { jsonBody } from '../../src/http/body.js';
import type { RequestState, Routes } from '../../src/http/context.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';

describe('a request body', () => {
  it('is taken as data in any language, and with any member name', async () => {
    const routes: Routes = new Router<RequestState>();
    routes.post('/', (ctx) => {
      ctx.body = JSON.stringify(jsonBody(ctx, z.object({ data: z.unknown() })));
    });
    const served = await serveRoutes(routes);
    const text = '{"data":{"__proto__":{"admin":true},"constructor":{"prototype":1},"ü":"😀\uFFFD"}}';
    const response = await fetch(`${served.origin}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    expect([response.status, await response.text()]).to.eql([200, text]);
    expect(({} as Record<string, unknown>).admin).to.equal(undefined);
    await served.close();
  });
});

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

  for (const [what, bytes, coding] of [
    ['a byte that begins nothing', [0x22, 0xff, 0x22]],
    ['a character of four bytes without its last', [0x22, 0xf0, 0x9f, 0x98, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a byte that begins nothing, in a body with the content coding identity', [0x22, 0xff, 0x22], 'identity'],
  ] as const) {
    it(`is refused where it is not UTF-8: ${what}`, async () => {
      const body = Buffer.concat([Buffer.from('{"why":'), Buffer.from(bytes), Buffer.from('}')]);
      const response = await fetch(`${served.origin}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(coding && { 'content-encoding': coding }) },
        body,
      });
      const { message } = (await response.json()) as { message: string };
      expect([response.status, message]).to.eql([400, 'the body is not valid UTF-8']);
    });
  }

  it('is answered with the limit if it is too large', async () => {
    const tooLarge = (bytes: number, type: string) => served.post('/', 'a'.repeat(bytes), { 'content-type': type });
    for (const type of ['application/x-www-form-urlencoded', 'application/json']) {
      const { status, body } = await tooLarge(1_200_001, type);
      expect([status, body.message]).to.eql([413, 'the body is over the limit of 1200000 bytes']);
    }
  });
});
