import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { listOf } from '../../../src/admin/api/contracts/fields.js';
import type { AdminApi } from '../../../src/admin/api/routing/admin-api.js';
import { adminRoutesOf } from '../../../src/admin/api/routing/admin-route.js';
import { routeAction } from '../../../src/site/derived/route-action.js';
import { routeList } from '../../../src/site/derived/route-list.js';
import type { Subject } from '../../../src/site/page-view.js';
import { withSite } from '../../support/console/site-settings.js';

const route = adminRoutesOf('replays');
const moment = z.iso.datetime();

const listRoute = route('listThings', 'get', '/things', {
  summary: 'List things',
  query: {
    kind: z.enum(['large', 'small']).optional(),
    from: moment.optional(),
    limit: z.string(),
    after: z.string().optional(),
  },
  answer: {
    schema: listOf(z.strictObject({ id: z.string(), madeAt: moment, count: z.int(), state: z.string() })),
    example: { items: [], next: null },
  },
  access: { role: 'viewer', organisation: 'service' },
});

const changeRoute = route('changeThing', 'post', '/things/:id/change', {
  summary: 'Change a thing',
  params: { id: z.string() },
  body: {
    name: z.string().max(40),
    weight: z.int().min(1).max(9).nullable().default(null),
    kinds: z.array(z.enum(['large', 'small'])).default([]),
    paths: z.array(z.string()).optional(),
    shape: z.unknown().optional(),
    until: moment.nullable().default(null),
    isOpen: z.boolean().default(false),
    owner: z.string().optional(),
  },
  bodyExample: { name: 'a' },
  answer: { schema: z.strictObject({ id: z.string() }), example: { id: '1' } },
  access: { role: 'operator', organisation: 'service' },
});

/** The thing that the form is about. */
type Thing = Readonly<Record<string, unknown>>;
const firstThing: Thing = { name: 'first', weight: 4, kinds: ['small'], shape: { a: 1 } };

const thingsOf =
  (read: () => Thing): Subject =>
  (site) => {
    const change = routeAction(site, '/things/:id/change', changeRoute, {
      label: 'Change',
      title: ({ name }) => `Change ${name}?`,
      read: async () => read(),
      consequences: ['It is another thing.'],
      fields: {
        name: 'Name',
        weight: 'Weight',
        kinds: 'Kinds',
        paths: { label: 'Paths', lines: 2 },
        shape: { label: 'Shape', lines: 2 },
        until: 'Until',
        isOpen: 'Open',
      },
      done: 'The thing is changed.',
    });
    routeList(site, '/things', listRoute, {
      title: 'Things',
      lead: 'All of them.',
      filters: { kind: 'Kind', from: 'From' },
      keyOf: ({ id }) => id,
      columns: (at) => ({
        Made: 'madeAt',
        Count: 'count',
        State: 'state',
        Action: ({ id }) => change.button(at, { id }),
      }),
    });
  };

const things = thingsOf(() => firstThing);

type Calls = { name: string; request: unknown }[];

/** Answers of the routes; what they were called with is in `calls`. */
const apiOf = (calls: Calls): Pick<AdminApi, 'call'> => ({
  call: (async (called: { name: string }, request: unknown) => {
    calls.push({ name: called.name, request });
    if (called.name !== 'listThings') return { id: '1' };
    const items = [{ id: '<1>', madeAt: '2026-01-31T12:00:00.000Z', count: 12_345, state: 'active' }];
    return { items, next: 'more' };
  }) as AdminApi['call'], // of two routes alone
});

type Sent = { status: number; html: string; location: string | null };

/** Answers a request for a page, and says which routes it called. */
async function asked(
  path: string,
  role: 'viewer' | 'operator',
  form?: URLSearchParams,
): Promise<Sent & { calls: Calls }> {
  const calls: Calls = [];
  const caller = { actor: 'admin:ada', role, orgId: null };
  return withSite({ subjects: [things], api: apiOf(calls), sessionOf: async () => ({ caller }) }, async (origin) => {
    const post = { method: 'POST', headers: { origin }, body: form ?? null };
    const answer = await fetch(`${origin}/console${path}`, { redirect: 'manual', ...(form && post) });
    return { calls, status: answer.status, html: await answer.text(), location: answer.headers.get('location') };
  });
}

