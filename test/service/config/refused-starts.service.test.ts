import { expect } from 'chai';
import { startRefused } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a start of the service that is refused', () => {
  const refusals: [what: string, environment: Readonly<Record<string, string>>, says: RegExp][] = [
    [
      'a file of signing keys that does not exist',
      { SIGNING_KEYS: '/nonexist' },
      /^SIGNING_KEYS: \/nonexist does not exist$/,
    ],
    [
      'a file of master keys that does not exist',
      { MASTER_KEYS: '/nonexist' },
      /^MASTER_KEYS: \/nonexist does not exist$/,
    ],
    ['signing keys that cannot be used', { SIGNING_KEYS: '{"keys":[]}' }, /^SIGNING_KEYS: .*JWK set/],
    [
      'a file of login keys that does not exist',
      { LOGIN_JWKS: '/nonexist', LOGIN_ISSUER: 'x', LOGIN_URLS: '{"*":"http://x"}' },
      /^LOGIN_JWKS: \/nonexist does not exist$/,
    ],
    [
      'a file of an issuer’s keys that is not a JWK set',
      { TRUSTED_ISSUERS: '[{"issuer":"x","jwks":"/etc/hostname"}]' },
      /^TRUSTED_ISSUERS: \/etc\/hostname does not hold a JWK set with keys$/,
    ],
    [
      'a data directory that cannot be created',
      { DATA_DIR: '/proc/cannot-be-created/data' },
      /^DATA_DIR \/proc\/cannot-be-created\/data does not exist and cannot be created: ENOENT/,
    ],
    [
      'a data directory that is a file',
      { DATA_DIR: '/etc/hostname' },
      /^DATA_DIR \/etc\/hostname is not a directory: EEXIST/,
    ],
    [
      'a host that has no address',
      { HOST: 'nosuch.invalid', DEVELOPMENT_HOST: 'nosuch.invalid' },
      /^HOST nosuch\.invalid cannot be resolved \(\w+\): it must be an address of this machine/,
    ],
  ];
  for (const [what, environment, says] of refusals) {
    it(`reports the reason and the setting in one line: ${what}`, async () => {
      const { code, printed } = await startRefused({ DATA_DIR: temporaryDirectory(), ...environment });
      expect(code).to.equal(1);
      const [line, ...others] = printed.trimEnd().split('\n');
      expect(line?.replace('flow-hooks: ', '')).to.match(says);
      expect(others).to.eql([]);
    });
  }
});
