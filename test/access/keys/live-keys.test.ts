import { expect } from 'chai';
import { jwtVerify } from 'jose';
import { UnknownKeyGeneration } from '../../../src/access/errors.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { liveMasterKeys, liveSigningKeys } from '../../../src/access/keys/open-keys.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';

describe('keys that are replaced while they are in use', () => {
  it('sign, verify and are published as the new keys', async () => {
    const [before, after] = [await signingKeys(generateSigningKeys()), await signingKeys(generateSigningKeys())];
    const live = liveSigningKeys(before);
    live.replace(after);
    await jwtVerify(await live.sign({}, 'JWT'), after.find);
    await jwtVerify(await after.sign({}, 'JWT'), live.find);
    const { publicKeys, thumbprints, signsFrom, algorithms } = after;
    expect(live).to.deep.include({ publicKeys, thumbprints, signsFrom, algorithms });
    expect(live.signer()).to.deep.equal(after.signer());
  });

  it('derive as the new master keys, and as dropped ones until the next start', () => {
    const generation = (...names: string[]) => masterKeys(new Map(names.map((name) => [name, Buffer.alloc(32, name)])));
    const live = liveMasterKeys(generation('g2', 'g1'));
    const first = live.derive('g1', 'test').toString('hex');
    live.replace(generation('g3', 'g2'));
    live.replace(generation('g4', 'g3'));
    expect(live.current).to.equal('g4');
    expect(live.generations).to.have.members(['g1', 'g2', 'g3', 'g4']);
    expect(live.derive('g1', 'test').toString('hex')).to.equal(first);
    expect(live.derive('g4', 'test')).to.eql(generation('g4').derive('g4', 'test'));
    expect(() => live.derive('g5', 'test')).to.throw(UnknownKeyGeneration);
    live.replace(generation('g4', 'g1'));
    expect(live.generations).to.have.members(['g1', 'g2', 'g3', 'g4']);
  });
});
