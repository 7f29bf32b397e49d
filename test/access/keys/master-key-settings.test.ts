import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { UnusableKeys } from '../../../src/access/errors.js';
import {
  generateMasterKey,
  generateMasterKeys,
  parseMasterKeys,
  readMasterKeys,
} from '../../../src/access/keys/master-keys.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const key = (byte: number, length = 32) => Buffer.alloc(length, byte).toString('base64');

describe('master keys in the settings', () => {
  it('are pairs of generation and key; the first one derives new secrets', () => {
    const keys = parseMasterKeys(`g2:${key(2)},g1:${key(1)}`);
    expect(keys.current).to.equal('g2');
    expect(keys.generations).to.eql(['g2', 'g1']);
  });

  it('are used from their time on, if they have one, and the last one before', () => {
    const at = new Date('2026-01-01T12:00:00Z');
    const time = at.getTime() / 1_000;
    const currentAt = (ms: number, text: string) => parseMasterKeys(text, () => new Date(at.getTime() + ms)).current;
    const pair = `g2@${time}:${key(2)}`;
    for (const text of [`${pair},g1:${key(1)}`, `${pair}\ng1@0:${key(1)}`]) {
      expect(currentAt(-1, text)).to.equal('g1');
      expect(currentAt(0, text)).to.equal('g2');
    }
    expect(currentAt(-1, pair)).to.equal('g2');
    const keys = parseMasterKeys(`${pair},g1:${key(1)}`);
    expect(keys.derivesFrom).to.eql({ g2: at.toISOString() });
    expect(keys.derive('g2', 'test')).to.eql(parseMasterKeys(`g2:${key(2)}`).derive('g2', 'test'));
  });

  it('may have a time in the setting itself', async () => {
    expect((await readMasterKeys(`g2@1800000000:${key(2)}`)).generations).to.eql(['g2']);
  });

  it('are generated for a time', () => {
    const pair = generateMasterKey('g7', new Date('2026-01-01T12:00:00Z'));
    expect(parseMasterKeys(pair).derivesFrom).to.eql({ g7: '2026-01-01T12:00:00.000Z' });
  });

  it('may be in base64 or base64url, padded or not, on separate lines', () => {
    const derived = (text: string) => parseMasterKeys(text).derive('g1', 'test').toString('hex');
    const bytes = Buffer.alloc(32, 0xfb);
    const expected = derived(`g1:${bytes.toString('base64')}`);
    expect(derived(`\n g1:${bytes.toString('base64url')} ,\n`)).to.equal(expected);
    expect(derived(`g1:${bytes.toString('base64').replace('=', '')}\ng0:${key(1)}`)).to.equal(expected);
  });

  it('are read from the text or from a file', async () => {
    const text = generateMasterKeys();
    const file = join(temporaryDirectory(), 'master-keys');
    writeFileSync(file, text);
    const derived = async (given: string) => (await readMasterKeys(given)).derive('g1', 'test').toString('hex');
    expect(await derived(file)).to.equal(await derived(text));
    expect(await rejection(readMasterKeys(`${file}.missing`))).to.be.instanceOf(UnusableKeys);
  });

  it('are refused if they cannot be used, with an error that names the generation but not the key', () => {
    const wrong = {
      'g1 has 31 bytes': [`g1:${key(1, 31)}`, /generation g1 has 31 bytes/],
      'g1 occurs twice': [`g1:${key(1)},g1:${key(2)}`, /two master keys of generation g1/],
      'g2 is not base64': [`g1:${key(1)},g2:${key(2).replace('A', '!')}*`, /generation g2 is not base64/],
      'a generation is missing': [`g1:${key(1)},${key(2)}`, /master key 2 must be generation:key/],
      'a generation has invalid characters': [`g/1:${key(1)}`, /master key 1 must be/],
      'a time is no number': [`g1@soon:${key(1)}`, /master key 1 must be generation:key or generation@seconds:key/],
      'there are two times': [`g1@1@2:${key(1)}`, /master key 1 must be/],
      'there are no keys': [' , ', /at least one/],
    } as const;
    for (const [what, [text, message]] of Object.entries(wrong)) {
      expect(() => parseMasterKeys(text), what).to.throw(UnusableKeys, message);
      try {
        parseMasterKeys(text);
      } catch (error) {
        expect(String(error), what).to.not.include(key(1).slice(0, 16)).and.not.include(key(2).slice(0, 16));
      }
    }
  });
});
