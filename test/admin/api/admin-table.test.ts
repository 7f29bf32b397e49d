import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { allAdminRoutes } from '../../../src/admin/api/all-routes.js';
import { adminPrefix } from '../../../src/admin/api/routing/admin-route.js';
import { templateOf } from '../../../src/http/api-description/openapi-document.js';
import { nameOfRoute } from '../../../src/http/api-description/routes.js';

const names = new Set(allAdminRoutes.map(({ method, path }) => nameOfRoute({ method, path: templateOf(path) })));

/**
 * The routes of a row: `POST /a/b`, `/a/c` has two, and so has `POST /a/b`, `/c`, where the last part is another; queries are left out.
 */
function routesOf(row: string): readonly string[] {
  let method = '';
  let before = '';
  return [...row.matchAll(/`(?:(GET|POST) )?(\/[^`?]*)[^`]*`/g)].map(([, named = method, path = '']) => {
    method = named;
    const whole = `${method} ${path.startsWith('/api/') ? '' : adminPrefix}${path}`;
    const name = names.has(whole) ? whole : before.replace(/\/[^/]*$/, path);
    before = name;
    return name;
  });
}

describe('the table of admin routes in docs/admin-api.md', () => {
  it('lists each route once', () => {
    const [, table = ''] = readFileSync('docs/admin-api.md', 'utf8').split('\n| route | |\n| --- | --- |\n');
    const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
    const listed = rows.flatMap((row) => routesOf(row.split(' | ')[0] ?? ''));
    expect(listed.toSorted()).to.deep.equal([...names].toSorted());
  });
});
