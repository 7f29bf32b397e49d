import { expect } from 'chai';
import fc from 'fast-check';
import { v5 } from 'uuid';
import { uuidV5 } from '../../src/kernel/uuid.js';

const text = fc.string({ unit: 'grapheme' });
const longText = fc.string({ unit: 'grapheme', minLength: 250, maxLength: 350, size: 'max' });

describe('UUIDv5', () => {
  it('matches the example of RFC 9562', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(uuidV5(dns)('www.example.com')).to.equal('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('matches another implementation for any namespace and name', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.oneof(text, longText), (namespace, name) => {
        expect(uuidV5(namespace)(name)).to.equal(v5(name, namespace));
      }),
    );
  });
});
