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
  it('is recorded at the first start, and only then', () => {
    const first = instance({});
    service()
      .when(starting(first))
      .then([recorded(first)]);
    service(first)
      .when(starting(instance({})))
      .then([]);
  });

  it('is recorded anew where a master key has been added, in front or behind', () => {
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

  it('changes nothing where only the order of the master keys does', () => {
    service(instance({ master: { g2: 'b', g1: 'a' } }))
      .when(starting(instance({ master: { g1: 'a', g2: 'b' } })))
      .then([]);
  });

  it('refuses a start without a master key that was recorded, or with another one under its name', () => {
    const known = service(instance({ master: { g2: 'b', g1: 'a' } }));
    known.when(starting(instance({ master: { g2: 'b' } }))).thenThrows(KeysDiffer, /generation g1 is missing/);
    known.when(starting(instance({ master: { g2: 'b', g1: 'c' } }))).thenThrows(KeysDiffer, /g1 differs/);
  });

  it('lets a signing key go only once another one signs', () => {
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

  it('holds no key material', () => {
    expect(JSON.stringify(instance({}))).to.not.include(keyOf('a').toString('base64url'));
  });

  it('is kept in the event store', async () => {
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
