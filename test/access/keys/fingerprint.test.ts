import { expect } from 'chai';
import { KeysDiffer } from '../../../src/access/errors.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import {
  adoptKeys,
  checkKeys,
  type Fingerprint,
  fingerprintOf,
  keysDecider,
  recordKeys,
} from '../../../src/access/keys/recorded-keys.js';
import type { RecordedKeys } from '../../../src/events/key-events.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { given } from '../../support/given.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const keyOf = (text: string) => Buffer.alloc(32, text);

type Keys = {
  master?: Record<string, string>;
  /** Keys in the order of the file. */
  signing?: readonly [string, ...string[]];
  signsFrom?: Record<string, string>;
  /** The key that signs now. */
  signer?: string;
};

/** The fingerprint of an instance with these keys: `{ master: { g1: 'a' }, signing: ['x'] }`. */
const instance = ({
  master = { g1: 'a' },
  signing = ['x'],
  signsFrom = {},
  signer = signing[0],
}: Keys): Fingerprint => {
  const keys = masterKeys(new Map(Object.entries(master).map(([name, text]) => [name, keyOf(text)])));
  const publicJwk = { kty: 'EC' };
  return fingerprintOf(keys, { thumbprints: signing, signsFrom, signer: () => ({ thumbprint: signer, publicJwk }) });
};

const now = new Date('2026-01-01T12:00:00.000Z');
const later = '2026-01-01T12:15:00.000Z';
const none = { masterKeys: [], signingKeys: [] };

const keysOf = ({ masterKeys, signingKeys, signsFrom }: Fingerprint, more: Partial<RecordedKeys> = {}) => ({
  masterKeys,
  signingKeys,
  signsFrom,
  retired: none,
  ...more,
});
const recorded = (inUse: Fingerprint, more: Partial<RecordedKeys> = {}) =>
  ({ type: 'KeysRecorded', data: keysOf(inUse, more) }) as const;
const starting = (inUse: Fingerprint) => (known: RecordedKeys | undefined) => recordKeys(inUse, known, now);
const adopting = (inUse: Fingerprint) => (known: RecordedKeys | undefined) => adoptKeys(inUse, known, now);
const service = (...before: Fingerprint[]) =>
  given(
    keysDecider,
    before.map((each) => recorded(each)),
  );
const withRecord = (...before: ReturnType<typeof recorded>[]) => given(keysDecider, before);

describe('the fingerprint of the keys', () => {
  it('is recorded at the first start and not again', () => {
    const first = instance({});
    service()
      .when(starting(first))
      .then([recorded(first)]);
    service(first)
      .when(starting(instance({})))
      .then([]);
  });

  it('is recorded again when a master key has been added, at the front or at the end', () => {
    for (const master of [
      { g2: 'b', g1: 'a' },
      { g1: 'a', g2: 'b' },
    ]) {
      const next = instance({ master });
      service(instance({}))
        .when(starting(next))
        .then([recorded(next)]);
    }
  });

  it('is not recorded again when only the order of the master keys changes', () => {
    service(instance({ master: { g2: 'b', g1: 'a' } }))
      .when(starting(instance({ master: { g1: 'a', g2: 'b' } })))
      .then([]);
  });

  it('refuses a start with a recorded master key missing or changed', () => {
    const known = service(instance({ master: { g2: 'b', g1: 'a' } }));
    known.when(starting(instance({ master: { g2: 'b' } }))).thenThrows(KeysDiffer, /generation g1 is missing/);
    known.when(starting(instance({ master: { g2: 'b', g1: 'c' } }))).thenThrows(KeysDiffer, /g1 differs/);
  });

  it('allows removing a signing key only after another one signs', () => {
    const both = instance({ signing: ['y', 'x'] });
    service(instance({}))
      .when(starting(both))
      .then([recorded(both, { signsFrom: { y: now.toISOString() } })]);
    const young = instance({ signing: ['y'] });
    service(both)
      .when(starting(young))
      .then([recorded(young)]);
    service(both)
      .when(starting(instance({})))
      .thenThrows(KeysDiffer, /thumbprint y is missing/);
    service(instance({}))
      .when(starting(young))
      .thenThrows(KeysDiffer, /thumbprint x is missing/);
  });

  it('keeps the time from which a key signs', () => {
    const pending = instance({ signing: ['x', 'y'], signsFrom: { y: later } });
    service(instance({}))
      .when(starting(pending))
      .then([recorded(pending)]);
    service(pending).when(starting(pending)).then([]);
  });

  it('keeps a key on record that an instance does not have yet, until it signs: then the instance is refused', () => {
    const pending = instance({ signing: ['x', 'y'], signsFrom: { y: later } });
    service(pending)
      .when(starting(instance({})))
      .then([]);
    const begun = instance({ signing: ['x', 'y'], signsFrom: { y: '2026-01-01T11:59:59.000Z' }, signer: 'y' });
    service(begun)
      .when(starting(instance({})))
      .thenThrows(KeysDiffer, /thumbprint y is missing/);
  });

  it('does not record retired keys again that an outdated file still holds', () => {
    const retired = { masterKeys: ['g1'], signingKeys: ['x'] };
    withRecord(recorded(instance({ master: { g2: 'b' }, signing: ['y'] }), { retired }))
      .when(starting(instance({ master: { g2: 'b', g1: 'a' }, signing: ['y', 'x'] })))
      .then([]);
  });

  describe('when a running instance reads its files again', () => {
    it('is recorded if keys were added that are used later', () => {
      const next = instance({ master: { g1: 'a', g2: 'b' }, signing: ['x', 'y'], signsFrom: { y: later } });
      service(instance({}))
        .when(adopting(next))
        .then([recorded(next)]);
    });

    it('is refused if a key would be used at once that other instances do not know', () => {
      service(instance({}))
        .when(adopting(instance({ signing: ['y', 'x'] })))
        .thenThrows(KeysDiffer, /thumbprint y is new and would be used at once/);
      service(instance({}))
        .when(adopting(instance({ master: { g2: 'b', g1: 'a' } })))
        .thenThrows(KeysDiffer, /generation g2 is new and would be used at once/);
    });

    it('is accepted if the key that is used at once is on record already', () => {
      service(instance({ master: { g1: 'a', g2: 'b' } }))
        .when(adopting(instance({ master: { g2: 'b', g1: 'a' } })))
        .then([]);
    });

    it('is refused if a key is missing that is needed', () => {
      const known = service(instance({ master: { g2: 'b', g1: 'a' } }));
      known.when(adopting(instance({ master: { g2: 'b' } }))).thenThrows(KeysDiffer, /generation g1 is missing/);
    });
  });

  it('contains no key material', () => {
    expect(JSON.stringify(instance({}))).to.not.include(keyOf('a').toString('base64url'));
  });

  it('is stored in the event store', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const context = { cause: { actor: 'service', correlationId: 'start' }, now };
    await Promise.all([
      checkKeys(store, instance({}), recordKeys, context),
      checkKeys(store, instance({}), recordKeys, context),
    ]);
    await checkKeys(store, instance({}), recordKeys, context);
    expect(await rejection(checkKeys(store, instance({ master: { g1: 'z' } }), recordKeys, context))).to.be.instanceOf(
      KeysDiffer,
    );
    let count = 0;
    for await (const _ of store.readStream('service-keys')) count += 1;
    expect(count).to.equal(1);
    await store.close();
  });
});
