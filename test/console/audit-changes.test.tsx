import { expect } from 'chai';
import { renderToString } from 'preact-render-to-string';
import { Changes } from '../../src/console/pages/audit/changes.js';
import { textOf } from '../support/console/text-of.js';

type Facts = Readonly<Record<string, unknown>>;

/** The HTML of each change. */
const shown = (before: Facts | null, after: Facts): readonly string[] =>
  [...renderToString(<Changes before={before} after={after} />).matchAll(/<li>(.*?)<\/li>/g)].map(
    ([, item = '']) => item,
  );
const wordsOf = (item: string): string =>
  textOf(item)
    .replaceAll(/ ([:;,])/g, '$1')
    .trim();
const texts = (before: Facts | null, after: Facts) => shown(before, after).map(wordsOf);

describe('the changes in the history and in a difference', () => {
  it('name the fields of a subscription, and say their values, as the page of the listener does', () => {
    const before = { ordered: false, ratePerSecond: null, filter: null, transform: '{"id": id}' };
    const after = { ordered: true, ratePerSecond: 5, filter: { 'data.total': { $gt: 40 } }, transform: null };
    expect(texts(before, after)).to.deep.equal([
      'Order: Several at a time → One at a time, in order',
      'Rate: At most 5 a second',
      'Filter: {"data.total":{"$gt":40}}',
      'Transformation: {"id": id} → none',
    ]);
    expect(shown(before, after).filter((item) => item.includes('<code>'))).to.have.lengthOf(2);
  });

  it('say how long a listener has failed', () => {
    const failing = { since: '2026-01-31T12:00:00.000Z', failures: 12, percent: 50 };
    const said = 'Failing: 12 failed attempts since 2026-01-31 12:00:00 UTC: 50 % of the way to a pause';
    expect(texts({ failing: null }, { failing })).to.deep.equal([said]);
    expect(texts({ failing }, { failing: null })).to.deep.equal([`${said} → none`]);
  });

  it('have times that browsers show in the zone of the viewer, and objects in words', () => {
    const after = {
      userId: 'ada',
      redirectUris: ['https://a.example', 'https://b.example'],
      secrets: [{ createdAt: '2026-01-31T12:00:00.000Z', until: null }],
      retired: { masterKeys: [], signingKeys: [] },
    };
    const items = shown(null, after);
    expect(items.map(wordsOf)).to.deep.equal([
      'User: ada',
      'Redirect URIs: https://a.example, https://b.example',
      'Secrets: Created at 2026-01-31 12:00:00 UTC',
    ]);
    expect(items[2]).to.include('<time datetime="2026-01-31T12:00:00.000Z"');
  });

  it('say of each object in a list what belongs to it, and show keys that are no fields as they are', () => {
    const thumbprint = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
    const secrets = [{ createdAt: '2026-01-31T12:00:00.000Z' }, { createdAt: '2026-02-01T12:00:00.000Z', uses: 1_200 }];
    const after = { secrets, signsFrom: { [thumbprint]: '2026-01-31T12:00:00.000Z' } };
    expect(texts(null, after)).to.deep.equal([
      'Secrets: Created at 2026-01-31 12:00:00 UTC; Created at 2026-02-01 12:00:00 UTC, Uses 1,200',
      `Signs from: ${thumbprint} 2026-01-31 12:00:00 UTC`,
    ]);
  });

  it('show a filter for what is null, and a schema that permits everything', () => {
    expect(texts(null, { filter: { 'data.cancelledAt': null }, transform: null, schema: {} })).to.deep.equal([
      'Filter: {"data.cancelledAt":null}',
      'Schema: {}',
    ]);
  });

  it('show the schema of an event type as it is, cut off if it is long', () => {
    const schema = { properties: { ['a'.repeat(300)]: { type: 'null' } } };
    expect(texts(null, { schema: { type: 'object' } })).to.deep.equal(['Schema: {"type":"object"}']);
    expect(shown(null, { schema })[0]).to.match(/<summary><code>[^<]{200,}…<\/code><\/summary>/);
  });
});
