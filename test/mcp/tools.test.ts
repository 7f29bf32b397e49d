import { expect } from 'chai';
import fc from 'fast-check';
import type { Caller } from '../../src/admin/api/routing/admin-route.js';
import { callerOf } from '../../src/admin/api/routing/admin-router.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import type { RequestState } from '../../src/http/context.js';
import { shownAnswer } from '../../src/mcp/shown-answer.js';
import { annotationsOf, inputOf, requestOf, toolsOf } from '../../src/mcp/tools.js';

const request = { requestId: 'r-1', traceparent: undefined } as RequestState; // no more of it is read
const admin = (role: 'viewer' | 'operator' | 'owner'): Caller => callerOf({ actor: 'admin:ops', role }, request);
const member = (...scopes: ('listeners' | 'flows:publish')[]): Caller =>
  callerOf({ actor: 'user:42', member: { orgId: 'acme', scopes } }, request);
const apiKey = (...scopes: ('flows:read' | 'listeners:read' | 'deliveries:read')[]): Caller =>
  callerOf({ actor: 'api-key:1', apiKey: { apiKeyId: '1', orgId: 'acme', scopes } }, request);

const namesOf = (caller: Caller) => toolsOf(caller).map(({ name }) => name);
const changing = (caller: Caller) =>
  toolsOf(caller).flatMap(({ name, effect }) => (effect === undefined ? [] : [name]));

describe('the tools of agents', () => {
  it('change nothing for viewers, for members of an organisation and for API keys', () => {
    expect(changing(admin('viewer'))).to.eql([]);
    expect(changing(member('listeners'))).to.eql([]);
    expect(changing(apiKey('flows:read', 'listeners:read', 'deliveries:read'))).to.eql([]);
  });

  it('publish for members whose token has the scope, and change listeners for operators', () => {
    expect(changing(member('listeners', 'flows:publish'))).to.eql(['publish_event']);
    expect(changing(admin('operator'))).to.include.members(['publish_event', 'redeliver', 'pause_listener']);
  });

  it('are those of the scopes of an API key', () =>
    expect(namesOf(apiKey('flows:read'))).to.eql([
      'try_subscription',
      'find_events',
      'get_event',
      'read_events',
      'explain_event',
    ]));

  it('about the whole service, and the history, are for operators alone', () => {
    const forAll = ['audit_history', 'difference', 'listeners_in_trouble', 'get_backlog', 'list_event_types'];
    expect(namesOf(admin('viewer'))).to.include.members(forAll);
    expect(namesOf(member('listeners'))).not.to.include.oneOf(forAll);
  });

  it('take no hook URL, and call no route that answers secrets, makes keys or erases', () => {
    for (const tool of toolsOf(admin('owner'))) {
      expect(Object.keys(inputOf(tool, undefined).shape), tool.name).not.to.include('hookUrl');
      expect(JSON.stringify(exampleAnswer(tool.route.answer)), tool.name).not.to.match(
        /whsec_|fhk_|"signingSecret"|"key"/,
      );
      expect(tool.route.path, tool.name).not.to.match(/erase|api-keys|clients|portal|sessions|secret/);
    }
  });

  it('say in their annotations whether they change or remove something', () => {
    for (const tool of toolsOf(admin('owner'))) {
      const { readOnlyHint, destructiveHint } = annotationsOf(tool);
      expect(readOnlyHint, tool.name).to.equal(tool.route.access.role === 'viewer');
      expect(destructiveHint, tool.name).to.equal(['cancel_replay', 'unsubscribe_listener'].includes(tool.name));
    }
  });

  it('fill in the organisation of their caller, and name fields of paths and queries as texts', () => {
    const tool = toolsOf(member('listeners')).find(({ name }) => name === 'get_event');
    if (!tool) throw new Error('there is no such tool');
    expect(Object.keys(inputOf(tool, 'acme').shape)).to.eql(['eventId']);
    expect(requestOf(tool, { eventId: '7' }, 'acme')).to.eql({
      params: { eventId: '7' },
      query: { orgId: 'acme' },
      body: {},
    });
  });
});

describe('an answer to an agent', () => {
  const aUrl = fc.tuple(
    fc.constantFrom('https', 'http'),
    fc.string({ unit: fc.constantFrom(...'abc'), minLength: 12, maxLength: 20 }),
  );

  it('has only the origins of hook URLs, also within other texts', () =>
    fc.assert(
      fc.property(fc.array(aUrl, { minLength: 1, maxLength: 4 }), (urls) => {
        const hookUrls = urls.map(([scheme, path]) => `${scheme}://hooks.example.com/${path}`);
        const items = hookUrls.map((hookUrl) => ({
          hookUrl,
          message: `${hookUrl} answered 500`,
          nested: [{ url: hookUrl }],
        }));
        const text = JSON.stringify(shownAnswer({ items }));
        for (const [, path] of urls) expect(text).not.to.contain(path);
        expect(text).to.contain('hooks.example.com/…');
      }),
    ));

  it('keeps payloads as they are, digit for digit', () => {
    const data = JSON.parse('{"hookUrl":"https://shop.example.com/o/1","n":1}') as object;
    const answer = { event: { data: { ...data, big: JSON.rawJSON('9007199254740993') } } };
    expect(JSON.stringify(shownAnswer(answer))).to.equal(JSON.stringify(answer));
  });
});
