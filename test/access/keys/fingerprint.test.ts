import { expect } from 'chai';
import { KeysDiffer } from '../../../src/access/keys/errors.js';
import { checkKeys, fingerprintOf, keysLifecycle, recordKeys } from '../../../src/access/keys/fingerprint.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { given } from '../../support/given.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const keyOf = (text: string) => Buffer.alloc(32, text);

/** The fingerprint of an instance with these keys: `{ master: { g1: 'a' }, signing: ['x'] }`. */
const instance = ({
  master = { g1: 'a' },
  signing = ['x'],
}: {
  master?: Record<string, string>;
  signing?: readonly [string, ...string[]];
}) => {
  const keys = masterKeys(new Map(Object.entries(master).map(([name, text]) => [name, keyOf(text)])));
  return fingerprintOf(keys, { thumbprints: signing });
};
type Instance = ReturnType<typeof instance>;

const recorded = (data: Instance) => ({ type: 'KeysRecorded', data }) as const;
const starting = (inUse: Instance) => (known: Instance | undefined) => recordKeys(inUse, known);
const service = (...before: Instance[]) => given(keysLifecycle, before.map(recorded));

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
      .then([recorded(both)]);
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

  it('contains no key material', () => {
    expect(JSON.stringify(instance({}))).to.not.include(keyOf('a').toString('base64url'));
  });

  it('is stored in the event store', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const context = { cause: { actor: 'service', correlationId: 'start' }, now: new Date() };
    await Promise.all([checkKeys(store, instance({}), context), checkKeys(store, instance({}), context)]);
    await checkKeys(store, instance({}), context);
    expect(await rejection(checkKeys(store, instance({ master: { g1: 'z' } }), context))).to.be.instanceOf(KeysDiffer);
    let count = 0;
    for await (const _ of store.readStream('service-keys')) count += 1;
    expect(count).to.equal(1);
    await store.close();
  });
});
