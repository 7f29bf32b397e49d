import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { readConfig } from '../../src/service/config/config.js';
import { startDispatcher } from '../../src/service/dispatcher.js';
import { dispatcherSettings } from '../../src/service/dispatcher-settings.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const everySetting = {
  FLOW_RETENTION: '30d',
  SESSION_RETENTION: '30d',
  ALLOWED_TARGETS: '10.0.0.0/8, fd00::1',
  RETRY_SCHEDULE: '5s,5m',
  FAN_OUT_FROM: '42',
  ADMIN_KEY: 'an-admin-key-for-tests',
};

describe('the settings of the dispatcher', () => {
  const settings = dispatcherSettings(readConfig(everySetting));

  it('are the same on the other side of a thread', () => {
    expect(isDeepStrictEqual(structuredClone(settings), settings)).to.equal(true);
  });

  it('hold no key but the master keys', () => {
    expect(settings.keys).to.have.all.keys('masterKeys');
  });
});

describe('the dispatcher', () => {
  const changed = { DATA_DIR: temporaryDirectory(), LOG_LEVEL: 'silent', DELIVERY_CONCURRENCY: 'none' };
  const before = Object.keys(changed).map((name) => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('uses the settings that it is given, not those of the environment', async () => {
    const directory = temporaryDirectory();
    const settings = dispatcherSettings(readConfig({ DATA_DIR: directory }));
    Object.assign(process.env, changed);

    const dispatcher = await startDispatcher(settings, {
      onFailure: (error) => expect.fail(error.message),
      onShortage: () => expect.fail('there is no shortage'),
    });
    await dispatcher.close();
    expect(existsSync(join(directory, 'deliveries.db'))).to.equal(true);
    expect(readdirSync(changed.DATA_DIR)).to.deep.equal([]);
  });
});
