import { expect } from 'chai';
import fc from 'fast-check';
import { UnknownKeyGeneration } from '../../../src/access/errors.js';
import { decryptValue, encryptValue } from '../../../src/access/keys/encrypted-values.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';

const keyOf = (byte: number) => Buffer.alloc(32, byte);
const older = masterKeys(new Map([['g1', keyOf(1)]]));
const both = masterKeys(
  new Map([
    ['g2', keyOf(2)],
    ['g1', keyOf(1)],
  ]),
);
const newer = masterKeys(new Map([['g2', keyOf(2)]]));
const of = { purpose: 'test', owner: 'a' };

describe('a value that is encrypted under a master key', () => {
  it('is what it was, whatever it was', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, owner) => {
        const value = encryptValue(older, { ...of, owner }, text);
        expect(decryptValue(older, { ...of, owner }, value)).to.equal(text);
      }),
    ));

  it('looks different each time, and does not contain the text', () => {
    const [one, other] = [encryptValue(older, of, 'secret'), encryptValue(older, of, 'secret')];
    expect(one.sealed).not.to.equal(other.sealed);
    expect(Buffer.from(one.sealed, 'base64url').includes('secret')).to.equal(false);
  });

  it('is valid for its owner and purpose alone, and unchanged', () => {
    const value = encryptValue(older, of, 'secret');
    expect(() => decryptValue(older, { ...of, owner: 'b' }, value)).to.throw();
    expect(() => decryptValue(older, { ...of, purpose: 'other' }, value)).to.throw();
    const bytes = Buffer.from(value.sealed, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const sealed = changed.toString('base64url');
      expect(() => decryptValue(older, of, { ...value, sealed }), `byte ${index}`).to.throw();
    }
    expect(() => decryptValue(older, of, { ...value, sealed: '' })).to.throw();
  });

  it('is readable after a rotation, until the master key that it names is retired', () => {
    const value = encryptValue(older, of, 'secret');
    expect(decryptValue(both, of, value)).to.equal('secret');
    expect(encryptValue(both, of, 'secret').keyGeneration).to.equal('g2');
    expect(() => decryptValue(newer, of, value)).to.throw(UnknownKeyGeneration);
  });
});
