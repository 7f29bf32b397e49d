import { expect } from 'chai';
import { z } from 'zod';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { sealedValues } from '../../../src/access/providers/sealed-values.js';

const key = (byte: number) => Buffer.alloc(32, byte);
const schema = z.object({ text: z.string() });

describe('a sealed value', () => {
  let ms = Date.now();
  const values = (generations: readonly (readonly [string, Buffer])[], purpose = 'test') => {
    const keys = { masterKeys: masterKeys(new Map(generations)), now: () => new Date(ms) };
    return sealedValues(keys, { purpose, schema, lifetimeMs: 60_000 });
  };
  const old = values([['g1', key(1)]]);

  it('can be opened by every instance with the master key, also after a new one was put in front', async () => {
    const sealed = await old.seal({ text: 'a' });
    expect(sealed).to.not.include('text');
    expect(
      await values([
        ['g2', key(2)],
        ['g1', key(1)],
      ]).open(sealed),
    ).to.deep.equal({ text: 'a' });
  });

  it('cannot be opened without its master key, with another one, or for another purpose', async () => {
    const sealed = await old.seal({ text: 'a' });
    expect(await values([['g2', key(2)]]).open(sealed)).to.equal(undefined);
    expect(await values([['g1', key(2)]]).open(sealed)).to.equal(undefined);
    expect(await values([['g1', key(1)]], 'other').open(sealed)).to.equal(undefined);
    expect(await old.open('nonsense')).to.equal(undefined);
  });

  it('expires', async () => {
    const sealed = await old.seal({ text: 'a' });
    ms += 60_000;
    expect(await old.open(sealed)).to.equal(undefined);
  });
});