describe('a list that is derived from its route', () => {
  it('shows fields by their kind, with the next page', async () => {
    const { html, calls } = await asked('/things?after=x', 'operator');
    expect(calls).to.deep.equal([{ name: 'listThings', request: { query: { after: 'x', limit: '50' } } }]);
    expect(html).to.include('<time datetime="2026-01-31T12:00:00.000Z"');
    expect(html).to.include('<td class="numeric" data-head="Count">12,345</td>');
    expect(html).to.include('<span class="badge good">Active</span>');
    expect(html).to.match(/href="\/console\/things\?after=more&amp;/);
  });

  it('offers the choices of the route, and sends the filter with times in UTC', async () => {
    const { html, calls } = await asked('/things?kind=small&from=2026-01-31T12:00', 'viewer');
    expect(calls[0]?.request).to.deep.equal({
      query: { kind: 'small', from: '2026-01-31T12:00:00Z', after: undefined, limit: '50' },
    });
    expect(html).to.include('<option value>All</option>').and.include('<option value="small" selected>Small</option>');
    expect(html).to.match(/<input[^>]*name="from"[^>]*type="datetime-local"/);
  });

  it('has the buttons of actions for those alone who may take them', async () => {
    expect((await asked('/things', 'operator')).html).to.include('href="/console/things/%3C1%3E/change"');
    expect((await asked('/things', 'viewer')).html).not.to.include('/change');
  });
});

describe('an action that is derived from its route', () => {
  it('asks with the limits, the kinds and the present values of its fields', async () => {
    const { html, status } = await asked('/things/1/change', 'operator');
    expect([status, html.includes('<h1>Change first?</h1>')]).to.deep.equal([200, true]);
    expect(html).to.match(/<input[^>]*name="name"[^>]*required[^>]*value="first"[^>]*maxlength="40"/);
    expect(html).to.match(
      /<input[^>]*name="weight"[^>]*step="1"[^>]*min="1"[^>]*max="9"[^>]*type="number"[^>]*value="4"/,
    );
    expect(html)
      .to.match(/name="kinds" value="small" checked/)
      .and.not.match(/value="large" checked/);
    expect(html).to.include('&quot;a&quot;: 1').and.include('It is another thing.');
    expect((await asked('/things/1/change', 'viewer')).status).to.equal(403);
  });

  it('sends each field as the route takes it, and leads back with a notice', async () => {
    const form = new URLSearchParams({ name: 'other', weight: '', paths: ' a \n\nb', shape: '{"b": 2}' });
    for (const [name, value] of [
      ['kinds', 'small'],
      ['kinds', 'unknown'],
      ['until', '2026-01-31T12:00'],
      ['isOpen', 'true'],
    ] as const)
      form.append(name, value);
    const { calls, location } = await asked('/things/7/change', 'operator', form);
    expect(calls).to.deep.equal([
      {
        name: 'changeThing',
        request: {
          params: { id: '7' },
          body: {
            name: 'other',
            weight: null,
            kinds: ['small'],
            paths: ['a', 'b'],
            shape: { b: 2 },
            until: '2026-01-31T12:00:00Z',
            isOpen: true,
          },
        },
      },
    ]);
    expect(location).to.equal('/console/things?notice=things-change');
    expect((await asked('/things?notice=things-change', 'viewer')).html).to.include('The thing is changed.');
  });

  it('shows the form again with what is not valid, beside what was typed', async () => {
    const form = new URLSearchParams({ name: 'kept', weight: 'heavy' });
    const { status, html, calls } = await asked('/things/7/change', 'operator', form);
    expect([status, calls]).to.deep.equal([400, []]);
    expect(html)
      .to.include('id="field-weight-error"')
      .and.match(/name="name"[^>]*value="kept"/);
  });

  it('takes no field from the address or the form that the page does not show', async () => {
    const { html } = await asked('/things/1/change?owner=eve&name=eve', 'operator');
    expect(html).not.to.include('eve');
    const form = new URLSearchParams({ name: 'other', owner: 'eve' });
    const { calls } = await asked('/things/7/change?owner=eve', 'operator', form);
    expect(calls[0]?.request).to.have.property('body').that.does.not.have.property('owner');
  });

  it('changes nothing if the form is sent as it is shown', async () => {
    const shown: { thing: Thing } = { thing: firstThing };
    const calls: Calls = [];
    const caller = { actor: 'admin:ada', role: 'operator' as const, orgId: null };
    const subjects = [thingsOf(() => shown.thing)];
    await withSite({ subjects, api: apiOf(calls), sessionOf: async () => ({ caller }) }, async (origin) => {
      const path = `${origin}/console/things/7/change`;
      const property = fc.asyncProperty(thing, async (given) => {
        shown.thing = given;
        const body = shownFields(await (await fetch(path)).text());
        await fetch(path, { method: 'POST', headers: { origin }, body, redirect: 'manual' });
        const sent = (calls.pop()?.request as { body: Thing } | undefined)?.body ?? {};
        expect(JSON.stringify(comparable(sent))).to.equal(JSON.stringify(comparable(given)));
      });
      await fc.assert(property, { numRuns: 100 });
    });
  });
});

const text = fc.string({ minLength: 1, maxLength: 40 }).map((each) => each.trim() || 'a');

const thing = fc.record({
  name: text,
  weight: fc.option(fc.integer({ min: 1, max: 9 })),
  kinds: fc.subarray(['large', 'small']),
  paths: fc.array(text, { maxLength: 4 }),
  shape: fc.jsonValue({ maxDepth: 2 }),
  until: fc.option(
    fc.date({ min: new Date(0), max: new Date('9000-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  isOpen: fc.boolean(),
});

/** Times as instants, and a shape of null as none. */
const comparable = ({ until, shape, ...others }: Thing) => ({
  ...Object.fromEntries(Object.entries(others).sort(([one], [other]) => one.localeCompare(other))),
  until: typeof until === 'string' ? Date.parse(until) : null,
  shape: shape ?? null,
});

/** The fields of a form as a browser sends them. */
function shownFields(html: string): URLSearchParams {
  const fields = new URLSearchParams();
  const unescaped = (escaped = '') =>
    escaped.replace(/&(quot|lt|gt|amp);/g, (_, name: string) => ({ quot: '"', lt: '<', gt: '>' })[name] ?? '&');
  const attribute = (tag: string, name: string) => unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]);
  const form = html.slice(html.indexOf('<main'));
  for (const [tag] of form.matchAll(/<input(?:"[^"]*"|[^">])*>/g))
    if (!tag.includes('type="checkbox"') || / checked[ />]/.test(tag))
      fields.append(attribute(tag, 'name'), attribute(tag, 'value'));
  for (const [, name = '', value] of form.matchAll(/<textarea name="(\w+)"(?:"[^"]*"|[^">])*>([^<]*)<\/textarea>/g))
    fields.append(name, unescaped(value));
  return fields;
}
