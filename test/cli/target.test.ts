import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readProfiles, writeProfiles } from '../../src/cli/connection/profiles.js';
import { serviceUrl, targetOf } from '../../src/cli/connection/target.js';
import { UsageError } from '../../src/cli/failure.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const url = 'https://hooks.example.com';

describe('the service that a command works on', () => {
  const home = { XDG_CONFIG_HOME: temporaryDirectory() };
  const nobody = { XDG_CONFIG_HOME: temporaryDirectory() };
  before(() => {
    const profiles = { live: { url, key: 'live-key' }, test: { url: `${url}/test`, key: 'test-key' } };
    writeProfiles(home, { current: 'live', profiles });
  });

  const remote = (options: Parameters<typeof targetOf>[0], environment: NodeJS.ProcessEnv = {}, hasDirectory = false) =>
    targetOf(options, hasDirectory, { ...home, ...environment }).remote;

  it('is none without options, settings and a login: the stores of this machine', () =>
    expect(targetOf({}, false, nobody).remote).to.equal(undefined));

  it('is that of the last login', () => expect(remote({})).to.eql({ url, key: 'live-key', profile: 'live' }));

  it('cannot be the stores where a key of a service is given', () => {
    for (const hasDirectory of [true, false])
      expect(() => targetOf({ key: 'k' }, hasDirectory, nobody)).to.throw(UsageError, '--key is for a service');
  });

  it('is none where the command line or a setting names stores, in spite of a login', () => {
    expect(remote({}, {}, true)).to.equal(undefined);
    for (const setting of ['DATA_DIR', 'EVENTSTOREDB_URL', 'MONGODB_URL'])
      expect(remote({}, { [setting]: 'x' }), setting).to.equal(undefined);
  });

  it('is that of the environment before the login, also where a setting names stores', () => {
    const environment = { FLOW_HOOKS_URL: 'https://other.example.com/', FLOW_HOOKS_KEY: 'k', DATA_DIR: 'data' };
    expect(remote({}, environment)).to.eql({ url: 'https://other.example.com', key: 'k' });
    expect(remote({}, environment, true)).to.equal(undefined);
    expect(remote({}, { FLOW_HOOKS_PROFILE: 'test' })).to.include({ key: 'test-key' });
  });

  it('is that of the options before all others', () => {
    const environment = { FLOW_HOOKS_URL: 'https://other.example.com', FLOW_HOOKS_KEY: 'k' };
    expect(remote({ url, key: 'given' }, environment)).to.eql({ url, key: 'given' });
    expect(remote({ profile: 'test' }, environment)).to.eql({ url: `${url}/test`, key: 'test-key' });
  });

  it('has the key that a login stored for its address, if no other is given', () =>
    expect(remote({ url: `${url}/test/` })).to.eql({ url: `${url}/test`, key: 'test-key' }));

  it('never has a key that was stored for another address', () =>
    expect(() => remote({ url: 'https://evil.example.com' })).to.throw('a key for https://evil.example.com is needed'));

  it('must be known', () => {
    expect(() => remote({ profile: 'x' })).to.throw('there is no profile x: there are live, test');
    expect(() => remote({ profile: 'toString' })).to.throw('there is no profile toString');
    expect(() => targetOf({ key: 'k' }, false, nobody)).to.throw('--key is for a service');
  });

  it('must be an address of HTTP without credentials', () => {
    for (const text of ['x', 'ftp://example.com', 'https://user:password@example.com'])
      expect(() => serviceUrl(text), text).to.throw('the URL of a service must be like');
  });

  it('is kept with its key in a file that only the user can read', () => {
    const file = join(home.XDG_CONFIG_HOME, 'flow-hooks', 'profiles.json');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    writeProfiles(home, readProfiles(home));
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });
});
