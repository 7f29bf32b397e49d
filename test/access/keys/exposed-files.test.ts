import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { warnOfExposedFiles } from '../../../src/access/keys/key-files.js';
import { type KeySettings, openKeys } from '../../../src/access/keys/open-keys.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const recorder = () => {
  const warnings: object[] = [];
  const warn = (fields: object) => void warnings.push(fields);
  return { warnings, warn, info: () => undefined, error: () => undefined };
};

describe('files with keys', () => {
  const modes: readonly [mode: number, isExposed: boolean][] = [
    [0o600, false],
    [0o400, false],
    [0o640, false],
    [0o440, false],
    [0o660, true],
    [0o604, true],
    [0o602, true],
    [0o644, true],
    [0o601, true],
  ];
  for (const [mode, isExposed] of modes) {
    const octal = `0${mode.toString(8)}`;
    it(`${isExposed ? 'cause a warning' : 'are accepted silently'} with mode ${octal}`, async () => {
      const file = join(temporaryDirectory(), 'master-keys.txt');
      writeFileSync(file, 'g1:secret');
      chmodSync(file, mode);
      const log = recorder();
      await warnOfExposedFiles([file, `${file}.missing`], log);
      expect(log.warnings).to.deep.equal(isExposed ? [{ file, mode: octal }] : []);
    });
  }

  it('are checked at the start: those of the settings and those of the data directory', async () => {
    const dataDirectory = temporaryDirectory();
    const store = openSqliteEventStore({ directory: dataDirectory });
    const settings = { mode: 'development', dataDirectory } as const;
    const keys = { signingKeys: undefined, masterKeys: undefined, adminKeys: undefined };
    const signingKeys = join(dataDirectory, 'signing-keys.json');
    const masterKeys = join(dataDirectory, 'master-keys.txt');
    const adminKeyFile = join(dataDirectory, 'admin-key.txt');
    const warnedOf = async (start: KeySettings) => {
      const log = recorder();
      const { stop } = await openKeys(start, { store, log });
      stop();
      return log.warnings.map((fields) => ('file' in fields ? fields.file : undefined));
    };
    try {
      expect(await warnedOf({ ...settings, keys })).to.deep.equal([]);
      for (const name of ['admin-key.txt', 'master-keys.txt', 'signing-keys.json'])
        chmodSync(join(dataDirectory, name), 0o644);
      const production = {
        ...settings,
        mode: 'production',
        keys: { ...keys, signingKeys, masterKeys, adminKeyFile },
      } as const;
      expect(await warnedOf(production)).to.deep.equal([signingKeys, masterKeys, adminKeyFile]);
      expect(await warnedOf({ ...settings, keys })).to.have.length(3);
    } finally {
      await store.close();
    }
  });
});
