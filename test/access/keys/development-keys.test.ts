import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { UnusableKeys } from '../../../src/access/errors.js';
import {
  developmentLoginKeys,
  developmentMasterKeys,
  developmentSigningKeys,
} from '../../../src/access/keys/service-keys.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the keys of development mode', () => {
  it('are created in the data directory, readable by the owner only, and are the same at the next start', async () => {
    const directory = join(temporaryDirectory(), 'data');
    const start = async () => ({
      signing: (await developmentSigningKeys(directory)).thumbprints,
      login: (await developmentLoginKeys(directory)).thumbprints,
      master: (await developmentMasterKeys(directory)).derive('g1', 'test').toString('hex'),
    });
    const first = await start();
    expect(await start()).to.eql(first);
    expect(first.login).to.not.eql(first.signing);
    const files = readdirSync(directory);
    expect(files).to.have.members(['signing-keys.json', 'login-keys.json', 'master-keys.txt']);
    for (const file of files) expect(statSync(join(directory, file)).mode & 0o777).to.equal(0o600);
  });

  it('are the same for processes that start at once', async () => {
    const directory = temporaryDirectory();
    const all = await Promise.all(Array.from({ length: 8 }, () => developmentSigningKeys(directory)));
    expect(new Set(all.map(({ thumbprints }) => thumbprints[0])).size).to.equal(1);
    expect(readdirSync(directory)).to.eql(['signing-keys.json']);
  });

  it('are refused, and not changed, if the file is damaged', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'master-keys.txt'), 'g1:dama');
    const error = await rejection(developmentMasterKeys(directory));
    expect(error).to.be.instanceOf(UnusableKeys);
    expect(String(error)).to.include(`${join(directory, 'master-keys.txt')}: the master key of generation g1`);
  });
});
