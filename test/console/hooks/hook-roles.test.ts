import { expect } from 'chai';
import { hookPages } from '../../../src/console/pages/hooks/hooks.js';
import { hookDetailExample } from '../../../src/operations/api/answers/hook-detail.js';
import type { AdminApi } from '../../../src/operations/api/routing/admin-api.js';
import { withSite } from '../../support/console/site-settings.js';

/** Answers each route with its example. */
const examples = {
  call: async (route: { answer: { example: unknown } }) => route.answer.example,
} as unknown as AdminApi;

const path = `/console/hooks/${hookDetailExample.listenerId}`;
const actions = ['pause', 'test', 'options', 'rotate-secret', 'replay', 'unsubscribe'];

const pagesFor = (role: 'viewer' | 'operator', orgId: string | null) =>
  withSite(
    { api: examples, subjects: [hookPages], sessionOf: async () => ({ caller: { actor: 'a', role, orgId } }) },
    async (origin) => ({
      list: await (await fetch(`${origin}/console/hooks`)).text(),
      hook: await (await fetch(`${origin}${path}`)).text(),
    }),
  );

describe('the pages of hooks', () => {
  it('show an operator the actions of a hook, and a viewer none', async () => {
    const [operator, viewer] = [await pagesFor('operator', null), await pagesFor('viewer', null)];
    for (const action of actions) {
      expect(operator.hook).to.include(`${path}/${action}"`);
      expect(viewer.hook).not.to.include(`${path}/${action}"`);
    }
    expect(viewer.hook).to.include('Timeline').and.include('At an instant');
  });

  it('show a customer its own organisation only, without a choice', async () => {
    const [operator, customer] = [await pagesFor('operator', null), await pagesFor('operator', 'acme')];
    for (const each of ['name="orgId"', 'data-head="Organisation"', '/console/organisations/']) {
      expect(operator.list).to.include(each);
      expect(customer.list).not.to.include(each);
    }
    expect(customer.hook).to.include(`${path}/pause"`).and.not.to.include('/console/organisations/');
  });
});
