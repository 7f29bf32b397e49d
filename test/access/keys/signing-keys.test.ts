import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type JWK, jwtVerify } from 'jose';
import { UnusableKeys } from '../../../src/access/errors.js';
import {
  generateSigningKey,
  generateSigningKeys,
  readSigningKeys,
  signingKeys,
} from '../../../src/access/keys/signing-keys.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const ed25519 = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const set = (...keys: object[]) => JSON.stringify({ keys });
const withoutPrivate = ({ d, ...rest }: { d?: string }) => rest;

describe('signing keys', () => {
  it('sign with the first key and verify with all keys', async () => {
    const [old, young] = [p256(), ed25519()];
    const before = await signingKeys(set(old));
    const rotated = await signingKeys(set(young, withoutPrivate(old)));
    for (const token of [await before.sign({ sub: 'ada' }, 'JWT'), await rotated.sign({ sub: 'ada' }, 'JWT')]) {
      const { payload } = await jwtVerify(token, rotated.find, { algorithms: [...rotated.algorithms] });
      expect(payload.sub).to.equal('ada');
    }
    expect(rotated.algorithms).to.eql(['EdDSA', 'ES256']);
  });

  describe('with a time from which one signs', () => {
    const at = new Date('2026-01-01T12:00:00Z');
    const seconds = at.getTime() / 1_000;
    const signsAt = async (time: Date, ...keys: object[]) => {
      const parsed = await signingKeys(set(...keys), () => time);
      const { protectedHeader } = await jwtVerify(await parsed.sign({}, 'JWT'), parsed.find);
      expect(parsed.signer().publicJwk.kid).to.equal(protectedHeader.kid);
      return protectedHeader.kid;
    };
    const old = { ...p256(), kid: 'old' };
    const young = { ...p256(), kid: 'young', signs_from: seconds };
    const before = new Date(at.getTime() - 1);

    it('sign with it from that time on, wherever it is in the set, and publish it before', async () => {
      for (const keys of [
        [old, young],
        [young, old],
      ]) {
        expect(await signsAt(before, ...keys)).to.equal('old');
        expect(await signsAt(at, ...keys)).to.equal('young');
      }
      const { publicKeys, signsFrom, thumbprints } = await signingKeys(set(old, young), () => before);
      expect(publicKeys.keys.map(({ kid }) => kid)).to.eql(['old', 'young']);
      expect(JSON.stringify(publicKeys)).to.not.include('signs_from');
      expect(signsFrom).to.eql({ [thumbprints[1] ?? '']: at.toISOString() });
    });

    it('sign with the latest of several', async () => {
      const next = { ...p256(), kid: 'next', signs_from: seconds + 60 };
      expect(await signsAt(at, old, next, young)).to.equal('young');
      expect(await signsAt(new Date(at.getTime() + 60_000), old, next, young)).to.equal('next');
    });

    it('sign with the only key at any time', async () => expect(await signsAt(before, young)).to.equal('young'));

    it('are refused if the key is public or the time is no number of seconds', async () => {
      for (const wrong of [
        withoutPrivate(young),
        { ...young, signs_from: at.toISOString() },
        { ...young, signs_from: -1 },
      ])
        expect(await rejection(signingKeys(set(old, wrong)))).to.be.instanceOf(UnusableKeys);
    });

    it('are generated for that time, of the same kind as another key', async () => {
      for (const kind of [p256(), ed25519()]) {
        const key = generateSigningKey({ like: kind as JWK, signsFrom: at });
        expect(key).to.include({ kty: kind.kty, signs_from: seconds });
        expect(await signsAt(at, kind, key)).to.equal((await signingKeys(set(key))).thumbprints[0]);
      }
    });
  });

  it('name the algorithm and the key in the header of a signed token', async () => {
    const keys = await signingKeys(set({ ...p256(), kid: 'mine' }));
    const { protectedHeader } = await jwtVerify(await keys.sign({}, 'at+jwt'), keys.find);
    expect(protectedHeader).to.eql({ alg: 'ES256', kid: 'mine', typ: 'at+jwt' });
  });

  it('are published without private members, with their kid or else their thumbprint', async () => {
    const keys = await signingKeys(set(p256(), { ...ed25519(), kid: 'mine', extra: 'secret' }));
    const [first, second] = keys.publicKeys.keys;
    expect(first).to.have.all.keys('kty', 'crv', 'x', 'y', 'kid', 'use', 'alg');
    expect(first?.kid).to.equal(keys.thumbprints[0]);
    expect(second).to.have.all.keys('kty', 'crv', 'x', 'kid', 'use', 'alg');
    expect(second?.kid).to.equal('mine');
  });

  it('are read from JSON or from a file', async () => {
    const json = generateSigningKeys();
    const file = join(temporaryDirectory(), 'keys.json');
    writeFileSync(file, json);
    expect((await readSigningKeys(file)).thumbprints).to.eql((await readSigningKeys(json)).thumbprints);
    expect(await rejection(readSigningKeys(`${file}.missing`))).to.be.instanceOf(UnusableKeys);
  });

  it('cause an error that names the setting and the unreadable file, but never possible key material', async () => {
    const saidOf = async (given: string) => String(await rejection(readSigningKeys(given)));
    const missing = join(temporaryDirectory(), 'missing');
    expect(await saidOf(missing)).to.equal(`UnusableKeys: SIGNING_KEYS: ${missing} does not exist`);
    expect(await saidOf(temporaryDirectory())).to.match(/SIGNING_KEYS: \/\S+ is a directory$/);
    for (const mistaken of ['[{"kty":"EC","d":"secret"}]', 'c2VjcmV0', "'{secret}'"]) {
      expect(await saidOf(mistaken)).to.equal('UnusableKeys: SIGNING_KEYS: the file given does not exist');
    }
  });

  it('are refused if they cannot be used, with an error without key material', async () => {
    const key = p256();
    const secret = String(key.d);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });
    const unusable = {
      'not JSON': `{"keys": [${secret}`,
      'a key instead of a set': JSON.stringify(key),
      'an empty set': set(),
      'a public key as the first': set(withoutPrivate(key), key),
      'the same kid twice': set({ ...key, kid: 'a' }, { ...p256(), kid: 'a' }),
      'an RSA key': set(rsa),
      'a secret key': set({ kty: 'oct', k: secret }),
      'a point off the curve': set({ ...key, x: secret }),
      'a key without y': set({ ...key, y: undefined }),
    };
    for (const [what, json] of Object.entries(unusable)) {
      const error = await rejection(signingKeys(json));
      expect(error, what).to.be.instanceOf(UnusableKeys);
      expect(String(error) + JSON.stringify(error), what).to.not.include(secret);
    }
  });
});
