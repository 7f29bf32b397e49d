import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { SealNotGenuine, SealRefused, SealWorkUnderWay } from '../../../src/audit/errors.js';
import { type Seals, sealsOf } from '../../../src/audit/seals/seals.js';
import { keysCodec, keysStream } from '../../../src/events/key-events.js';
import { PayloadTooLarge } from '../../../src/http/errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { nextId, paused, subscribed } from '../../listeners/fixtures.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { appendListenerEvent, day } from '../append-events.js';

describe('seals over HTTP', () => {
  let store: EventStore;
  let keys: SigningKeys;
  let seals: Seals;
  const going = new AbortController().signal;

  beforeEach(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    keys = await signingKeys(generateSigningKeys());
    const retired = { masterKeys: [], signingKeys: [] };
    const recorded = { masterKeys: {}, signingKeys: [...keys.thumbprints], signsFrom: {}, retired };
    const cause = { actor: 'service', correlationId: 'start' };
    await store.append(keysStream, [keysCodec.encode({ type: 'KeysRecorded', data: recorded }, cause, day(1))]);
    await appendListenerEvent(store, subscribed(), { at: day(1) });
    await appendListenerEvent(store, subscribed({ hookUrl: 'https://hooks.example.com/2', listenerId: nextId }), {
      at: day(1),
    });
    seals = sealsOf({ store, signingKeys: keys });
  });
  afterEach(() => store.close());

  const make = async () => text((await seals.make(going)).content);
  const check = (seal: string, options = {}) =>
    seals.check(Readable.from([Buffer.from(seal)]), { signal: going, ...options });
  const leftFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('flow-hooks-seal-'));

  it('are made and checked without a file that remains', async () => {
    const before = leftFiles();
    const document = await seals.make(going);
    const seal = await text(document.content);
    expect(seal.split('\n')).to.have.length(5); // the statement, three streams, and the end of the last line
    expect(document.bytes).to.equal(Buffer.byteLength(seal));
    expect(await check(seal)).to.deep.include({
      ...{ streams: 3, events: 3, matches: true, differences: 0, erased: 0, findings: [] },
      thumbprint: keys.signer().thumbprint,
    });
    await until(() => leftFiles().length <= before.length, 'the temporary files to be removed');
  });

  it('show the first difference of each stream', async () => {
    const seal = await make();
    await appendListenerEvent(store, paused({ since: 0 }), { at: day(2) });
    const checked = await check(seal);
    expect(checked).to.include({ matches: false, differences: 1 });
    const [first] = checked.findings;
    expect(first).to.deep.include({ kind: 'added', from: '1', to: '1', at: null, by: null });
  });

  it('are refused if they were changed, without the name of a file', async () => {
    const seal = await make();
    for (const [changed, why] of [
      ['', /^the seal is empty$/],
      ['{}', /not a statement/],
      [seal.replace('listener-', 'listener_'), /^the seal has been changed/],
      [`${seal}no line\n`, /^the seal is damaged/],
    ] as const) {
      const error = await rejection(check(changed));
      expect(error).to.be.instanceOf(SealNotGenuine);
      expect((error as Error).message).to.match(why);
    }
    expect(await rejection(check(seal, { thumbprint: 'another' }))).to.be.instanceOf(SealNotGenuine);
  });

  it('are not made with a key that is not on record', async () => {
    const others = sealsOf({ store, signingKeys: await signingKeys(generateSigningKeys()) });
    expect(await rejection(others.make(going))).to.be.instanceOf(SealRefused);
  });

  it('are made and checked one at a time', async () => {
    const making = seals.make(going);
    expect(await rejection(seals.make(going))).to.be.instanceOf(SealWorkUnderWay);
    expect(await rejection(check('x'))).to.be.instanceOf(SealWorkUnderWay);
    const seal = await text((await making).content);
    expect((await check(seal)).matches).to.equal(true);
  });

  it('end when the caller has gone, and leave nothing behind', async () => {
    const before = leftFiles().length;
    const gone = AbortSignal.abort(new Error('the caller has gone'));
    expect(((await rejection(seals.make(gone))) as Error).message).to.equal('the caller has gone');
    const seal = await make();
    await rejection(seals.check(Readable.from([Buffer.from(seal)]), { signal: gone }));
    await until(() => leftFiles().length <= before, 'the temporary files to be removed');
    expect((await check(seal)).matches, 'the next one is not kept waiting').to.equal(true);
  });

  it('are refused above a size', async () => {
    const mebibyte = Buffer.alloc(1_048_576);
    const endless = Readable.from(
      (function* () {
        for (;;) yield mebibyte;
      })(),
    );
    expect(await rejection(seals.check(endless, { signal: going }))).to.be.instanceOf(PayloadTooLarge);
  });
});
