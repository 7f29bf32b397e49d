import { expect } from 'chai';
import { z } from 'zod';
import { adminApi } from '../../../src/admin/api/routing/admin-api.js';
import {
  type AdminAccess,
  adminRoutesOf,
  type CallContext,
  handle,
} from '../../../src/admin/api/routing/admin-route.js';
import { Forbidden, InsufficientScope } from '../../../src/http/errors.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { rejection } from '../../support/rejection.js';

const route = adminRoutesOf('listeners');
const summary = 'A route of this test';

const showThing = route('showThing', 'get', '/things/:id', {
  summary,
  params: { id: z.string().max(3) },
  query: { orgId: z.string(), limit: z.string().transform(Number).default(7) },
  answer: { schema: z.strictObject({ seen: z.string() }), example: { seen: 'a' } },
  access: { role: 'viewer', scope: 'listeners:read', organisation: 'query' },
});

const changeThing = route('changeThing', 'post', '/things/change', {
  summary,
  body: { name: z.string().optional() },
  answer: { schema: z.strictObject({ changed: z.boolean() }), example: { changed: true } },
  access: { role: 'operator', organisation: 'service' },
});

const viewer = { actor: 'admin:eve', role: 'viewer', orgId: null } as const;
const operator = { actor: 'admin:ops', role: 'operator', orgId: null } as const;

describe('the admin API in the process', () => {
  let contexts: CallContext[];
  const api = adminApi([
    handle(showThing, ({ params: { id }, query: { orgId, limit } }, context) => {
      contexts.push(context);
      return { seen: `${orgId}/${id}/${limit}` };
    }),
    handle(changeThing, (_, context) => {
      contexts.push(context);
      return { changed: true };
    }),
  ]);

  beforeEach(() => {
    contexts = [];
  });

  it('parses the input as over HTTP, with its defaults', async () => {
    const answer = await api.call(showThing, { params: { id: 'a' }, query: { orgId: 'acme' } }, viewer);
    expect(answer).to.deep.equal({ seen: 'acme/a/7' });
  });

  it('refuses invalid input with the messages of HTTP, and runs no handler', async () => {
    const refusal = async (id: string, query: object) =>
      rejection(api.call(showThing, { params: { id }, query: query as { orgId: string } }, viewer));
    expect(await refusal('a', {}))
      .to.be.instanceOf(InvalidRequest)
      .with.property('message', 'orgId: is missing');
    expect(await refusal('a', { orgId: 'acme', limt: '1' })).to.have.property('message', 'unknown: limt');
    expect(await refusal('long', { orgId: 'acme' })).to.be.instanceOf(InvalidRequest);
    expect(contexts).to.deep.equal([]);
  });

  it('refuses a caller without the role before it looks at the input', async () => {
    const wrong = { body: { unknown: 1 } as object };
    expect(await rejection(api.call(changeThing, wrong, viewer)))
      .to.be.instanceOf(Forbidden)
      .with.property('message', 'this route requires an admin key with the role operator');
    expect(await rejection(api.call(changeThing, wrong, operator))).to.be.instanceOf(InvalidRequest);
  });

  it('permits an API key the routes of its scopes in its organisation', async () => {
    const request = { params: { id: 'a' }, query: { orgId: 'acme' } };
    const key = (orgId: string | null, ...scopes: ('listeners:read' | 'deliveries:read')[]) => ({
      actor: 'api-key:1',
      apiKey: { apiKeyId: '1', orgId, scopes },
    });
    expect(await api.call(showThing, request, key('acme', 'listeners:read'))).to.deep.equal({ seen: 'acme/a/7' });
    expect(await rejection(api.call(showThing, request, key('other', 'listeners:read')))).to.be.instanceOf(Forbidden);
    const unnamed = { params: { id: 'a' }, query: {} as { orgId: string } };
    for (const orgId of ['acme', null])
      expect(await rejection(api.call(showThing, unnamed, key(orgId, 'listeners:read')))).to.be.instanceOf(
        InvalidRequest,
      );
    expect(await rejection(api.call(showThing, request, key('acme', 'deliveries:read')))).to.be.instanceOf(
      InsufficientScope,
    );
    expect(await rejection(api.call(changeThing, {}, key('acme', 'listeners:read')))).to.be.instanceOf(Forbidden);
  });

  it('records the actor, and the request on whose behalf it is called', async () => {
    const request = { requestId: 'request-1', traceparent: undefined };
    await api.call(changeThing, {}, { ...operator, request });
    await api.call(changeThing, {}, operator);
    const [first, second] = contexts.map(({ cause }) => cause);
    expect(first).to.deep.equal({ actor: 'admin:ops', correlationId: 'request-1' });
    expect(second?.correlationId).to.match(/^[\da-f-]{36}$/);
  });

  it('fails for a route without a handler', async () => {
    const other = route('showX', 'get', '/x', { summary, answer: nothing, access: service });
    expect(await rejection(api.call(other, {}, viewer))).to.match(/get \/admin\/api\/x has no handler/);
  });
});

const nothing = { schema: z.strictObject({}), example: {} };
const service = { role: 'viewer', organisation: 'service' } as const;

describe('the contract of an admin route', () => {
  it('does not compile with a handler whose answer does not fit', () => {
    // @ts-expect-error: a number instead of a text
    handle(showThing, () => ({ seen: 1 }));
    // @ts-expect-error: a field is missing
    handle(changeThing, () => ({}));
    // @ts-expect-error: the route has no such parameter
    handle(showThing, ({ params: { name } }) => ({ seen: name }));
  });

  it('does not compile without the owner, if the organisation is that of the object', () => {
    const access = { role: 'viewer', organisation: 'of-object' } as const;
    const ofObject = route('showX', 'get', '/x', { summary, answer: nothing, access });
    // @ts-expect-error: an owner is needed
    handle(ofObject, () => ({}));
    // @ts-expect-error: no owner is looked up
    handle(changeThing, () => ({ changed: true }), { of: async () => 'acme', missing: () => new Forbidden('') });
  });

  it('is refused if the scope of an organisation could not be enforced', () => {
    const declare = (access: AdminAccess) => route('showX', 'get', '/x', { summary, answer: nothing, access });
    expect(() => declare({ role: 'viewer', organisation: 'query' })).to.throw('/x has no orgId in its query');
    expect(() => declare({ role: 'viewer', organisation: 'body' })).to.throw('/x has no orgId in its body');
    expect(() => declare({ role: 'viewer', organisation: 'service', scope: 'listeners:read' })).to.throw(
      /scope of API keys/,
    );
  });
});
