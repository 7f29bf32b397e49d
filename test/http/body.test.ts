import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
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
    ['with an unknown field', '{"why":"a","who":"b"}', 'unknown: who'],
    ['null', 'null', 'send a JSON object'],
    [
      'a text',
      '"{\\"why\\":\\"a\\"}"',
      'send a JSON object: this is a JSON string, probably of an object that was serialised twice',
    ],
    ['truncated', '{"why":', 'the body is not valid JSON'],
    ['white space', ' ', 'the body is empty'],
    [
      'nested too deep, with a number that is kept',
      `{"why":[1.0,${'['.repeat(500_000)}${']'.repeat(500_000)}]}`,
      'the body is nested too deep',
    ],
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

  const bytes = (body: Buffer, headers: Record<string, string>) =>
    fetch(`${served.origin}/`, { method: 'POST', headers, body: new Uint8Array(body) }).then(async (response) => [
      response.status,
      ((await response.json()) as { message?: string; why?: string }).message,
    ]);
  const json = 'application/json';
  const answer = { why: 'ä' };
  const utf8 = Buffer.from(JSON.stringify(answer));

  for (const [coding, body] of [
    ['gzip', gzipSync(utf8)],
    ['GZIP', gzipSync(utf8)],
    ['x-gzip', gzipSync(utf8)],
    ['deflate', deflateSync(utf8)],
    ['br', brotliCompressSync(utf8)],
    ['identity', utf8],
    ['', utf8],
  ] as const) {
    it(`is read in the content coding ${coding || 'of an empty header'}`, async () =>
      expect(await bytes(body, { 'content-type': json, 'content-encoding': coding })).to.eql([200, undefined]));
  }

  for (const [what, body, headers, status, message] of [
    [
      'of an unknown content coding',
      utf8,
      { 'content-encoding': 'zip' },
      415,
      'Content-Encoding: zip is not supported: send gzip, deflate, br or none',
    ],
    [
      'of two content codings',
      utf8,
      { 'content-encoding': 'gzip, br' },
      415,
      'Content-Encoding: gzip, br is not supported: send gzip, deflate, br or none',
    ],
    [
      'that is not compressed',
      utf8,
      { 'content-encoding': 'gzip' },
      400,
      'the body cannot be decompressed: it is not valid gzip',
    ],
    [
      'whose compressed data broke off',
      gzipSync(utf8).subarray(0, 20),
      { 'content-encoding': 'gzip' },
      400,
      'the body cannot be decompressed: it is not valid gzip',
    ],
    [
      'that is not UTF-8 behind a content coding',
      gzipSync(Buffer.from('{"why":"ä"}', 'latin1')),
      { 'content-encoding': 'gzip' },
      400,
      'the body is not valid UTF-8',
    ],
    [
      'in UTF-16',
      Buffer.from('{"why":"a"}', 'utf16le'),
      { 'content-type': `${json}; charset=utf-16` },
      415,
      'Content-Type: the charset of JSON is utf-8, not utf-16',
    ],
    [
      'in Latin-1',
      utf8,
      { 'content-type': `${json};charset="ISO-8859-1"` },
      415,
      'Content-Type: the charset of JSON is utf-8, not iso-8859-1',
    ],
    [
      'with an empty charset',
      utf8,
      { 'content-type': `${json}; charset=` },
      400,
      'Content-Type: the charset is empty: leave it out, or send utf-8',
    ],
    [
      'with an empty Content-Type',
      utf8,
      { 'content-type': '' },
      400,
      'send a JSON body, with Content-Type: application/json',
    ],
    [
      'of another Content-Type',
      utf8,
      { 'content-type': 'json' },
      400,
      'send a JSON body, with Content-Type: application/json',
    ],
  ] as const) {
    it(`is answered with the reason: one ${what}`, async () =>
      expect(await bytes(body, { 'content-type': json, ...headers })).to.eql([status, message]));
  }

  it('is taken with any spelling of UTF-8, and with a byte order mark', async () => {
    for (const charset of ['UTF-8', '"utf-8"', 'utf8', 'us-ascii; x=y'])
      expect(await bytes(utf8, { 'content-type': `${json}; charset=${charset}` }), charset).to.eql([200, undefined]);
    const marked = Buffer.concat([Buffer.from('\uFEFF'), utf8]);
    expect(await bytes(marked, { 'content-type': json })).to.eql([200, undefined]);
  });

  it('is answered with the limit if it is too large once it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(await bytes(bomb, { 'content-type': json, 'content-encoding': 'gzip' })).to.eql([
      413,
      'the body is over the limit of 1200000 bytes',
    ]);
  });

  it('is answered with the limit if it is too large', async () => {
    const tooLarge = (bytes: number, type: string) => served.post('/', 'a'.repeat(bytes), { 'content-type': type });
    for (const type of ['application/x-www-form-urlencoded', 'application/json']) {
      const { status, body } = await tooLarge(1_200_001, type);
      expect([status, body.message]).to.eql([413, 'the body is over the limit of 1200000 bytes']);
    }
  });
});
