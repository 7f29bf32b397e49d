import { expect } from 'chai';
import { livePage } from '../../../src/site/derived/live-page.js';
import { withSite } from '../../support/console/site-settings.js';
import { textOf } from '../../support/console/text-of.js';

describe('a page with live parts', () => {
  const parts = async () => ({
    actions: <i>press here</i>,
    first: <p>one</p>,
    second: <p>two</p>,
  });
  const mainOf = (shows: Parameters<typeof livePage>[2]['shows']) =>
    withSite(
      { subjects: [(site) => livePage(site, '/greet/all', { everyMs: 60_000, parts, shows })] },
      async (origin) => {
        const html = await (await fetch(`${origin}/console/greet/all`)).text();
        return { html, text: textOf(html).replaceAll(/\s+/g, ' ') };
      },
    );

  it('has its actions beside the title, then the parts in their order, then the rest', async () => {
    const { html, text } = await mainOf(() => ({ title: 'Greetings of all', below: <p>three</p> }));
    expect(text).to.match(/Greetings of all .*press here .*one two three/);
    expect(html).to.match(/id="page-actions"[^>]*><div id="live-actions"/);
    expect(html.match(/id="live-\w+"/g)).to.deep.equal(['id="live-actions"', 'id="live-first"', 'id="live-second"']);
  });

  it('may have the parts in another order, between other content', async () => {
    const { text } = await mainOf((_, part) => ({
      title: 'Greetings',
      content: (
        <>
          {part('second')}
          <p>between</p>
          {part('first')}
        </>
      ),
    }));
    expect(text).to.include('two between one');
  });
});
