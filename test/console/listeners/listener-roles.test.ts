import { expect } from 'chai';
import { showListenerRoute } from '../../../src/admin/api/contracts/listener-queries.js';
import type { AdminApi } from '../../../src/admin/api/routing/admin-api.js';
import { listenerPages } from '../../../src/console/pages/listeners/listener-list.js';
import { exampleAnswer } from '../../../src/http/api-description/examples.js';
import type { AnswerContract } from '../../../src/http/route-contract.js';
import { withSite } from '../../support/console/site-settings.js';

/** Answers each route with its example. */
const examples = {
  call: async (route: { answer: AnswerContract }) => exampleAnswer(route.answer),
} as unknown as AdminApi;

const path = `/console/listeners/${exampleAnswer(showListenerRoute.answer).listenerId}`;
const actions = ['pause', 'test', 'options', 'rotate-secret', 'replay', 'unsubscribe'];

const pagesFor = (role: 'viewer' | 'operator', orgId: string | null) =>
  withSite(
    { api: examples, subjects: [listenerPages], sessionOf: async () => ({ caller: { actor: 'a', role, orgId } }) },
    async (origin) => ({
      list: await (await fetch(`${origin}/console/listeners`)).text(),
      listener: await (await fetch(`${origin}${path}`)).text(),
    }),
  );

describe('the pages of listeners', () => {
  it('show an operator the actions of a listener, and a viewer none', async () => {
    const [operator, viewer] = [await pagesFor('operator', null), await pagesFor('viewer', null)];
    for (const action of actions) {
      expect(operator.listener).to.include(`${path}/${action}"`);
      expect(viewer.listener).not.to.include(`${path}/${action}"`);
    }
    expect(viewer.listener).to.include('Timeline').and.include('At an instant');
  });

  it('show a customer its own organisation only, without a choice', async () => {
    const [operator, customer] = [await pagesFor('operator', null), await pagesFor('operator', 'acme')];
    for (const each of ['name="orgId"', 'data-head="Organisation"', '/console/organisations/']) {
      expect(operator.list).to.include(each);
      expect(customer.list).not.to.include(each);
    }
    expect(customer.listener).to.include(`${path}/pause"`).and.not.to.include('/console/organisations/');
  });
});
