import { expect } from 'chai';
import { searchListenersRoute, showListenerRoute } from '../../../src/admin/api/contracts/listener-queries.js';
import { listenerPages } from '../../../src/console/pages/listeners/listener-list.js';
import { exampleAnswer } from '../../../src/http/api-description/examples.js';
import type { AnswerContract } from '../../../src/http/route-contract.js';
import type { SiteSettings } from '../../../src/site/site.js';
import { withSite } from '../../support/console/site-settings.js';
import { textOf } from '../../support/console/text-of.js';

const agent = {
  description: 'Agent: agent.example',
  subscriptionType: 'order.paid',
  expiresAt: '2026-02-03T04:05:06.000Z',
} as const;
const term = 'Agent: agent.example · order.paid · until 2026-02-03 04:05:06 UTC';

type Route = { answer: AnswerContract };

describe('the pages of a listener of an agent', () => {
  const pageOf = (path: string, fields: object, orgId: string | null) => {
    const call = async (route: Route) => {
      if (route === searchListenersRoute) {
        const example = exampleAnswer(searchListenersRoute.answer);
        return { ...example, items: example.items.map((item) => ({ ...item, ...fields })) };
      }
      const answer = exampleAnswer(route.answer) as object;
      return route === showListenerRoute ? { ...answer, ...fields } : answer;
    };
    const settings: Partial<SiteSettings> = {
      api: { call } as unknown as SiteSettings['api'],
      subjects: [listenerPages],
      sessionOf: async () => ({ caller: { actor: 'admin:ada', role: 'operator', orgId } }),
    };
    return withSite(settings, async (origin) => {
      const page = await (await fetch(`${origin}/console${path}`)).text();
      return { page, text: textOf(page).replaceAll(/\s+/g, ' ') };
    });
  };
  const path = `/listeners/${exampleAnswer(showListenerRoute.answer).listenerId}`;

  for (const [viewer, orgId] of [
    ['an operator', null],
    ['a customer', 'acme'],
  ] as const)
    it(`have its host, its type and its end, and a way to disconnect it, for ${viewer}`, async () => {
      expect((await pageOf('/listeners', agent, orgId)).text).to.include(term);
      const { page, text } = await pageOf(path, agent, orgId);
      expect(text).to.include(`${term} unless its host renews it`);
      expect(page).to.include(`${path}/unsubscribe`).and.to.include('Disconnect');
      expect(page).not.to.include(`${path}/rotate-secret`);
      const confirmation = await pageOf(`${path}/unsubscribe`, agent, orgId);
      expect(confirmation.text).to.include('Disconnect the agent?').and.not.to.include('Unsubscribe');
    });

  it('have no end for the listener of a platform, nor for one that has ended', async () => {
    expect((await pageOf('/listeners', {}, null)).text).not.to.include('· until');
    const { page, text } = await pageOf(path, {}, null);
    expect(text).not.to.include('unless its host renews it');
    expect(page).to.include(`${path}/rotate-secret`).and.not.to.include('Disconnect');
    expect((await pageOf('/listeners', { ...agent, status: 'ended' }, null)).text).not.to.include('· until');
    expect((await pageOf(path, { ...agent, state: 'ended' }, null)).text).not.to.include('unless its host renews it');
  });

  it('say in words why it has ended', async () => {
    for (const [endReason, words] of [
      ['expired', 'its host did not renew it'],
      ['operator', 'by an operator or a customer'],
    ])
      expect((await pageOf(path, { ...agent, state: 'ended', endReason }, null)).text).to.include(`(${words})`);
  });
});
