import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { deliveriesFile } from '../../../src/queue/sqlite/schema.js';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { nextRelease, nextVersion } from '../../support/releases/next-release.js';
import {
  type RecordedListener,
  receiverPort,
  recorded,
  unpackedData,
  withoutRetention,
} from '../../support/releases/recorded-data.js';
import { administratorOf } from '../../support/service/administrator.js';
import { startCliOf } from '../../support/service/cli.js';
import { publish, refresh, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startRefused, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const { release, listeners, events, refreshToken, apiKey } = recorded();

/** Rows of a database file that no service has open. */
function rowsOf(directory: string, file: string, sql: string): readonly unknown[] {
  const database = new Database(join(directory, file), { readonly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

const schemaOf = (directory: string, file: string): number =>
  (rowsOf(directory, file, 'PRAGMA user_version') as readonly { user_version: number }[])[0]?.user_version ?? 0;

const digestsOf = (directory: string) =>
  readdirSync(directory)
    .filter((name) => /^(events|deliveries)\.db$/.test(name))
    .map((name) =>
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    );

describe(`a data directory of release ${release}`, function () {
  this.timeout(180_000);
  let receiver: Receiver;
  let directory: string;
  let service: ServiceProcess;
  const next = nextRelease({ events: true });
  const start = (main?: string) =>
    startService({ dataDirectory: directory, environment: withoutRetention, ...(main !== undefined && { main }) });

  beforeEach(async () => {
    receiver = await startReceiver(receiverPort);
    directory = unpackedData();
  });
  afterEach(async () => {
    await service?.stop('SIGKILL');
    await receiver.close();
  });

  /** All that users of the service have: their tokens, listeners and secrets, the deliveries that wait, what was published. */
  async function keepsItsPromises(): Promise<void> {
    const { status, body } = await refresh(service, refreshToken);
    expect(status, JSON.stringify(body)).to.equal(200);

    const [waiting] = await receiver.has(1);
    if (!waiting) throw new Error('nothing came');
    expect(waiting.path).to.equal(listeners.active.path);
    expect(waiting.headers['webhook-id']).to.equal(events.waitingWebhookId);
    expect(verify(waiting, listeners.active.signingSecret)).to.deep.include({ id: events.waiting, data: { total: 1 } });

    const hookUrl = ({ path }: RecordedListener) => `${receiver.origin}${path}`;
    const again = await subscribe(service, hookUrl(listeners.active));
    expect(again).to.include({
      listenerId: listeners.active.listenerId,
      signingSecret: listeners.active.signingSecret,
    });

    expect(await publish(service, { id: events.delivered, type: 'flow.completed', data: {} })).to.equal(
      events.delivered,
    );
    const key = { authorization: `Bearer ${apiKey}` };
    const published = await service.fetch('/api/flows', {
      headers: key,
      json: { id: 'large', orgId: 'acme', type: 'flow.completed', data: { total: 41 } },
    });
    expect(published.status, JSON.stringify(published.body)).to.equal(202);
    const at = ({ path }: RecordedListener) => receiver.received.filter((each) => each.path === path);
    const idsAt = (listener: RecordedListener) => at(listener).map((each) => JSON.parse(each.body).id);
    await until(() => at(listeners.selective).length === 1, 'the next event at the selective listener');
    const [transformed] = at(listeners.selective);
    expect(transformed && verify(transformed, listeners.selective.signingSecret)).to.deep.equal({ sum: 41 });
    await until(() => at(listeners.active).length === 2, 'the next event at the active listener');

    const { post } = administratorOf(() => service);
    expect((await post(`/listeners/${listeners.paused.listenerId}/resume`, { redeliverHeld: true })).status).to.equal(
      200,
    );
    await until(() => at(listeners.paused).length === 2, 'what was held for the paused listener');
    expect(idsAt(listeners.paused)).to.have.members([events.waiting, 'large']);
    expect((await unsubscribe(service, hookUrl(listeners.other), 'globex')).status).to.equal(200);

    expect(idsAt(listeners.active), 'what had been delivered, and published again').to.have.members([
      events.waiting,
      'large',
    ]);
    expect(at(listeners.removed)).to.deep.equal([]);
  }

  it('is opened by this release', async () => {
    service = await start();
    await keepsItsPromises();
    expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it(`is upgraded by a release ${nextVersion} with a new event version, view version and schema`, async () => {
    service = await start(next.main);
    await keepsItsPromises();
    await subscribe(service, `${receiver.origin}/new`);
    const { ended, stdout } = startCliOf(next.cli, directory, '--json', 'views', 'status', 'listeners');
    await ended;
    expect(stdout(), 'the live build of the view').to.match(/"version":2\b/);
    expect(await service.stop()).to.deep.equal({ code: 0, signal: null });

    expect(schemaOf(directory, 'deliveries.db')).to.equal(deliveriesFile.migrations.length + 1);
    expect(rowsOf(directory, 'events.db', `SELECT 1 FROM sqlite_schema WHERE name = 'events_by_type'`)).to.have.length(
      1,
    );
    const versions = rowsOf(
      directory,
      'events.db',
      `SELECT json_extract(metadata, '$.schemaVersion') AS version, json_extract(data, '$.origin') AS origin
       FROM events WHERE type = 'ListenerSubscribed' ORDER BY position`,
    );
    const old = Object.keys(listeners).map(() => ({ version: 1, origin: null }));
    expect(versions, 'what was written stays as it was').to.deep.equal([...old, { version: 2, origin: nextVersion }]);

    const [build = ''] = readdirSync(join(directory, 'read-models')).filter((name) =>
      /^listeners-v2-.*\.db$/.test(name),
    );
    const [{ documents } = { documents: '' }] = rowsOf(
      directory,
      join('read-models', build),
      `SELECT group_concat(document) AS documents FROM documents`,
    ) as readonly { documents: string }[];
    expect(documents, 'events of the old version are read as the new one').to.include(`before ${nextVersion}`);
  });

  it('is refused by the old release afterwards, which says why and changes nothing', async () => {
    service = await start(next.main);
    await service.stop();
    const before = digestsOf(directory);
    const { code, printed } = await startRefused({ DATA_DIR: directory });
    expect(code).to.equal(1);
    expect(printed).to.match(
      /(events|deliveries)\.db was written by a newer release \(schema \d, this one knows up to \d\)/,
    );
    expect(digestsOf(directory)).to.deep.equal(before);
  });

  it('goes back by the backup that was made before the upgrade', async () => {
    const copy = unpackedData();
    service = await start(next.main);
    await service.stop();
    await receiver.close();
    receiver = await startReceiver(receiverPort); // the next release has delivered what waited
    directory = copy;
    service = await start();
    await keepsItsPromises();
  });
});
