import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { KeysDiffer } from '../../../src/access/errors.js';
import { generateMasterKeys, parseMasterKeys } from '../../../src/access/keys/master-keys.js';
import { checkKeys, fingerprintOf, keysDecider, recordKeys } from '../../../src/access/keys/recorded-keys.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { RotationUnderWay } from '../../../src/admin/keys/errors.js';
import { type KeyOperations, rotateMaster, rotateSigning } from '../../../src/admin/keys/operate-keys.js';
import { keysStream } from '../../../src/events/key-events.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { load } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { faultyStore } from '../../access/tokens/token-service.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const cause = { actor: 'operator:ops', correlationId: 'test' };
const now = new Date('2026-01-01T12:00:00.000Z');
const quarterMs = 15 * 60_000;

describe('rotating keys', () => {
  let directory: string;
  let store: EventStore;
  let keys: KeyOperations['keys'];
  beforeEach(async () => {
    directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    const [signing, master] = [generateSigningKeys(), generateMasterKeys()];
    writeFileSync(join(directory, 'signing'), signing, { mode: 0o600 });
    writeFileSync(join(directory, 'master'), master, { mode: 0o600 });
    keys = { signingKeys: await signingKeys(signing, () => now), masterKeys: parseMasterKeys(master, () => now) };
    await checkKeys(store, fingerprintOf(keys.masterKeys, keys.signingKeys), recordKeys, { cause, now });
  });
  afterEach(() => store.close());

  const on = (kind: 'signing' | 'master', changes: Partial<KeyOperations> = {}): KeyOperations => ({
    store,
    keys,
    file: join(directory, kind),
    cause,
    now,
    ...changes,
  });
  const textOf = (kind: 'signing' | 'master') => readFileSync(join(directory, kind), 'utf8');
  const recorded = async () => (await load(store, keysStream, keysDecider)).state;

  it('adds a signing key of the same kind, to be used later, and records it', async () => {
    const { id, from } = await rotateSigning(on('signing'), quarterMs);
    expect(from).to.equal('2026-01-01T12:15:00.000Z');
    const { thumbprints, signsFrom } = await signingKeys(textOf('signing'));
    expect(thumbprints).to.eql([...keys.signingKeys.thumbprints, id]);
    expect(signsFrom).to.eql({ [id]: from });
    expect(await recorded()).to.deep.include({ signingKeys: thumbprints, signsFrom });
  });

  it('adds a master key in front, to be used later, and records it', async () => {
    const { id, from } = await rotateMaster(on('master'), quarterMs);
    const { generations, derivesFrom } = parseMasterKeys(textOf('master'));
    expect([id, generations, derivesFrom]).to.eql(['g2', ['g2', 'g1'], { g2: from }]);
    expect(Object.keys((await recorded())?.masterKeys ?? {})).to.have.members(['g2', 'g1']);
    expect(await rejection(rotateMaster(on('master'), quarterMs))).to.be.instanceOf(RotationUnderWay);
  });

  it('keeps the key in the file if the answer of the store is unknown, since the key may be on record', async () => {
    for (const when of ['before', 'after'] as const) {
      const before = textOf('signing');
      const faulty = faultyStore(store);
      faulty.failing(when, new StoreUnavailable('test'));
      const later = new Date(now.getTime() + (when === 'after' ? 2 * quarterMs : 0));
      const operations = on('signing', { store: faulty.store, now: later });
      expect(await rejection(rotateSigning(operations, quarterMs))).to.be.instanceOf(StoreUnavailable);
      expect(textOf('signing')).to.not.equal(before);
      const repeat = rotateSigning(on('signing', { now: later }), quarterMs);
      expect(await rejection(repeat), 'the key in the file comes first').to.be.instanceOf(RotationUnderWay);
    }
  });

  it('takes the key out of the file again if another rotation was recorded first', async () => {
    const before = textOf('signing');
    const copy = join(directory, 'copy');
    writeFileSync(copy, before, { mode: 0o600 });
    let isFirst = true;
    const racing: EventStore = {
      ...store,
      async append(...args) {
        if (isFirst) {
          isFirst = false;
          await rotateSigning(on('signing', { file: copy }), quarterMs); // on another machine, with a copy of the file
        }
        return store.append(...args);
      },
    };
    const lost = rotateSigning(on('signing', { store: racing }), quarterMs);
    expect(await rejection(lost)).to.be.instanceOf(RotationUnderWay);
    expect(textOf('signing')).to.equal(before);
  });

  it('changes nothing for the keys of another service, or of one that was never started', async () => {
    const other = { ...keys, masterKeys: parseMasterKeys(generateMasterKeys()) };
    const before = textOf('signing');
    expect(await rejection(rotateSigning(on('signing', { keys: other }), quarterMs))).to.be.instanceOf(KeysDiffer);
    const empty = openSqliteEventStore({ directory: temporaryDirectory() });
    expect(await rejection(rotateSigning(on('signing', { store: empty }), quarterMs))).to.be.instanceOf(KeysDiffer);
    await empty.close();
    expect(textOf('signing')).to.equal(before);
  });

  it('gives the key to an operator who has no file to change, and records nothing', async () => {
    const state = await recorded();
    const signing = await rotateSigning(on('signing', { file: undefined }), quarterMs);
    expect((await signingKeys(`{"keys":[${signing.add}]}`)).thumbprints).to.eql([signing.id]);
    const master = await rotateMaster(on('master', { file: undefined }), quarterMs);
    expect(parseMasterKeys(master.add ?? '').derivesFrom).to.eql({ g2: master.from });
    expect(await recorded()).to.eql(state);
  });
});
