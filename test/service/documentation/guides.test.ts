import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { guideRoutes } from '../../../src/service/documentation/guides.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';

const file = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

describe('the documents for agents', () => {
  let served: Served;
  before(async () => {
    served = await serveRoutes(guideRoutes());
  });
  after(() => served.close());

  const get = async (path: string) => {
    const answer = await fetch(`${served.origin}${path}`);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };

  it('begin with /llms.txt in the form of llmstxt.org: a title, a summary, and sections of links', async () => {
    const { status, type, text } = await get('/llms.txt');
    expect([status, type, text]).to.eql([200, 'text/plain; charset=utf-8', file('llms.txt')]);
    expect(text).to.match(/^# Flow Hooks\n\n> [^\n]/);
    const sections = text.split(/^## .*\n/m).slice(1);
    expect(sections).to.have.length.above(2);
    for (const section of sections)
      for (const line of section.trim().split('\n')) expect(line).to.match(/^- \[[^\]]+\]\([^)]+\): \S/);
  });

  it('are those that it links to, at the same addresses, as Markdown', async () => {
    const links = [...file('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    expect(links).to.include('docs/agents.md');
    for (const path of links)
      expect(await get(`/${path}`), path).to.eql({
        status: 200,
        type: 'text/markdown; charset=utf-8',
        text: file(path),
      });
  });

  for (const path of ['/docs/..%2Fpackage.json', '/docs/decisions', '/docs/none.md', '/docs/%00.md'])
    it(`are no other files: ${path}`, async () => expect((await get(path)).status).to.equal(404));
});
