import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { defaultFailingPolicy } from '../../../src/listeners/commands/failing-listener.js';
import { defaultRetryPolicy } from '../../../src/queue/policy/retry-policy.js';
import { readConfig } from '../../../src/service/config/config.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { problemsOf, production } from './problems-of.js';

describe('reading the configuration', () => {
  it('needs nothing in development mode and listens on loopback', () => {
    const { mode, http } = readConfig({});
    expect(mode).to.equal('development');
    expect(http).to.include({ host: '127.0.0.1', port: 3000, hooksPrefix: '/api/hooks' });
  });

  it('reads an egress proxy with its exceptions, for deliveries and providers, and prints no password of it', () => {
    const url = 'http://ada:secret@proxy.example:3128/';
    const { egress, deliveries } = readConfig({ EGRESS_PROXY: url, EGRESS_PROXY_EXCEPT: '*.corp.example, 10.0.0.1' });
    expect(egress).to.eql({ url, except: ['*.corp.example', '10.0.0.1/32'], resolvesNames: false });
    expect(deliveries.targets.egress).to.eql(egress);
    expect(readConfig({}).egress).to.equal(undefined);
    expect(problemsOf({ EGRESS_PROXY_EXCEPT: 'a.example' })).to.eql(['EGRESS_PROXY_EXCEPT needs EGRESS_PROXY']);
    for (const wrong of [
      'proxy:3128',
      'socks5://ada:secret@proxy',
      'http://ada:secret@proxy/path',
      'http://a:%zz@proxy',
    ]) {
      const problems = problemsOf({ EGRESS_PROXY: wrong });
      expect(problems, wrong).to.have.length(1);
      expect(problems[0])
        .to.match(/^EGRESS_PROXY must /)
        .and.not.include('ada:secret@proxy/');
    }
    expect(problemsOf({ EGRESS_PROXY: url, EGRESS_PROXY_EXCEPT: 'a b' })[0]).to.match(/^EGRESS_PROXY_EXCEPT must /);
  });

  it('limits connections only where that is set', () => {
    expect(readConfig({}).http.maxConnections).to.equal(undefined);
    expect(readConfig({ MAX_CONNECTIONS: '500' }).http.maxConnections).to.equal(500);
  });

  it('has no limits in development mode, and limits in production that can be changed and switched off', () => {
    const off = { failures: undefined, address: undefined, client: undefined, apiKey: undefined };
    const developed = readConfig({});
    expect(developed.limits).to.deep.equal({ ...off, organisation: undefined, changes: undefined, events: undefined });
    expect(developed.listeners.maxListeners).to.equal(undefined);
    const { limits, listeners } = readConfig({
      ...production,
      RATE_LIMIT_EVENTS: '7/2m',
      RATE_LIMIT_CLIENT: 'off',
      UNSAFE: 'RATE_LIMIT_CLIENT',
    });
    expect(limits.events).to.deep.equal({ count: 7, windowMs: 120_000 });
    expect(limits.failures).to.deep.equal({ count: 100, windowMs: 60_000 });
    expect(limits.changes).to.deep.equal({ count: 60, windowMs: 60_000 });
    expect(limits.client).to.equal(undefined);
    expect(listeners.maxListeners).to.equal(10_000);
    expect(
      readConfig({ ...production, MAX_LISTENERS: 'off', UNSAFE: 'MAX_LISTENERS' }).listeners.maxListeners,
    ).to.equal(undefined);
    expect(readConfig({ MAX_LISTENERS: '5' }).listeners.maxListeners).to.equal(5);
  });

  it('treats an empty value as not set', () => {
    expect(readConfig({ PORT: ' ' }).http.port).to.equal(3000);
  });

  const wrong: [name: string, value: string, says: RegExp][] = [
    ['MODE', 'prod', /MODE must be development or production, but is 'prod'/],
    ['PORT', 'http', /PORT must be a whole number from 0 to 65535/],
    ['PORT', '70000', /PORT must be a whole number from 0 to 65535/],
    ['HOST', '0.0.0.0', /HOST is '0.0.0.0', and development mode listens on loopback only/],
    ['HOOKS_PREFIX', 'api', /HOOKS_PREFIX must be a path such as \/api\/hooks/],
    ['HOOKS_PREFIX', '/api/../hooks', /HOOKS_PREFIX must be a path such as \/api\/hooks/],
    ['PUBLIC_URL', 'ftp://x', /PUBLIC_URL must be an http or https URL/],
    ['LOGIN_URLS', 'https://x', /LOGIN_URLS must be a JSON object/],
    ['LOGIN_URLS', '{}', /LOGIN_URLS must name at least one/],
    ['LOGIN_URLS', '{"*":"ftp://x"}', /^LOGIN_URLS must have an http or https URL for \*, but has 'ftp:\/\/x'$/],
    [
      'LOGIN_URLS',
      '{"h.example":"https://ada:secret@x"}',
      /^LOGIN_URLS must have no user name and no password in the URL for h\.example$/,
    ],
    ['LOGIN_ISSUER', 'https://x', /LOGIN_JWKS is needed where LOGIN_ISSUER is set/],
    [
      'TRUSTED_ISSUERS',
      '[{"issuer":"x","jwks":"https://ada:secret@x"}]',
      /^TRUSTED_ISSUERS must have no user name and no password in it$/,
    ],
    ['LOGIN_JWKS', 'https://x', /LOGIN_ISSUER is needed where LOGIN_JWKS is set/],
    ['TRUSTED_PROXIES', 'proxy.example.com', /TRUSTED_PROXIES must be CIDR ranges/],
    ['TRUSTED_PROXIES', '010.0.0.1', /TRUSTED_PROXIES must be CIDR ranges .*, but holds '010.0.0.1'/],
    ['TRUSTED_PROXIES', '10/8', /TRUSTED_PROXIES must be CIDR ranges/],
    ['TRUSTED_GATEWAYS', '10.0.0.0/99', /TRUSTED_GATEWAYS must be CIDR ranges/],
    ['REFRESH_GRACE', 'soon', /REFRESH_GRACE must be a duration from 0s to 1h, such as 2m, but is 'soon'/],
    ['REFRESH_GRACE', '1d', /REFRESH_GRACE must be a duration from 0s to 1h/],
    ['REFRESH_IDLE', '0', /REFRESH_IDLE must be a duration from 1s to 3650d, such as 90d/],
    ['SESSION_LIFETIME', '9999999999d', /SESSION_LIFETIME must be a duration from 1s to 3650d, such as 365d/],
    ['ACCESS_TOKEN_TTL', '999ms', /ACCESS_TOKEN_TTL must be a duration from 1s to 30d, such as 1h, but is '999ms'/],
    ['STOP_TIMEOUT', '25d', /STOP_TIMEOUT must be a duration from 0s to 1h, such as 20s/],
    ['ADMIN_KEYS', 'ops', /ADMIN_KEYS must be name:key pairs or .* file .*, but the file given does not exist/],
    ['ADMIN_KEYS', ':a-key-without-a-name', /ADMIN_KEYS must be name:key or name:role:key/],
    ['ADMIN_KEYS', 'ops:admin:a-key-of-some-length', /ADMIN_KEYS must name a role of viewer, operator, owner for ops/],
    ['ADMIN_KEYS', 'ops:viewer:short', /ADMIN_KEYS must hold keys of at least 16 characters/],
    ['ADMIN_KEYS', 'ops:a-key-of-some-length,ops:viewer:another-key-of-some-length', /ADMIN_KEYS names ops twice/],
    ['ADMIN_KEYS', 'viewer:a-key-of-some-length', /ADMIN_KEYS must name the holder of the key before the role/],
    ['PORTAL_ORIGINS', 'https://a;script-src', /PORTAL_ORIGINS must be origins such as/],
    ['PORTAL_ORIGINS', "https://*.a'b.example", /PORTAL_ORIGINS must be origins such as/],
    ['ADMIN_KEY', 'short', /ADMIN_KEY must hold keys of at least 16 characters/],
    ['ADMIN_KEY', 'correct horse battery staple', /ADMIN_KEY must hold keys without blanks/],
    ['ADMIN_KEY', 'two-lines-\nof-a-key-of-some-length', /ADMIN_KEY must hold keys without blanks/],
    ['ADMIN_KEYS', 'ops:two-lines-\nof-a-key-of-some-length', /ADMIN_KEYS must hold keys without blanks/],
    ['ADMIN_KEYS', 'ops:correct horse battery', /ADMIN_KEYS must hold keys without blanks/],
    [
      'RATE_LIMIT_EVENTS',
      '100',
      /RATE_LIMIT_EVENTS must be a number and a duration from 1s to 1d, such as 100\/1m, or off/,
    ],
    ['RATE_LIMIT_EVENTS', '100/1 m', /RATE_LIMIT_EVENTS must be a number and a duration/],
    ['RATE_LIMIT_FAILURES', '0/1m', /RATE_LIMIT_FAILURES must be a number and a duration/],
    ['RATE_LIMIT_ADDRESS', '5/2d', /RATE_LIMIT_ADDRESS must be a number and a duration/],
    ['MAX_LISTENERS', '0', /MAX_LISTENERS must be a whole number from 1 to 1000000, or off, but is '0'/],
    ['SUBSCRIPTION_TYPES', 'a,,b', /SUBSCRIPTION_TYPES must be types separated by commas/],
    ['MAX_CONNECTIONS', '0', /MAX_CONNECTIONS must be a whole number from 1 to 1000000, but is '0'/],
    ['HOST_CONNECTIONS', '0', /HOST_CONNECTIONS must be a whole number from 1 to 10000/],
    ['LISTENER_RATE_LIMIT', '-1', /LISTENER_RATE_LIMIT must be a number a second from 0.01 to 100000, but is '-1'/],
    [
      'RETRY_SCHEDULE',
      '5s,soon',
      /RETRY_SCHEDULE must be up to 50 delays of at most 30d each, such as 5s,5m,2h, but is/,
    ],
    ['RETRY_SCHEDULE', '31d', /RETRY_SCHEDULE must be up to 50 delays/],
    ['PUBLISH_MEMORY', '0', /PUBLISH_MEMORY must be a duration from 1s to 3650d, such as 90d, but is '0'/],
    [
      'PUBLISH_MEMORY',
      '1d',
      /PUBLISH_MEMORY must not be shorter than RETRY_SCHEDULE, which takes up to 326526s with its jitter, but is 86400s/,
    ],
    ['RETRY_SCHEDULE', '30d,30d,30d', /PUBLISH_MEMORY must not be shorter than RETRY_SCHEDULE/],
    ['AUTO_PAUSE_AFTER', 'never', /AUTO_PAUSE_AFTER must be a duration from 1s to 365d, or off, but is 'never'/],
    ['NOTIFY_REMOVED', 'yes', /NOTIFY_REMOVED must be true or false/],
    ['FAN_OUT_PARTITIONS', '48', /FAN_OUT_PARTITIONS must be a power of two from 1 to 256, but is '48'/],
    ['FAN_OUT_PARTITIONS', '512', /FAN_OUT_PARTITIONS must be a power of two from 1 to 256/],
    ['FAN_OUT_FROM', 'start', /FAN_OUT_FROM must be beginning, end, or the position after which to begin/],
    ['FAN_OUT_FROM', '-1', /FAN_OUT_FROM must be beginning, end, or the position/],
    ['FAN_OUT_FROM', '9223372036854775808', /FAN_OUT_FROM must be beginning, end, or the position/],
    ['EVENTSTOREDB_URL', 'esdb://x', /MONGODB_URL is needed where EVENTSTOREDB_URL is set/],
    ['MONGODB_URL', 'mongodb://x', /EVENTSTOREDB_URL is needed where MONGODB_URL is set/],
    ['ROLES', 'api,cook', /ROLES must be some of api, projector, dispatcher, but is 'api,cook'/],
    ['ROLES', 'api', /ROLES can be chosen only with EVENTSTOREDB_URL and MONGODB_URL/],
  ];
  for (const [name, value, says] of wrong) {
    it(`refuses ${name}=${value} and names valid values`, () => {
      const problems = problemsOf({ [name]: value });
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(says);
    });
  }

  const taken = [
    ...['/access', '/refresh/x', '/test', '/oauth2', '/sign-in', '/api/flows', '/API', '/healthz', '/readyz'],
    ...['/.well-known/x', '/admin/api', '/metrics', '/docs', '/openapi.json'],
  ];
  for (const prefix of taken) {
    it(`refuses ${prefix} as HOOKS_PREFIX, since it overlaps a route of ours`, () => {
      const [problem, ...others] = problemsOf({ HOOKS_PREFIX: prefix });
      expect(problem).to.match(/^HOOKS_PREFIX must be a path apart from \/\S+, such as \/api\/hooks, but is /);
      expect(others).to.eql([]);
    });
  }
  it('accepts a HOOKS_PREFIX that only resembles a route of ours', () => {
    for (const prefix of ['/api/v2', '/tests', '/api/flows-of-ours', '/listeners.v1/x']) {
      expect(readConfig({ HOOKS_PREFIX: prefix }).http.hooksPrefix).to.equal(prefix);
    }
  });

  it('refuses a PUBLIC_URL with user info, and does not print it', () => {
    expect(problemsOf({ PUBLIC_URL: 'https://ada:secret@hooks.example.com' })).to.eql([
      'PUBLIC_URL must have no user name and no password in it',
    ]);
  });

  it('refuses a key set at an invalid URL, instead of a file with that name', () => {
    const problemOf = (LOGIN_JWKS: string) => problemsOf({ LOGIN_ISSUER: 'x', LOGIN_JWKS }).join();
    for (const invalid of ['https://', 'HTTPS://[bad', 'https://h:99999', 'ftp://h/keys'])
      expect(problemOf(invalid)).to.equal(`LOGIN_JWKS must be an http or https URL, but is '${invalid}'`);
    for (const scheme of ['https', 'HTTP', 'git+ssh', 'ht\ttps'])
      expect(problemOf(`${scheme}://ada:secret@h/keys`)).to.equal(
        'LOGIN_JWKS must have no user name and no password in it',
      );
  });

  const withSecrets = [
    ...['https://ada:secret@host:port', 'https:ada:secret@', 'ada:secret@hooks.example.com', '//ada:secret@h'],
    ...['mongodb+srv://ada:secret@h/db', 'x.y-z://ada:secret@h', 'https//ada:secret@h', '"https://ada:secret@h"'],
    ...['https://ada:a/secret@h', 'https://ada:a#secret@h', 'https://ada:a?secret@h', 'https://ada:a\\secret@h'],
    ...['https://h/?token=secret', 'ftp://h/?token=secret', 'https://h/#secret', 'ht\ttps+x://ada:secret@h'],
  ];
  it('prints no URL that may have a password or a token in it', () => {
    for (const url of withSecrets)
      for (const [name, value] of [
        ['PUBLIC_URL', url],
        ['PORTAL_ORIGINS', url],
        ['EGRESS_PROXY', `socks:${url}`],
        ['HOOKS_PREFIX', url],
        ['LOGIN_URLS', JSON.stringify({ '*': url, h: 'x' })],
        [
          'LOGIN_PROVIDERS',
          JSON.stringify({ h: { issuer: url, clientId: 'c', clientSecret: 's', organisation: 'o' } }),
        ],
        ['CONSOLE_OPENID', JSON.stringify({ issuer: url, clientId: 'c', clientSecret: 's', claim: 'c', roles: {} })],
      ] as const)
        expect(problemsOf({ [name]: value }).join(), `${name}=${value}`)
          .to.match(new RegExp(`^${name} must `))
          .and.not.include('secret');
    for (const url of withSecrets.filter((each) => each.includes('@')))
      expect(problemsOf({ LOGIN_ISSUER: 'x', LOGIN_JWKS: url }).join(), url)
        .to.match(/^LOGIN_JWKS must /)
        .and.not.include('secret');
    expect(problemsOf({ EGRESS_PROXY: 'http://p', EGRESS_PROXY_EXCEPT: 'ada:secret@h' }).join())
      .to.match(/^EGRESS_PROXY_EXCEPT must /)
      .and.not.include('secret');
  });

  it('accepts URLs as browsers do, also with @ in their path or an empty query', () => {
    const publicUrlOf = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).http.publicUrl;
    expect(['https://h/@x', 'https://h/?', 'https://h/#', 'http:h', 'https:/h'].map(publicUrlOf)).to.eql([
      ...['https://h/@x', 'https://h', 'https://h', 'http://h', 'https://h'],
    ]);
    const keysOf = (LOGIN_JWKS: string) => readConfig({ LOGIN_JWKS, LOGIN_ISSUER: 'x' }).signIn.login?.keys;
    expect(keysOf('HTTPS:/h/jwks')).to.eql({ url: 'https://h/jwks' });
  });

  describe('the admin keys', () => {
    const expected = new Map([
      ['ada', { role: 'owner', key: 'a-key-of-some-length' }],
      ['eve', { role: 'viewer', key: 'another-key-of-some-length' }],
      ['ops@acme', { role: 'operator', key: 'c29tZSBiYXNlNjQ+Lw==' }],
    ]);
    const entries = [
      'ada:a-key-of-some-length',
      'eve:viewer:another-key-of-some-length',
      'ops@acme:operator:c29tZSBiYXNlNjQ+Lw==',
    ];

    it('have a role each; without one it is owner', () => {
      expect(readConfig({ ADMIN_KEYS: entries.join(', ') }).keys.adminKeys).to.deep.equal(expected);
      const single = new Map([['admin', { role: 'owner', key: 'a-key-of-some-length' }]]);
      expect(readConfig({ ADMIN_KEY: 'a-key-of-some-length' }).keys.adminKeys).to.deep.equal(single);
    });

    it('can come from a file, one on each line', () => {
      const path = join(temporaryDirectory(), 'admin-keys.txt');
      writeFileSync(path, `${entries.join('\r\n')}\n\n`);
      expect(readConfig({ ADMIN_KEYS: path }).keys.adminKeys).to.deep.equal(expected);
      writeFileSync(path, 'ops:short\n');
      expect(problemsOf({ ADMIN_KEYS: path })).to.eql(['ADMIN_KEYS must hold keys of at least 16 characters']);
      expect(problemsOf({ ADMIN_KEYS: `${path}.bak` }).join()).to.match(/admin-keys\.txt\.bak does not exist$/);
    });
  });

  it('never prints an admin key', () => {
    expect(problemsOf({ ADMIN_KEYS: 'only-a-secret-without-a-name' }).join()).not.to.include('secret');
    expect(problemsOf({ ADMIN_KEYS: 'ops:chief:secret-secret-secret' }).join()).not.to.include('secret');
    expect(problemsOf({ ADMIN_KEYS: 'bad name:secret-secret-secret' }).join()).not.to.include('secret');
  });

  it('names an admin key that is invalid in production too', () => {
    expect(problemsOf({ ...production, ADMIN_KEYS: 'ops:short' })).to.eql([
      'ADMIN_KEYS must hold keys of at least 16 characters',
    ]);
  });

  it('reports all problems at once, also those of settings that an invalid one needs', () => {
    expect(problemsOf({ PORT: 'x', MODE: 'y' })).to.have.length(2);
    expect(problemsOf({ LOGIN_JWKS: 'https://' }).join('\n')).to.match(/^LOGIN_ISSUER is needed where LOGIN_JWKS is/m);
    const { LOGIN_ISSUER, LOGIN_AUDIENCE, LOGIN_JWKS, ...others } = production;
    const problems = problemsOf({ ...others, LOGIN_PROVIDERS: 'x' }).map((problem) => problem.split(' ')[0]);
    expect(problems).to.have.members(['LOGIN_PROVIDERS', 'LOGIN_ISSUER', 'LOGIN_AUDIENCE']);
  });

  it('reads durations with their units, a number alone as seconds', () => {
    const idleOf = (REFRESH_IDLE: string) => readConfig({ REFRESH_IDLE }).tokens.refreshIdleMs;
    expect(['1500ms', '90', '90s', '2m', '1h', '1d'].map(idleOf)).to.eql([1_500, 9e4, 9e4, 1.2e5, 3.6e6, 8.64e7]);
  });

  it('reads the position after which a lost queue is filled again: by default none', () => {
    const startFrom = (FAN_OUT_FROM: string) => readConfig({ FAN_OUT_FROM }).deliveries.startFrom;
    expect(['', 'beginning', 'end', '0', '4711'].map(startFrom)).to.eql([undefined, -1n, 'end', 0n, 4711n]);
  });

  it('reads the memory of published ids: 90 days by default, and not shorter than the retry schedule', () => {
    expect(readConfig({}).deliveries.retention.publishMemoryMs).to.equal(90 * 86_400_000);
    const { publishMemoryMs } = readConfig({ PUBLISH_MEMORY: '12s', RETRY_SCHEDULE: '10s' }).deliveries.retention;
    expect(publishMemoryMs).to.equal(12_000);
    expect(problemsOf({ PUBLISH_MEMORY: '11s', RETRY_SCHEDULE: '10s' })).to.have.length(1);
  });

  it('reads the retry schedule and the limits of deliveries', () => {
    expect(readConfig({ DELIVERY_CONCURRENCY: '9' }).deliveries).to.deep.include({
      attempts: { concurrency: 9, perHost: undefined, ratePerSecond: undefined, retryPolicy: defaultRetryPolicy },
      failingPolicy: { ...defaultFailingPolicy, afterMs: 4.32e8 },
      notifyRemoved: false,
    });
    expect(
      readConfig({
        HOST_CONNECTIONS: '7',
        LISTENER_RATE_LIMIT: '0.5',
        RETRY_SCHEDULE: '5s, 5m,1h',
        AUTO_PAUSE_AFTER: 'off',
        NOTIFY_REMOVED: 'true',
      }).deliveries,
    ).to.deep.include({
      attempts: {
        concurrency: 256,
        perHost: 7,
        ratePerSecond: 0.5,
        retryPolicy: { ...defaultRetryPolicy, schedule: [0, 5_000, 3e5, 3.6e6] },
      },
      failingPolicy: undefined,
      notifyRemoved: true,
    });
  });

  it('reads a single address as the range that holds only it', () => {
    const { http } = readConfig({ TRUSTED_GATEWAYS: '10.0.0.0/8, 192.0.2.1,2001:db8::1' });
    expect(http.trustedGateways).to.eql(['10.0.0.0/8', '192.0.2.1/32', '2001:db8::1/128']);
    expect(http.trustedProxies).to.eql([]);
    expect(readConfig({ TRUSTED_PROXIES: '192.0.2.1' }).http.trustedProxies).to.eql(['192.0.2.1/32']);
  });

  it('listens beyond loopback in development mode only if both settings name the address', () => {
    expect(readConfig({ HOST: '0.0.0.0', DEVELOPMENT_HOST: '0.0.0.0' }).http.host).to.equal('0.0.0.0');
    expect(problemsOf({ HOST: '0.0.0.0', DEVELOPMENT_HOST: '10.0.0.1' })).to.have.length(1);
  });

  it('has the endpoint for agents in development mode, and in production where it is opened', () => {
    expect(readConfig({}).mcp).to.eql({ isOn: true, eventNumbering: 'sketch', maxSubscriptions: undefined });
    expect(readConfig(production).mcp.isOn).to.equal(false);
    expect(readConfig({ ...production, MCP: 'on', MCP_EVENT_ERRORS: 'sep-3415' }).mcp).to.eql({
      isOn: true,
      eventNumbering: 'sep-3415',
      maxSubscriptions: 100,
    });
    expect(readConfig({ MCP: 'off' }).mcp.isOn).to.equal(false);
  });

  it('accepts a complete production configuration, which allows neither http nor loopback targets', () => {
    const { deliveries, http } = readConfig(production);
    expect(deliveries.targets).to.include({ allowHttp: false, allowLoopback: false });
    expect(http.publicUrl).to.equal('https://hooks.example.com');
  });

  it('does not start in production with an issuer without an audience', () => {
    const issuers = (more: object) =>
      JSON.stringify([{ issuer: 'https://id.example', jwks: 'https://id.example', ...more }]);
    const problems = problemsOf({ ...production, TRUSTED_ISSUERS: issuers({}) });
    expect(problems).to.have.length(1);
    expect(problems[0]).to.match(/^TRUSTED_ISSUERS is needed in production mode: an audience for each issuer/);
    const { signIn } = readConfig({
      ...production,
      TRUSTED_ISSUERS: issuers({ audience: 'listeners', maxAge: '10h' }),
    });
    expect(signIn.trustedIssuers[0]).to.include({ audience: 'listeners', maxAgeMs: 36_000_000 });
    expect(problemsOf({ TRUSTED_ISSUERS: issuers({ maxAge: 'long' }) })[0]).to.match(/must be a JSON array of/);
  });

  for (const name of ['PUBLIC_URL', 'LOGIN_URLS', 'LOGIN_AUDIENCE', 'SIGNING_KEYS', 'MASTER_KEYS']) {
    it(`does not start in production without ${name}`, () => {
      const problems = problemsOf({ ...production, [name]: undefined });
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(new RegExp(`^${name} is needed in production mode: `));
    });
  }
});
