import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { readConfig } from '../../../src/service/config/config.js';
import type { Environment } from '../../../src/service/config/settings.js';
import { warnOfSettings } from '../../../src/service/start-warnings.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { production as defaults, problemsOf as problems } from './problems-of.js';

const key = (bytes = randomBytes(32)) => bytes.toString('base64');
const production = { ...defaults, MASTER_KEYS: `g1:${key()}` };
const problemsOf = (environment: Environment) => problems({ ...production, ...environment });

const fileOf = (text: string): string => {
  const file = join(temporaryDirectory(), 'master-keys.txt');
  writeFileSync(file, text);
  return file;
};
const same = key();

describe('settings that void a protection', () => {
  const dangers: readonly (readonly [setting: string, value: string, named?: string])[] = [
    ['ALLOW_HTTP', 'true'],
    ['ALLOWED_TARGETS', '0.0.0.0/0'],
    ['ALLOWED_TARGETS', '169.254.0.0/16'],
    ['ALLOWED_TARGETS', '169.254.169.254'],
    ['ALLOWED_TARGETS', '::/0'],
    ['ALLOWED_TARGETS', '::ffff:0:0/96'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '0.0.0.0/1,128.0.0.0/1'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,::/0'],
    ['TRUSTED_PROXIES', '::ffff:0:0/96'],
    ['TRUSTED_PROXIES', '2000::/4,3000::/4'],
    ['TRUSTED_GATEWAYS', '0.0.0.0/0'],
    ['RATE_LIMIT_FAILURES', 'off'],
    ['RATE_LIMIT_ADDRESS', 'off'],
    ['RATE_LIMIT_CLIENT', 'off'],
    ['RATE_LIMIT_API_KEY', 'off'],
    ['RATE_LIMIT_ORGANISATION', 'off'],
    ['RATE_LIMIT_EVENTS', 'off'],
    ['MAX_LISTENERS', 'off'],
    ['MASTER_KEYS', `g1:${key(Buffer.alloc(32))}`],
    ['MASTER_KEYS', `g1:${key(Buffer.from('abcd'.repeat(8)))}`],
    ['MASTER_KEYS', `g2:${same},g1:${same}`],
    ['MASTER_KEYS', fileOf(`g1:${key(Buffer.alloc(32, 7))}\n`)],
    ['ADMIN_KEYS', `ops:${'a'.repeat(40)}`],
    ['ADMIN_KEY', 'ab'.repeat(10), 'ADMIN_KEYS'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
  ];
  for (const [setting, value, named = setting] of dangers)
    it(`need UNSAFE in production: ${setting}=${value.slice(0, 40)}`, () => {
      const [problem, ...others] = problemsOf({ [setting]: value });
      expect(problem).to.match(new RegExp(`^${named} voids a protection: .* permit it with UNSAFE=${named}$`));
      expect(others).to.deep.equal([]);
      const { unsafe } = readConfig({ ...production, [setting]: value, UNSAFE: named });
      expect(unsafe.map((each) => each.setting)).to.deep.equal([named]);
      expect(readConfig({ [setting]: value }).unsafe, 'in development mode').to.deep.equal([]);
    });

  it('are named one by one, and logged at each start', () => {
    const dangerous = { ALLOW_HTTP: 'true', MAX_LISTENERS: 'off' };
    expect(problemsOf({ ...dangerous, UNSAFE: 'ALLOW_HTTP' })).to.have.length(1);
    const warned: string[] = [];
    const config = readConfig({ ...production, ...dangerous, UNSAFE: 'ALLOW_HTTP,, MAX_LISTENERS,' });
    warnOfSettings(config, { warn: (_: unknown, text?: string) => void warned.push(text ?? '') });
    expect(warned[0]).to.match(/^UNSAFE permits that ALLOW_HTTP voids a protection: /);
    expect(warned[1]).to.match(/^UNSAFE permits that MAX_LISTENERS voids a protection: /);
  });

  it('can be permitted by ADMIN_KEY for the setting ADMIN_KEYS, which alone is offered', () => {
    const weak = { ADMIN_KEY: 'ab'.repeat(10), UNSAFE: 'ADMIN_KEY' };
    expect(problemsOf(weak)).to.deep.equal([]);
    expect(readConfig({ ...production, ...weak }).unsafe.map(({ setting }) => setting)).to.deep.equal(['ADMIN_KEYS']);
    expect(problemsOf({ UNSAFE: 'x' })[0])
      .to.match(/\bADMIN_KEYS\b/)
      .and.not.match(/\bADMIN_KEY\b/);
  });

  it('are no others: UNSAFE refuses other names, and usual values need none', () => {
    expect(problemsOf({ UNSAFE: 'ALLOW_HTTPS' })[0]).to.match(/^UNSAFE must be some of .*, but has 'ALLOW_HTTPS'$/);
    const usual = {
      TRUSTED_PROXIES: '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7,173.245.48.0/20,2400:cb00::/32',
      TRUSTED_GATEWAYS: '127.0.0.1,10.1.2.3',
      ALLOWED_TARGETS: '10.0.0.0/8,192.168.0.0/16,127.0.0.0/8,203.0.113.0/24',
      MASTER_KEYS: `g2:${key()},g1:${key()}`,
      ADMIN_KEYS: 'ops:viewer:a-key-of-some-length',
    };
    expect(problemsOf(usual)).to.deep.equal([]);
    expect(problemsOf({ ALLOW_HTTP: 'false', UNSAFE: 'ALLOW_HTTP' })).to.deep.equal([]);
  });

  it('are found in any cutting of all addresses into ranges', () => {
    const cut = (bits: number): string[] =>
      Array.from({ length: 2 ** bits }, (_, index) => `${(index * 256) / 2 ** bits}.0.0.0/${bits}`);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7 }), (bits) => {
        expect(problemsOf({ TRUSTED_PROXIES: cut(bits).join(',') })).to.have.length(1);
      }),
      { numRuns: 8 },
    );
  });
});
