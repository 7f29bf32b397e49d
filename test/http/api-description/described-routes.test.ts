import Router from '@koa/router';
import { expect } from 'chai';
import { z } from 'zod';
import { jsonSchemas } from '../../../src/http/api-description/json-schemas.js';
import type { RouteDescription } from '../../../src/http/api-description/route-description.js';
import { describedRoutes } from '../../../src/http/api-description/routes.js';
import type { RequestState, Routes } from '../../../src/http/context.js';

const described = (path: string): RouteDescription => ({
  name: 'showThing',
  method: 'get',
  path,
  tag: 'Monitoring',
  summary: 'Do it',
  credentials: { anonymous: [] },
  answers: {},
  errors: [],
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
  it('are shared by their id', () => {
    const schemas = jsonSchemas();
    const id = z.string().meta({ id: 'Id' });
    expect(schemas.of(z.object({ id }), 'input').properties).to.deep.equal({ id: { $ref: '#/components/schemas/Id' } });
    expect(schemas.components.get('Id')).to.include({ type: 'string' });
  });

  it('are an error if two of them have the same id', () => {
    const schemas = jsonSchemas();
    schemas.of(z.string().meta({ id: 'Same' }), 'input');
    expect(() => schemas.of(z.number().meta({ id: 'Same' }), 'input')).to.throw(
      'two schemas of the API have the id Same',
    );
  });

  it('are the parsed numbers where text is sent', () => {
    const limit = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1)).default(100);
    expect(jsonSchemas().ofText(limit)).to.include({ type: 'integer', minimum: 1, default: 100 });
    expect(jsonSchemas().ofText(z.string().transform((text) => new Date(text)))).to.include({ type: 'string' });
  });
});
