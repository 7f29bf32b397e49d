import { expect } from 'chai';
import { KeysDiffer } from '../../../src/access/errors.js';
import { type Fingerprint, keysDecider, recordedSigningKey } from '../../../src/access/keys/recorded-keys.js';
import { KeyStillNeeded, RotationUnderWay, UnknownKey } from '../../../src/admin/keys/errors.js';
import {
  retireMasterKey,
  retireSigningKey,
  rotateMasterKey,
  rotateSigningKey,
} from '../../../src/admin/keys/rotation.js';
import type { KeysEvent, RecordedKeys } from '../../../src/events/key-events.js';
import { given } from '../../support/given.js';

const now = new Date('2026-01-01T12:00:00.000Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const iso = (minutes: number) => inMinutes(minutes).toISOString();

const state = (changes: Partial<RecordedKeys> = {}): RecordedKeys => ({
  masterKeys: { g1: 'one' },
  signingKeys: ['x'],
  signsFrom: {},
  retired: { masterKeys: [], signingKeys: [] },
  ...changes,
});
const service = (changes: Partial<RecordedKeys> = {}) =>
  given<RecordedKeys | undefined, KeysEvent>(keysDecider, [{ type: 'KeysRecorded', data: state(changes) } as const]);
const instance = (changes: Partial<Fingerprint> = {}): Fingerprint => {
  const { masterKeys, signingKeys, signsFrom } = state();
  return { masterKeys, signingKeys, signsFrom, signer: 'x', derivesFrom: 'g1', ...changes };
};
const known =
  (decide: (recorded: RecordedKeys) => readonly KeysEvent[]) =>
  (recorded: RecordedKeys | undefined): readonly KeysEvent[] =>
    decide(recorded ?? state());

const withY = { signingKeys: ['x', 'y'], signsFrom: { y: iso(15) } };

describe('rotating a signing key', () => {
  const rotate = (keys: Fingerprint, thumbprint = 'y') =>
    known((recorded) => rotateSigningKey({ keys, thumbprint, now }, recorded));

  it('records the key, and when it begins to sign', () => {
    service()
      .when(rotate(instance(withY)))
      .then([{ type: 'SigningKeyRotated', data: { ...state(withY), thumbprint: 'y' } }]);
  });

  it('is recorded also if an instance has recorded the key first', () => {
    service(withY)
      .when(rotate(instance(withY)))
      .then([{ type: 'SigningKeyRotated', data: { ...state(withY), thumbprint: 'y' } }]);
  });

  it('is refused while another key waits to sign', () => {
    const keys = instance({ signingKeys: ['x', 'y', 'z'], signsFrom: { y: iso(15), z: iso(20) } });
    service(withY)
      .when(rotate(keys, 'z'))
      .thenThrows(RotationUnderWay, /signing key y is published/);
  });

  it('is refused for the keys of another service', () => {
    service({ masterKeys: { g1: 'other' } })
      .when(rotate(instance(withY)))
      .thenThrows(KeysDiffer);
  });
});

describe('retiring a signing key', () => {
  const tokenLifetimeMs = 60 * 60_000;
  const retire = (thumbprint: string, at: Date) =>
    known((recorded) => retireSigningKey({ thumbprint, tokenLifetimeMs, now: at }, recorded));
  const rotated = { signingKeys: ['x', 'y'], signsFrom: { y: iso(0) } };

  it('is refused for the key that signs', () => {
    service(rotated)
      .when(retire('y', inMinutes(0)))
      .thenThrows(KeyStillNeeded, /signing key y signs/);
    service()
      .when(retire('x', inMinutes(0)))
      .thenThrows(KeyStillNeeded);
  });

  it('is refused while tokens that it has signed may be valid', () => {
    service(rotated)
      .when(retire('x', new Date(inMinutes(60).getTime() - 1)))
      .thenThrows(KeyStillNeeded, `may be valid until ${iso(60)}`);
    const data = state({
      signingKeys: ['y'],
      signsFrom: { y: iso(0) },
      retired: { masterKeys: [], signingKeys: ['x'] },
    });
    service(rotated)
      .when(retire('x', inMinutes(60)))
      .then([{ type: 'SigningKeyRetired', data: { ...data, thumbprint: 'x' } }]);
  });

  it('counts from the next key, not from the latest', () => {
    const twice = { signingKeys: ['x', 'y', 'z'], signsFrom: { y: iso(0), z: iso(50) } };
    service(twice)
      .when(retire('y', inMinutes(61)))
      .thenThrows(KeyStillNeeded, iso(110));
    const retired = { masterKeys: [], signingKeys: ['x'] };
    const data = state({ signingKeys: ['y', 'z'], signsFrom: twice.signsFrom, retired });
    service(twice)
      .when(retire('x', inMinutes(61)))
      .then([{ type: 'SigningKeyRetired', data: { ...data, thumbprint: 'x' } }]);
  });

  it('takes back a key that has not begun to sign', () => {
    const data = state({ retired: { masterKeys: [], signingKeys: ['y'] } });
    service(withY)
      .when(retire('y', inMinutes(0)))
      .then([{ type: 'SigningKeyRetired', data: { ...data, thumbprint: 'y' } }]);
  });

  it('changes nothing for a retired key, and is refused for an unknown one', () => {
    service({ retired: { masterKeys: [], signingKeys: ['w'] } })
      .when(retire('w', now))
      .then([]);
    for (const unknown of ['nothing', 'constructor']) service().when(retire(unknown, now)).thenThrows(UnknownKey);
  });

  it('leaves the key that signs to the times on record', () => {
    expect(recordedSigningKey(state(withY), inMinutes(14))).to.equal('x');
    expect(recordedSigningKey(state(withY), inMinutes(15))).to.equal('y');
  });
});

describe('rotating and retiring a master key', () => {
  const both = { g2: 'two', g1: 'one' };
  const none = { listeners: 0, sessions: 0 };
  const retire = (generation: string, derived = none) =>
    known((recorded) => retireMasterKey({ generation, derivesFrom: 'g2', derived }, recorded));

  it('records the key, and when secrets begin to be derived from it', () => {
    const keys = instance({ masterKeys: both });
    const command = { keys, generation: 'g2', derivesFrom: iso(15), now };
    service()
      .when(known((recorded) => rotateMasterKey(command, recorded)))
      .then([
        {
          type: 'MasterKeyRotated',
          data: { ...state({ masterKeys: both }), generation: 'g2', derivesFrom: iso(15) },
        },
      ]);
  });

  it('is refused while the key is current, or something in use was derived from it', () => {
    service({ masterKeys: both })
      .when(retire('g2'))
      .thenThrows(KeyStillNeeded, /derived from the master key/);
    service({ masterKeys: both })
      .when(retire('g1', { listeners: 2, sessions: 1 }))
      .thenThrows(KeyStillNeeded, /of listeners 2, of sessions 1/);
  });

  it('takes the key off the record, so that instances start without it', () => {
    const data = state({ masterKeys: { g2: 'two' }, retired: { masterKeys: ['g1'], signingKeys: [] } });
    service({ masterKeys: both })
      .when(retire('g1'))
      .then([{ type: 'MasterKeyRetired', data: { ...data, generation: 'g1' } }]);
    service({ retired: { masterKeys: ['g0'], signingKeys: [] } })
      .when(retire('g0'))
      .then([]);
    for (const unknown of ['g9', 'constructor'])
      service({ masterKeys: both }).when(retire(unknown)).thenThrows(UnknownKey);
  });
});
