import { expect } from 'chai';
import {
  isFree,
  type LeaseRecord,
  type LeaseRecords,
  openLeaseRecords,
  untilExpiry,
} from '../../../src/stores/leases/mongodb/lease-records.js';
import { watchHeartbeats } from '../../../src/stores/mongodb/watch-heartbeats.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';

onMongoDb('the records of leases', ({ database }) => {
  describe('the record of a lease', () => {
    let records: LeaseRecords;
    let name: string;

    beforeEach(() => {
      records = openLeaseRecords(database('lease-records').db);
      name = crypto.randomUUID();
    });

    const seen = async () => (await records.read()).get(name);
    const taken = async (holder: string) => (await records.take(name, holder, await seen())) ?? 0n;

    it('is taken by one of many concurrent instances, the first time and each time after', async () => {
      for (let round = 0; round < 3; round += 1) {
        const before = await seen();
        const racing = Array.from({ length: 10 }, (_, index) => records.take(name, `instance-${index}`, before));
        const terms = (await Promise.all(racing)).filter((term) => term !== undefined);
        expect(terms).to.have.length(1);
        expect((await seen())?.term).to.equal(terms[0]);
        if (before) expect(terms[0]).to.equal(before.term + 1n);
      }
    });

    it('is not taken from a holder that has renewed it since it was read', async () => {
      const term = await taken('one');
      const before = await seen();
      expect([...(await records.renew([{ name, holder: 'one', term }]))]).to.deep.equal([name]);
      expect(await records.take(name, 'other', before)).to.equal(undefined);
    });

    it('is neither renewed nor released by a holder that has lost it', async () => {
      const term = await taken('one');
      const next = await taken('other');
      expect([...(await records.renew([{ name, holder: 'one', term }]))]).to.deep.equal([]);
      await records.release({ name, holder: 'one', term });
      expect(await seen()).to.deep.equal({ _id: name, holder: 'other', term: next, beat: 0n });
    });

    it('is renewed with the others that its holder has, and told from those that are lost', async () => {
      const held = [];
      for (const lease of [name, `${name}-2`, `${name}-3`]) {
        const term = (await records.take(lease, 'one', undefined)) ?? 0n;
        held.push({ name: lease, holder: 'one', term });
      }
      expect([...(await records.renew(held))]).to.deep.equal(held.map((each) => each.name));
      const before = await records.read();
      await records.take(`${name}-2`, 'other', before.get(`${name}-2`));
      expect([...(await records.renew(held))]).to.deep.equal([name, `${name}-3`]);
      const after = await records.read();
      const beats = held.map((each) => after.get(each.name)?.beat);
      expect(beats).to.deep.equal([2n, 0n, 2n]);
    });

    it('of an instance is removed unless it has beaten since it was read', async () => {
      const term = await taken('one');
      const before = await seen();
      await records.renew([{ name, holder: 'one', term }]);
      if (before) await records.remove(before);
      const now = await seen();
      expect(now).to.include({ holder: 'one' });
      if (now) await records.remove(now);
      expect(await seen()).to.equal(undefined);
    });

    it('keeps its term when it is released', async () => {
      const term = await taken('one');
      await records.release({ name, holder: 'one', term });
      expect(await seen()).to.include({ holder: null, term });
      expect(await taken('other')).to.equal(term + 1n);
    });
  });
});

describe('whether a lease is free', () => {
  const leaseMs = 100;
  const record = (beat: bigint, holder: string | null = 'one', term = 1n): LeaseRecord => ({
    _id: 'projector',
    holder,
    term,
    beat,
  });

  function observer() {
    let nowMs = 0;
    let records: LeaseRecord[] = [];
    let readMs = 0;
    const read = async () => {
      nowMs += readMs;
      return new Map(records.map((each) => [each._id, each]));
    };
    const watch = watchHeartbeats(read, leaseMs, () => nowMs);
    const sees = (...found: LeaseRecord[]) => {
      records = found;
      return watch();
    };
    return {
      after: (ms: number) => {
        nowMs += ms;
      },
      readsTake: (ms: number) => {
        readMs = ms;
      },
      sees,
      isFree: async (found: LeaseRecord) => isFree((await sees(found)).get(found._id), 'other', leaseMs),
    };
  }

  it('is free at once when it was released, or when only a lost attempt of our own holds it', async () => {
    const by = observer();
    expect(isFree(undefined, 'other', leaseMs)).to.equal(true);
    expect(await by.isFree(record(3n, null))).to.equal(true);
    expect(await by.isFree(record(3n, 'other'))).to.equal(true);
    expect(await by.isFree(record(3n))).to.equal(false);
  });

  it('is free when the same heartbeat has been seen for a whole lease time, and not while heartbeats come', async () => {
    const by = observer();
    for (let beat = 0n; beat < 5n; beat += 1n) {
      expect(await by.isFree(record(beat))).to.equal(false);
      by.after(99);
    }
    expect(await by.isFree(record(5n))).to.equal(false);
    by.after(99);
    expect(await by.isFree(record(5n))).to.equal(false); // and looked at meanwhile
    by.after(1);
    expect(await by.isFree(record(5n))).to.equal(true);
    expect(await by.isFree(record(5n, 'third', 2n))).to.equal(false);
  });

  it('is observed anew by an instance that was away for a whole lease time', async () => {
    const by = observer();
    expect(await by.isFree(record(5n))).to.equal(false);
    by.after(150);
    expect(await by.isFree(record(5n))).to.equal(false);
  });

  it('is free a whole lease time after a heartbeat was seen, not counting how long the reads took: a heartbeat may come during one', async () => {
    const by = observer();
    by.readsTake(30);
    expect(await by.isFree(record(5n))).to.equal(false);
    by.after(69);
    expect(await by.isFree(record(5n))).to.equal(false); // seen 30 ms after its call, called 69 ms later
    expect(await by.isFree(record(5n))).to.equal(false); // called 99 ms later
    expect(await by.isFree(record(5n))).to.equal(true);
  });

  it('is known in time: the next expiry counts from the read that first saw a heartbeat, without released and expired leases', async () => {
    const by = observer();
    const one = (beat: bigint) => ({ ...record(beat), _id: 'one' });
    const two = (beat: bigint, holder: string | null = 'one') => ({ ...record(beat, holder), _id: 'two' });
    const released = { ...record(1n, null), _id: 'released' };
    const expiresIn = async (...records: LeaseRecord[]) => untilExpiry(await by.sees(...records), leaseMs);
    expect(await expiresIn(one(1n), two(1n), released)).to.equal(100);
    by.after(60);
    expect(await expiresIn(one(1n), two(2n), released)).to.equal(40);
    by.after(41);
    expect(await expiresIn(one(1n), two(2n), released)).to.equal(59);
    expect(await expiresIn(one(1n), two(2n, null), released)).to.equal(Number.POSITIVE_INFINITY);
  });
});
