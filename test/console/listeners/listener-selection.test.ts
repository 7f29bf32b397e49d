import { expect } from 'chai';
import { searchListenersRoute } from '../../../src/admin/api/contracts/listener-queries.js';
import { pauseListenerRoute } from '../../../src/admin/api/contracts/listeners.js';
import { listenerPages } from '../../../src/console/pages/listeners/listener-list.js';
import { exampleAnswer } from '../../../src/http/api-description/examples.js';
import { NotFound } from '../../../src/http/errors.js';
import type { SiteSettings } from '../../../src/site/site.js';
import { withSite } from '../../support/console/site-settings.js';
import { textOf } from '../../support/console/text-of.js';

/** Pauses all listeners but `removed`. */
const call = async (route: unknown, request: { params?: { listenerId: string } }) => {
  if (route === searchListenersRoute) return exampleAnswer(searchListenersRoute.answer);
  if (route === pauseListenerRoute && request.params?.listenerId === 'removed') throw new NotFound('it is removed');
  return exampleAnswer(pauseListenerRoute.answer);
};
const settings: Partial<SiteSettings> = {
  api: { call } as unknown as SiteSettings['api'],
  subjects: [listenerPages],
  sessionOf: async () => ({ caller: { actor: 'admin:ada', role: 'operator', orgId: null } }),
};

/** Sends the form of the list, and follows it. */
const send = (fields: readonly (readonly [string, string])[]) =>
  withSite(settings, async (origin) => {
    const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
    const answer = await fetch(`${origin}/console/listeners?orgId=acme`, { method: 'POST', headers: { origin }, body });
    return { status: answer.status, text: textOf(await answer.text()) };
  });

describe('an action on selected listeners', () => {
  it('says that nothing is selected, above the list', async () => {
    const { status, text } = await send([['change', 'pause']]);
    expect(status).to.equal(400);
    expect(text).to.include('Nothing is selected: select listeners first.').and.include('Pause selected');
  });

  it('states how many listeners it changed, and how many had been removed', async () => {
    const ids = ['one', 'two', 'removed'].map((id) => ['ids', id] as const);
    const { text } = await send([['change', 'pause'], ...ids]);
    expect(text).to.include('2 listeners are paused. 1 listener of the selection had been removed.');
    expect(
      (
        await send([
          ['change', 'pause'],
          ['ids', 'one'],
        ])
      ).text,
    ).to.include('1 listener is paused.');
  });
});
