import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { KeyFileLocked } from '../../../src/admin/keys/errors.js';
import {
  changeKeyFile,
  nextGeneration,
  withMasterKey,
  withoutMasterKey,
  withoutSigningKey,
  withSigningKey,
} from '../../../src/admin/keys/key-file.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('changing a key file', () => {
  const given = (mode = 0o600) => {
    const directory = temporaryDirectory();
    const file = join(directory, 'keys');
    writeFileSync(file, 'old');
    chmodSync(file, mode);
    return { directory, file };
  };

  it('replaces it by a rename, and leaves nothing else', async () => {
    const { directory, file } = given();
    const before = statSync(file).ino;
    await changeKeyFile(file, ({ text, replace }) => replace(`${text} and new`));
    expect(readFileSync(file, 'utf8')).to.equal('old and new');
    expect(statSync(file).ino).not.to.equal(before);
    expect(readdirSync(directory)).to.eql(['keys']);
  });

  const modes: readonly [before: number, after: number][] = [
    [0o600, 0o600],
    [0o644, 0o640],
    [0o666, 0o640],
    [0o440, 0o640],
    [0o400, 0o600],
  ];
  for (const [before, after] of modes) {
    it(`makes mode 0${before.toString(8)} 0${after.toString(8)}`, async () => {
      const { file } = given(before);
      await changeKeyFile(file, ({ replace }) => replace('new'));
      expect(statSync(file).mode & 0o777).to.equal(after);
    });
  }

  it('keeps a symbolic link to it', async () => {
    const { directory, file } = given();
    const link = join(directory, 'link');
    symlinkSync(file, link);
    await changeKeyFile(link, ({ replace }) => replace('new'));
    expect(lstatSync(link).isSymbolicLink()).to.equal(true);
    expect(readFileSync(file, 'utf8')).to.equal('new');
  });

  it('is refused while another command changes it, and possible after a failure', async () => {
    const { file } = given();
    await changeKeyFile(file, async () => {
      const error = await rejection(changeKeyFile(file, async () => undefined));
      expect(error).to.be.instanceOf(KeyFileLocked).and.to.have.property('message').that.includes(`${file}.lock`);
    });
    expect(await rejection(changeKeyFile(file, () => Promise.reject(new TypeError('a bug'))))).to.be.instanceOf(
      TypeError,
    );
    await changeKeyFile(file, ({ replace }) => replace('new'));
    expect(await rejection(changeKeyFile(`${file}.missing`, async () => undefined))).to.be.instanceOf(StoreUnavailable);
  });
});

describe('the texts of key files', () => {
  it('get and lose signing keys', async () => {
    const [one, other] = [generateSigningKeys(), generateSigningKeys()];
    const key = (JSON.parse(other) as { keys: [object] }).keys[0];
    const both = withSigningKey(one, key);
    const { thumbprints } = await signingKeys(both);
    expect(thumbprints).to.have.length(2);
    expect((await signingKeys(await withoutSigningKey(both, thumbprints[1] ?? ''))).thumbprints).to.eql([
      thumbprints[0],
    ]);
    expect(await withoutSigningKey(both, 'unknown')).to.equal(both);
  });

  it('get and lose master keys', () => {
    const text = 'g2@1800000000:bbb, g1:aaa\n';
    expect(withMasterKey(text, 'g3@1900000000:ccc')).to.equal('g3@1900000000:ccc\ng2@1800000000:bbb\ng1:aaa\n');
    expect(withoutMasterKey(text, 'g2')).to.equal('g1:aaa\n');
    expect(withoutMasterKey(text, 'g')).to.equal(text);
  });

  it('get generations that were never used', () => {
    expect(nextGeneration('g1', ['g1'])).to.equal('g2');
    expect(nextGeneration('g1', ['g1', 'g2', 'g3'])).to.equal('g4');
    expect(nextGeneration('2026-09', ['2026-09'])).to.equal('2026-10');
    expect(nextGeneration('main', ['main'])).to.equal('g2');
  });
});
