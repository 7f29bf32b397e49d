import { expect } from 'chai';
import { z } from 'zod';
import { adminApi } from '../../../src/admin/api/routing/admin-api.js';
import { type AdminAccess, adminRoutesOf, type Caller, handle } from '../../../src/admin/api/routing/admin-route.js';
import { callLimits } from '../../../src/admin/api/routing/call-limits.js';
import { limiter } from '../../../src/http/limits/limiter.js';
import { requestLimits } from '../../../src/http/limits/request-limits.js';
import { rejection } from '../../support/rejection.js';

const routeOf = (name: string, access: AdminAccess & { organisation: 'body' }) =>
  adminRoutesOf('listeners')(name, 'post', `/${name}`, {
    summary: 'A route of this test',
    body: { orgId: z.string() },
    answer: { schema: z.strictObject({ done: z.boolean() }), example: { done: true } },
    access,
  });

const listThings = routeOf('things', { role: 'viewer', scope: 'listeners:read', organisation: 'body' });
const changeThing = routeOf('things/change', { role: 'operator', action: 'pause', organisation: 'body' });
const publishThing = routeOf('things/publish', { role: 'operator', action: 'publish', organisation: 'body' });

const limitOf = (name: string, count: number) => limiter(name, { count, windowMs: 60_000 });
const operator = { actor: 'admin:ops', role: 'operator', orgId: null } as const;
const customer = (orgId: string, user = 'ada'): Caller => ({ actor: `portal:${user}`, role: 'operator', orgId });
const apiKey = (apiKeyId: string, orgId: string | null): Caller => ({
  actor: `api-key:${apiKeyId}`,
  apiKey: { apiKeyId, orgId, scopes: ['listeners:read'] },
});

/** An API whose reads wait until `finish`. */
function given(
  limits: Parameters<typeof requestLimits>[0] = {},
  rest: () => Promise<unknown> | undefined = () => undefined,
) {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const done = { done: true };
  const api = adminApi(
    [
      handle(listThings, async (_, { caller }) => {
        begun.push(caller.actor);
        await new Promise<void>((end) => waiting.push(end));
        return done;
      }),
      handle(changeThing, () => done),
      handle(publishThing, () => done),
    ],
    callLimits(requestLimits(limits), rest),
  );
  const call = (route: typeof listThings, caller: Caller, orgId = 'acme') =>
    api.call(route, { body: { orgId } }, caller);
  /** Ends the reads that have begun, until none is left. */
  async function finish(): Promise<void> {
    for (let end = waiting.shift(); end; end = waiting.shift()) {
      end();
      await new Promise(setImmediate);
    }
  }
  return { begun, call, finish };
}

describe('the limits of calls of the admin API', () => {
  it('let four reads of an API key or a session for every organisation begin at once, and the others wait', async () => {
    for (const caller of [apiKey('one', null), operator]) {
      const { begun, call, finish } = given();
      const reads = Array.from({ length: 60 }, () => call(listThings, caller));
      await new Promise(setImmediate);
      expect(begun).to.have.length(4);
      await finish();
      expect(await Promise.all(reads)).to.have.length(60);
    }
  });

  it('let one read of an organisation after the other begin, by whichever keys and sessions, and those of others at once', async () => {
    const { begun, call, finish } = given();
    const reads = [1, 2, 3].flatMap((key) =>
      Array.from({ length: 2 }, () => call(listThings, apiKey(`${key}`, 'acme'))),
    );
    await new Promise(setImmediate);
    expect(begun).to.have.length(1);
    reads.push(call(listThings, customer('globex'), 'globex'));
    await new Promise(setImmediate);
    expect(begun.at(-1)).to.equal('portal:ada');
    await finish();
    await Promise.all(reads);
  });

  it('let an organisation rest after a long read, whose answer does not wait for that', async () => {
    let rested: () => void = () => undefined;
    const rest = new Promise<void>((resolve) => {
      rested = resolve;
    });
    const { begun, call, finish } = given({}, () => rest);
    const [first, second] = [1, 2].map(() => call(listThings, customer('acme')));
    await new Promise(setImmediate);
    await finish();
    await first;
    expect(begun).to.have.length(1);
    rested();
    await new Promise(setImmediate);
    expect(begun).to.have.length(2);
    await finish();
    await second;
  });

  it('refuse a read where a hundred wait', async () => {
    const { call, finish } = given();
    const reads = Array.from({ length: 104 }, () => call(listThings, operator));
    expect(await rejection(call(listThings, operator))).to.include({ code: 'too_many_requests' });
    await finish();
    await Promise.all(reads);
  });

  it('count the requests of an API key', async () => {
    const { call, finish } = given({ apiKey: limitOf('api-key', 1) });
    const first = call(listThings, apiKey('one', null));
    expect(await rejection(call(listThings, apiKey('one', null)))).to.have.nested.property('limit.name', 'api-key');
    const other = call(listThings, apiKey('two', null));
    await finish();
    await Promise.all([first, other]);
  });

  it("count an organisation's changes, but not its flow events, and no change of an operator", async () => {
    const { call } = given({ changes: limitOf('changes', 2) });
    for (const user of ['ada', 'bob']) await call(changeThing, customer('acme', user));
    expect(await rejection(call(changeThing, customer('acme', 'eve')))).to.have.nested.property(
      'limit.name',
      'changes',
    );
    await call(changeThing, customer('globex'), 'globex');
    await call(publishThing, customer('acme'));
    await call(changeThing, operator);
  });
});
