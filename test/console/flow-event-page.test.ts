import { expect } from 'chai';
import { explainFlowEventRoute } from '../../src/admin/api/contracts/explanation.js';
import { showFlowEventRoute } from '../../src/admin/api/contracts/flow-events.js';
import { flowEventPages } from '../../src/console/pages/flow-events/flow-events.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import type { SiteSettings } from '../../src/site/site.js';
import { withSite } from '../support/console/site-settings.js';
import { textOf } from '../support/console/text-of.js';

const [explained] = exampleAnswer(explainFlowEventRoute.answer).items;
const [delivery] = explained?.deliveries ?? [];

/** An organisation with this many listeners: the last ones have the outcomes, the others got the event. Pages have at most 40. */
async function pageOf(listeners: number, last: readonly string[], path: string): Promise<string> {
  const outcomeOf = (index: number) => last[index - (listeners - last.length)] ?? 'delivered';
  const all = Array.from({ length: listeners }, (_, index) => ({
    ...explained,
    listenerId: `listener-${index}`,
    hookUrl: `https://host-${index}.example.com/…`,
    outcome: outcomeOf(index),
    deliveries: outcomeOf(index) === 'type-mismatch' ? [] : [delivery],
  }));
  const call = async (route: unknown, request: { body?: { limit: number; after?: string } }) => {
    if (route === showFlowEventRoute) return exampleAnswer(showFlowEventRoute.answer);
    if (route !== explainFlowEventRoute) return { items: [], next: null };
    const { limit = 0, after = '0' } = request.body ?? {};
    const end = Number(after) + Math.min(limit, 40);
    const next = end < all.length ? String(end) : null;
    return { event: exampleAnswer(explainFlowEventRoute.answer).event, items: all.slice(Number(after), end), next };
  };
  const settings: Partial<SiteSettings> = {
    api: { call } as unknown as SiteSettings['api'],
    subjects: [flowEventPages],
    sessionOf: async () => ({ caller: { actor: 'console:ada', role: 'operator', orgId: 'acme' } }),
  };
  return withSite(settings, async (origin) => (await fetch(`${origin}/console/flow-events/${path}`)).text());
}

describe('the page of a flow event', () => {
  it('counts all listeners, and shows failures first, however many listeners were registered before', async () => {
    const html = await pageOf(130, ['dead-letter', 'held', 'type-mismatch'], 'show?id=order-1');
    const text = textOf(html);
    expect(text).to.include('Dead letter: 1 Held: 1 Delivered: 127 Another type: 1');
    expect(text.indexOf('host-127')).to.be.within(1, text.indexOf('host-128') - 1);
    expect(text.indexOf('host-128')).to.be.below(text.indexOf('host-0.'));
    expect(text).to.include('48 of 127 that got it');
    const [, next = ''] = /href="\/console\/flow-events\/(show\?[^"]*)" rel="next"/.exec(html) ?? [];
    const second = textOf(await pageOf(130, ['dead-letter', 'held', 'type-mismatch'], next.replaceAll('&amp;', '&')));
    expect(second).to.include('Dead letter: 1 Held: 1 Delivered: 127').and.not.to.include('host-127');
    expect(second).to.include('host-48.').and.include('host-97.').and.not.include('host-98.');
  });

  it('says that it counts the first thousand alone', async () => {
    expect(textOf(await pageOf(1_001, [], 'show?id=order-1'))).to.include('the first 1,000 listeners');
    expect(textOf(await pageOf(1_000, [], 'show?id=order-1'))).not.to.include('the first 1,000 listeners');
  });

  it('asks with the number of listeners before it sends the event to all again', async () => {
    const text = textOf(await pageOf(45, ['dead-letter', 'type-mismatch'], 'redeliver?id=order-1'));
    expect(text).to.include('44 listeners have a delivery of it and get it again');
  });
});
