import Router from '@koa/router';
import { expect } from 'chai';
import { z } from 'zod';
import { openApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { describedRoutes } from '../../../src/http/api-description/routes.js';
import type { RequestState, Routes } from '../../../src/http/context.js';
import type { Route } from '../../../src/http/route-contract.js';

const described = (path: string, parts: Partial<Route> = {}): Route => ({
  name: 'showThing',
  method: 'get',
  path,
  tag: 'Monitoring',
  summary: 'Do it',
  credentials: { anonymous: [] },
  answer: {},
  errors: [],
  ...parts,
});

describe('the routes that are described', () => {
  const routes: Routes = new Router<RequestState>();
  routes.get('/described', () => undefined);
  routes.get('/pages/:id', () => undefined);

  it('are those that exist', () => {
    const found = describedRoutes([routes], [described('/missing'), described('/described')], ['/pages']);
    expect(found.map(({ path }) => path)).to.deep.equal(['/described']);
  });

  it('include each route but pages: a route without a description is an error', () => {
    const all = [described('/described')];
    expect(() => describedRoutes([routes], all, [])).to.throw('the API description lacks: GET /pages/:id');
    expect(() => describedRoutes([routes], all, ['/page'])).to.throw('GET /pages/:id');
    expect(() => describedRoutes([routes], [], ['/pages'])).to.throw('the API description lacks: GET /described');
  });
});

describe('schemas of the API description', () => {
  const documentOf = (parts: Partial<Route>) =>
    openApiDocument([described('/described', parts)], { version: '1', publicUrl: undefined, development: false });
  const parameterOf = (field: z.ZodType) => {
    const [operation] = Object.values(documentOf({ query: z.object({ field }) }).paths['/described'] ?? {});
    return (operation as unknown as { parameters: readonly { schema: object }[] }).parameters[0]?.schema;
  };

  it('are shared by their id', () => {
    const id = z.string().meta({ id: 'Id' });
    const { components, paths } = documentOf({ answer: { schema: z.object({ id }).meta({ id: 'Thing' }) } });
    expect(JSON.stringify(paths)).to.include('"$ref":"#/components/schemas/Thing"');
    expect(components.schemas).to.have.nested.property('Thing.properties.id.$ref', '#/components/schemas/Id');
    expect(components.schemas).to.have.nested.property('Id.type', 'string');
  });

  it('are an error if two of them have the same id, or another one in answers than in requests', () => {
    const [one, other] = [z.string().meta({ id: 'Same' }), z.number().meta({ id: 'Same' })];
    expect(() => documentOf({ answer: { schema: z.object({ one, other }) } })).to.throw('"Same"');
    const { components } = documentOf({ body: z.object({ one }), answer: { schema: z.object({ other }) } });
    expect(components.schemas).to.include.keys('Same', 'SameOutput'); // which openapi.test.ts refuses
  });

  it('are the parsed numbers where text is sent', () => {
    const limit = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1)).default(100);
    expect(parameterOf(limit))
      .to.include({ type: 'integer', minimum: 1, default: 100 })
      .and.not.have.property('pattern');
    expect(parameterOf(z.string().transform((text) => new Date(text)))).to.deep.equal({ type: 'string' });
  });
});
