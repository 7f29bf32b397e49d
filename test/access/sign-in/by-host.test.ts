import { expect } from 'chai';
import { byHost, withQuery } from '../../../src/access/sign-in/routes.js';

describe('the login URL of a host', () => {
  const find = byHost({
    'app.example.com': 'exact',
    'app.example.com:8443': 'exact with port',
    '*.example.com': 'below',
    '*.eu.example.com': 'below eu',
    '[::1]': 'loopback',
    '*': 'any',
  });

  it('is the one of the exact host, first with the port, then without', () => {
    expect(find('app.example.com')).to.equal('exact');
    expect(find('app.example.com:8443')).to.equal('exact with port');
    expect(find('app.example.com:443')).to.equal('exact');
    expect(find('[::1]:3000')).to.equal('loopback');
  });

  it('does not depend on case or a dot at the end', () => {
    expect(find('APP.Example.COM')).to.equal('exact');
    expect(find('app.example.com.')).to.equal('exact');
    expect(byHost({ 'App.Example.com': 'x' })('app.example.COM')).to.equal('x');
  });

  it('is the one of the longest matching wildcard', () => {
    expect(find('a.example.com')).to.equal('below');
    expect(find('a.b.example.com:1')).to.equal('below');
    expect(find('a.eu.example.com')).to.equal('below eu');
  });

  it('falls back to the one for any host', () => {
    expect(find('example.com')).to.equal('any');
    expect(find('notexample.com')).to.equal('any');
    expect(find('')).to.equal('any');
  });

  it('is undefined if nothing matches', () => {
    expect(byHost({ '*.example.com': 'x' })('example.org')).to.equal(undefined);
    expect(byHost({})('constructor')).to.equal(undefined);
  });
});

describe('a query added to a URL', () => {
  const cases = [
    ['https://l.example/', 'a=1', 'https://l.example/?a=1'],
    ['https://l.example/', '', 'https://l.example/'],
    ['https://l.example/?x=1', 'a=1', 'https://l.example/?x=1&a=1'],
    ['https://l.example/?x=1', '', 'https://l.example/?x=1'],
    ['https://l.example/?', 'a=1', 'https://l.example/?a=1'],
    ['https://l.example/?x=1&', 'a=1', 'https://l.example/?x=1&a=1'],
    ['https://l.example/#/login?tab=1', 'a=1', 'https://l.example/?a=1#/login?tab=1'],
    ['https://l.example/?x=1#f', 'a=1&a=2&b=&c&%20=%e2', 'https://l.example/?x=1&a=1&a=2&b=&c&%20=%e2#f'],
    ['https://l.example/', '?a=??', 'https://l.example/??a=??'],
  ] as const;
  for (const [url, query, expected] of cases) {
    it(`turns ${url} and '${query}' into ${expected}`, () => {
      expect(withQuery(url, query)).to.equal(expected);
    });
  }
});
