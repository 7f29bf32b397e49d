import { expect } from 'chai';
import { UnusableKeys } from '../../../src/access/errors.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { startFailure } from '../../../src/service/start-failure.js';

const directory = '/var/lib/flow-hooks';
const system = (message: string, fields: object) => Object.assign(new Error(message), fields);
const unavailable = (message: string, fields: object) =>
  new StoreUnavailable(message, { cause: system(message, fields) });

describe('the reason for which the service does not start', () => {
  const failures: [what: string, error: Error, says: string | RegExp][] = [
    [
      'a data directory that is read only',
      unavailable(`${directory}/service.lock: unable to open database file`, { code: 'SQLITE_CANTOPEN' }),
      `DATA_DIR ${directory} cannot be written by this process: ${directory}/service.lock: unable to open database file`,
    ],
    [
      'a directory above it that belongs to another user',
      unavailable("EACCES: permission denied, mkdir '/var/lib'", { code: 'EACCES', path: '/var/lib' }),
      `DATA_DIR ${directory} cannot be written by this process: EACCES: permission denied, mkdir '/var/lib'`,
    ],
    [
      'a full disk',
      system('ENOSPC: no space left on device, write', { code: 'ENOSPC', path: `${directory}/master-keys.txt` }),
      /^DATA_DIR \/var\/lib\/flow-hooks is on a disk that is full: ENOSPC/,
    ],
    [
      'a name that cannot be looked up now',
      system('getaddrinfo EAI_AGAIN listeners', { code: 'EAI_AGAIN', hostname: 'listeners' }),
      /^HOST listeners cannot be resolved \(EAI_AGAIN\)/,
    ],
    [
      'an address that cannot be listened on',
      system('listen EINVAL: invalid argument fe80::1:3000', { code: 'EINVAL', address: 'fe80::1', port: 3_000 }),
      'HOST fe80::1, PORT 3000: listen EINVAL: invalid argument fe80::1:3000',
    ],
    [
      'keys in the data directory, by their own setting',
      new UnusableKeys(`SIGNING_KEYS: ${directory}/keys.json does not exist`, {
        cause: system('', { code: 'ENOENT' }),
      }),
      `SIGNING_KEYS: ${directory}/keys.json does not exist`,
    ],
    ['trouble elsewhere', new StoreUnavailable('the cluster is away'), 'the cluster is away'],
    ['a message of several lines', new StoreUnavailable('one\n  two'), 'one two'],
  ];
  for (const [what, error, says] of failures) {
    it(`is one line without a stack: ${what}`, () => {
      const [line, ...others] = startFailure(error, directory);
      if (typeof says === 'string') expect(line).to.equal(says);
      else expect(line).to.match(says);
      expect(others).to.eql([]);
    });
  }

  it('has a stack if the error is unexpected', () => {
    expect(startFailure(new TypeError('odd'), directory).join()).to.match(/TypeError: odd\n {4}at /);
  });
});
