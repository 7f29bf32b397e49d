import { expect } from 'chai';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { maxHookUrlLength, normalisedHookUrl } from '../../src/listeners/hook-url.js';
import { listenerStream } from '../../src/listeners/listener.js';

describe('a hook URL', () => {
  const forms: [string, string, string][] = [
    ['drops the fragment', 'https://a.example/hook#part', 'https://a.example/hook'],
    ['drops an empty fragment', 'https://a.example/hook#', 'https://a.example/hook'],
    ['keeps the query unchanged', 'https://a.example/?b=2&a=1&a=&c', 'https://a.example/?b=2&a=1&a=&c'],
    ['keeps an empty query', 'https://a.example/hook?', 'https://a.example/hook?'],
    ['keeps a slash at the end', 'https://a.example/hook/', 'https://a.example/hook/'],
    ['writes scheme and host in lower case', 'HTTPS://A.Example/Listener', 'https://a.example/Listener'],
    ['leaves out the default port', 'https://a.example:443/', 'https://a.example/'],
    ['keeps another port', 'http://a.example:8080/', 'http://a.example:8080/'],
    ['resolves dots in the path', 'https://a.example/x/../hook', 'https://a.example/hook'],
    ['encodes characters that are not ASCII', 'https://bücher.example/é', 'https://xn--bcher-kva.example/%C3%A9'],
  ];
  for (const [behaviour, given, normalised] of forms) {
    it(behaviour, () => expect(normalisedHookUrl(given)).to.equal(normalised));
  }

  it('is not changed by normalising it again', () => {
    for (const [, given] of forms)
      expect(normalisedHookUrl(normalisedHookUrl(given))).to.equal(normalisedHookUrl(given));
  });

  const refused: [string, string, RegExp][] = [
    ['is not absolute', '/hook', /absolute/],
    ['is empty', '', /absolute/],
    ['is not http', 'ftp://a.example/', /http or https/],
    ['is a script', 'javascript:alert(1)', /http or https/],
    ['has a user name', 'https://user@a.example/', /user name/],
    ['has a password', 'https://:secret@a.example/', /password/],
    ['is too long', `https://a.example/${'x'.repeat(maxHookUrlLength)}`, /2048/],
    ['is too long once encoded', `https://a.example/${'é'.repeat(400)}`, /2048/],
  ];
  for (const [problem, given, message] of refused) {
    it(`is refused if it ${problem}`, () => expect(() => normalisedHookUrl(given)).to.throw(InvalidRequest, message));
  }

  it('may be as long as the limit', () => {
    const longest = `https://a.example/${'x'.repeat(maxHookUrlLength - 'https://a.example/'.length)}`;
    expect(normalisedHookUrl(longest)).to.equal(longest);
  });
});

describe("a listener's stream", () => {
  it('has a permanent name', () =>
    expect(listenerStream('org-1', 'https://a.example/hook')).to.equal(
      'listener-c864f338-afbd-50a5-8a3f-5fc973b6c1b5',
    ));

  it('differs for another organisation or listener, also if their concatenations are equal', () => {
    const streams = [
      listenerStream('a', 'https://a.example/'),
      listenerStream('b', 'https://a.example/'),
      listenerStream('a', 'https://a.example/b'),
      listenerStream('a","b', 'c'),
      listenerStream('a', 'b","c'),
    ];
    expect(new Set(streams).size).to.equal(streams.length);
  });
});
