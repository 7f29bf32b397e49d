import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { rawRequest } from '../support/service/raw-request.js';
import { startRefused, startService } from '../support/service/service.js';
import { type SharedService, sharedService } from '../support/service/shared-service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('starting the service', () => {
  describe('in development mode', () => {
    let service: SharedService;
    before(async () => {
      service = await sharedService();
    });

    it('prints the mode in its first line, the sign-in page and the data directory', () => {
      const [first] = service.printed().split('\n');
      expect(first).to.match(/development mode/);
      expect(service.printed()).to.include(`${service.origin}/sign-in`).and.to.include(service.dataDirectory);
    });

    it('answers 421 to a request for a host that is not a loopback name', async () => {
      for (const host of ['rebound.example', 'localhost.evil.example', '10.0.0.1']) {
        const { status, body } = await rawRequest(service.port, '/healthz', [['Host', host]]);
        expect(status, host).to.equal(421);
        expect(body).to.have.keys('error', 'message', 'requestId');
      }
      for (const host of ['localhost', `127.0.0.1:${service.port}`, '[::1]', 'app.localhost:3000']) {
        expect((await rawRequest(service.port, '/healthz', [['Host', host]])).status, host).to.equal(200);
      }
    });

    it('is alive and ready', async () => {
      expect((await service.fetch('/healthz')).status).to.equal(200);
      const { status, body } = await service.fetch('/readyz');
      expect(status, JSON.stringify(body)).to.equal(200);
    });

    it('locks its data directory: a second start on it is refused with the reason', async () => {
      const { code, printed } = await startRefused({ DATA_DIR: service.dataDirectory });
      expect(code).not.to.equal(0);
      expect(printed)
        .to.include(service.dataDirectory)
        .and.to.match(/in use|another/i);
    });

    it('reports the port in use, and the setting that changes it', async () => {
      const { code, printed } = await startRefused({ PORT: String(service.port), DATA_DIR: temporaryDirectory() });
      expect(code).not.to.equal(0);
      expect(printed).to.include(String(service.port)).and.to.include('PORT');
    });
  });

  it('changes no file of a newer release, also with a write-ahead log', async () => {
    const directory = temporaryDirectory();
    const made = temporaryDirectory();
    await openSqliteDeliveryQueue({ directory: made }).close();
    const newer = new Database(join(made, 'deliveries.db'));
    newer.pragma('user_version = 99');
    for (const name of ['deliveries.db', 'deliveries.db-wal']) copyFileSync(join(made, name), join(directory, name));
    newer.close();
    const bytes = () => readFileSync(join(directory, 'deliveries.db')).toString('base64');
    const before = bytes();
    const { code, printed } = await startRefused({ DATA_DIR: directory });
    expect(code).not.to.equal(0);
    expect(printed).to.match(/deliveries\.db was written by a newer release/);
    expect(bytes()).to.equal(before);
  });

  it('stops at once if settings are invalid, with one line for each', async () => {
    const { code, printed } = await startRefused({ MODE: 'prod', PORT: 'x', DATA_DIR: temporaryDirectory() });
    expect(code).not.to.equal(0);
    expect(printed).to.match(/^.*MODE must be development or production/m);
    expect(printed).to.match(/^.*PORT must be a whole number/m);
    expect(printed).not.to.match(/at .*\.js/);
  });

  it('does not start in production mode without required settings, and names all of them', async () => {
    const { code, printed } = await startRefused({ MODE: 'production', DATA_DIR: temporaryDirectory() });
    expect(code).not.to.equal(0);
    for (const setting of ['PUBLIC_URL', 'LOGIN_URLS', 'SIGNING_KEYS', 'MASTER_KEYS']) {
      expect(printed).to.include(setting);
    }
  });

  it('ends on SIGTERM with exit code 0; then reports a damaged file in one line', async () => {
    const service = await startService();
    expect(await service.stop('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    const path = join(service.dataDirectory, 'deliveries.db');
    const file = readFileSync(path);
    writeFileSync(path, file.fill('x', 4_096)); // after the first page, in which it says what it is
    const { code, printed } = await startRefused({ DATA_DIR: service.dataDirectory });
    expect(code).to.equal(1);
    expect(printed.startsWith(`flow-hooks: DATA_DIR: ${path} is damaged: `), printed).to.equal(true);
    expect(printed.trimEnd()).not.to.include('\n');
  });
});
