import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { runCli, runCliForJson } from '../support/service/cli.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { auditFromOutside, urlOf } from './from-outside.js';

describe('the audit, from outside, on the embedded store', function () {
  this.timeout(180_000);
  let service: ServiceProcess;
  after(() => service.stop());
  auditFromOutside(async () => {
    service = await startService();
    return { service, place: service.dataDirectory };
  });

  describe('after a manual change of the file of events', () => {
    const streamOf = async (name: string) => {
      const [entry] = (await runCliForJson(
        service.dataDirectory,
        'audit',
        'history',
        '--org',
        'audited',
        '--hook-url',
        urlOf(name),
      )) as AuditEntry[];
      return entry?.stream ?? '';
    };

    it('names the event by the seal, and the document by the views', async () => {
      const seal = join(temporaryDirectory(), 'seal');
      await runCliForJson(service.dataDirectory, 'audit', 'seal', '--to', seal);
      const stream = await streamOf('kept');
      const database = new Database(join(service.dataDirectory, 'events.db'));
      const { changes } = database
        .prepare(
          `UPDATE events SET data = replace(data, '"userId":"ada"', '"userId":"adb"')
           WHERE stream = (SELECT id FROM streams WHERE name = ?) AND revision = 1`,
        )
        .run(stream);
      database.close();
      expect(changes).to.equal(1);

      const checked = await runCli(service.dataDirectory, 'audit', 'check', seal);
      expect(checked.code).to.equal(1);
      expect(checked.stdout).to.equal(`${stream}: changed at revision 1\n`);
      expect(checked.stderr).to.match(
        new RegExp(
          `^flow-hooks: the history differs from the seal of [^\\n]+ streams that differ: 1, the first: ${stream}: changed at revision 1\\n$`,
        ),
      );
      const verified = await runCli(service.dataDirectory, 'audit', 'verify');
      expect(verified.code).to.equal(1);
      expect(verified.stdout).to.match(/^listeners: different \S+: userId is "ada", the events say "adb"$/m);
      expect(verified.stderr).to.match(/^flow-hooks: the views differ from the events: differences \d+\n$/);
    });

    it('names an event that is not JSON any more, and still shows the others', async () => {
      const seal = join(temporaryDirectory(), 'seal');
      await runCliForJson(service.dataDirectory, 'audit', 'seal', '--to', seal);
      const stream = await streamOf('removed');
      const database = new Database(join(service.dataDirectory, 'events.db'));
      database
        .prepare(
          `UPDATE events SET data = '[' || substr(data, 2)
           WHERE stream = (SELECT id FROM streams WHERE name = ?) AND revision = 0`,
        )
        .run(stream);
      database.close();
      const checked = await runCli(service.dataDirectory, 'audit', 'check', seal);
      expect(checked.stdout).to.equal(`${stream}: changed at revision 0\n`);
      const history = await runCli(service.dataDirectory, 'audit', 'history', '--org', 'audited');
      expect(history.stdout).to.match(/ListenerSubscribed at revision 0 of listener-\S+ cannot be decoded/);
      expect(history.stdout).to.include('ListenerUnsubscribed');
      expect((await runCli(service.dataDirectory, 'audit', 'verify')).stdout).to.match(
        /^listeners: unreadable: .*revision 0/m,
      );
    });
  });

  for (const [what, code, says, ...args] of [
    [
      'a time that is none',
      2,
      /^flow-hooks: --at must be a time .* or a position\n$/,
      'as-of',
      '--org',
      'a',
      '--at',
      'noon',
    ],
    [
      'a time without its offset',
      2,
      /^flow-hooks: --from must be an ISO 8601 /,
      'history',
      '--org',
      'a',
      '--from',
      '2026-01-01',
    ],
    ['a directory as a seal', 1, /^flow-hooks: \/ is not a file\n$/, 'check', '/'],
    ['a seal that is not there', 1, /^flow-hooks: \/nowhere\/seal does not exist\n$/, 'check', '/nowhere/seal'],
    [
      'a directory that is not there',
      1,
      /^flow-hooks: \/nowhere\/seal cannot be written: its directory does not exist\n$/,
      'seal',
      '--to',
      '/nowhere/seal',
    ],
    [
      'a listener that is no URL',
      2,
      /^flow-hooks: --hook-url must be an absolute URL\n$/,
      'history',
      '--org',
      'a',
      '--hook-url',
      'x',
    ],
  ] as const) {
    it(`answers ${what} with one clear line and exit code ${code}`, async () => {
      const { stderr, ...ended } = await runCli(service.dataDirectory, 'audit', ...args);
      expect(stderr).to.match(says);
      expect(ended).to.deep.equal({ code, stdout: '' });
    });
  }
});
