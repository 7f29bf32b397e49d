import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { SealNotGenuine, SealRefused } from '../../../src/audit/errors.js';
import { checkSeal, type FindErasure, type SealFinding } from '../../../src/audit/seals/check-seal.js';
import { makeSeal } from '../../../src/audit/seals/make-seal.js';
import { keysCodec, keysStream } from '../../../src/events/key-events.js';
import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { memoryStore, noErasures } from '../memory-store.js';

const recordedAt = '2026-01-01T00:00:00.000Z';
const sealedAt = new Date('2026-02-01T00:00:00.000Z');

/** The events of streams by the numbers of their events, interleaved, with the record of the keys first. */
function eventsOf(keys: SigningKeys, streams: Readonly<Record<string, number>>): RecordedEvent[] {
  const retired = { masterKeys: [], signingKeys: [] };
  const recorded = { masterKeys: {}, signingKeys: [...keys.thumbprints], signsFrom: {}, retired };
  const record = keysCodec.encode(
    { type: 'KeysRecorded', data: recorded },
    { actor: 'service', correlationId: 'start' },
    new Date(recordedAt),
  );
  const first = { ...record, stream: keysStream, revision: 0n, position: 0n, created: new Date(recordedAt) };
  const most = Math.max(0, ...Object.values(streams));
  const rounds = Array.from({ length: most }, (_, round) =>
    Object.entries(streams).flatMap(([stream, count]) => (round < count ? [eventIn(stream, round)] : [])),
  ).flat();
  return [first, ...rounds.map((event, index) => ({ ...event, position: BigInt(index + 1) }))];
}

const eventIn = (stream: string, revision: number): Omit<RecordedEvent, 'position'> => ({
  id: crypto.randomUUID(),
  stream,
  revision: BigInt(revision),
  type: 'Happened',
  data: { orgId: 'org-1', value: revision },
  metadata: { recordedAt },
  created: new Date(recordedAt),
});

describe('a seal', () => {
  let keys: SigningKeys;
  let path: string;

  beforeEach(async () => {
    keys = await signingKeys(generateSigningKeys());
    path = join(temporaryDirectory(), 'seal');
  });

  const seal = (events: readonly RecordedEvent[], to = path) =>
    makeSeal({ store: memoryStore(events), signingKeys: keys, path: to, now: () => sealedAt });

  const check = (
    events: readonly RecordedEvent[],
    { findErasure = noErasures, ...rest }: { findErasure?: FindErasure; path?: string; thumbprint?: string } = {},
  ): Promise<readonly SealFinding[]> =>
    checkSeal({ store: memoryStore(events), path, findErasure, ...rest }, async ({ findings }) => {
      const found: SealFinding[] = [];
      for await (const finding of findings) found.push(finding);
      return found;
    });

  const history = () => eventsOf(keys, { 'listener-a': 4, 'session-b': 3, 'integrationTask-default': 1, 'flow-c': 5 });

  it('is valid while no sealed event is changed, also after later events', async () => {
    const events = history();
    expect(await seal(events)).to.include({ streams: 4, events: 9, sealedAt: sealedAt.toISOString() });
    expect(await check(events)).to.deep.equal([]);
    const later = { metadata: { recordedAt: '2026-02-01T00:00:01.000Z' } };
    const more = [
      { ...eventIn('listener-a', 4), ...later, position: 100n },
      { ...eventIn('listener-new', 0), ...later, position: 101n },
    ];
    expect(await check([...events, ...more])).to.deep.equal([]);
  });

  it('holds for a copy, where other events stand in between', async () => {
    const events = history();
    await seal(events);
    const copy = events.map((event) => ({ ...event, position: event.position * 7n + 3n, created: new Date() }));
    expect(await check(copy)).to.deep.equal([]);
  });

  it('leaves flow events out, which are their producers’', async () => {
    const events = history();
    await seal(events);
    expect(readFileSync(path, 'utf8')).not.to.include('flow-');
    expect(await check(events.filter(({ stream }) => stream !== 'flow-c'))).to.deep.equal([]);
  });

  it('names the stream, the revision and the kind of any single change of any event', async () => {
    const change = fc.constantFrom<(event: RecordedEvent) => RecordedEvent | undefined>(
      (event) => ({ ...event, data: { ...(event.data as object), value: 'x' } }),
      (event) => ({ ...event, data: undefined }),
      (event) => ({ ...event, metadata: { ...(event.metadata as object), actor: 'x' } }),
      (event) => ({ ...event, type: 'Other' }),
      (event) => ({ ...event, id: crypto.randomUUID() }),
      () => undefined,
    );
    const lengths = fc.record({
      'listener-a': fc.integer({ min: 1, max: 8 }),
      'listener-b': fc.integer({ min: 1, max: 300 }),
      'session-c': fc.integer({ min: 1, max: 3 }),
      'apiKey-d': fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(lengths, fc.nat(), change, async (streams, place, apply) => {
        const events = eventsOf(keys, streams);
        const file = join(temporaryDirectory(), 'seal');
        await seal(events, file);
        const index = 1 + (place % (events.length - 1)); // the record of the keys is another story
        const touched = events[index] as RecordedEvent;
        const now = apply(touched);
        const found = await check([...events.slice(0, index), ...(now ? [now] : []), ...events.slice(index + 1)], {
          path: file,
        });
        expect(found).to.have.length(1);
        const [finding] = found;
        expect(finding).to.include({ stream: touched.stream, kind: now ? 'changed' : 'removed' });
        if (!finding || finding.kind === 'erased') throw new Error('it was not erased');
        expect(finding.from <= touched.revision && touched.revision <= finding.to).to.equal(true);
        const isShort = streams[touched.stream as keyof typeof streams] <= 256;
        if (isShort) expect(finding.from === finding.to).to.equal(true);
      }),
      { numRuns: 60 },
    );
  });

  it('names a stream that is gone, and one that is put in with an old date, also behind sealed events', async () => {
    const events = history();
    await seal(events);
    expect(await check(events.filter(({ stream }) => stream !== 'session-b'))).to.deep.equal([
      { stream: 'session-b', kind: 'removed', from: 0n, to: 2n },
    ]);
    const added = [eventIn('listener-z', 0), eventIn('listener-z', 1), eventIn('listener-a', 4)];
    expect(await check([...events, ...added.map((event) => ({ ...event, position: 50n }))])).to.deep.equal([
      { stream: 'listener-a', kind: 'added', from: 4n, to: 4n },
      { stream: 'listener-z', kind: 'added', from: 0n, to: 0n },
    ]);
  });

  it('lets clocks disagree a little', async () => {
    const events = history();
    await seal(events);
    const metadata = { recordedAt: new Date(sealedAt.getTime() - 60_000).toISOString() };
    expect(await check([...events, { ...eventIn('listener-z', 0), metadata, position: 50n }])).to.deep.equal([]);
  });

  it('distinguishes an erased stream from one that was tampered with', async () => {
    const events = history();
    await seal(events);
    const erasure = { at: '2026-03-01T00:00:00.000Z', by: 'admin:ops' };
    const findErasure: FindErasure = async (stream) => (stream === 'session-b' ? erasure : undefined);
    const left = events.filter(
      ({ stream, revision }) => stream !== 'session-b' && !(stream === 'listener-a' && revision === 1n),
    );
    expect(await check(left, { findErasure })).to.deep.equal([
      { stream: 'listener-a', kind: 'removed', from: 1n, to: 1n },
      { stream: 'session-b', kind: 'erased', ...erasure },
    ]);
  });

  it('neither replaces an existing file, nor is made with a key that is not the service’s', async () => {
    const events = history();
    await seal(events);
    const first = readFileSync(path, 'utf8');
    expect(await rejection(seal(events)))
      .to.be.instanceOf(SealRefused)
      .with.property('message')
      .that.includes('the file exists');
    expect(readFileSync(path, 'utf8')).to.equal(first);
    keys = await signingKeys(generateSigningKeys());
    const refusal = await rejection(seal(events, `${path}-2`));
    expect(refusal).to.be.instanceOf(SealRefused).with.property('message').that.includes(keys.thumbprints[0]);
  });

  it('leaves nothing where it could not be made', async () => {
    const broken = new Error('the store is away');
    const store = { ...memoryStore(history()), head: () => Promise.reject(broken) };
    expect(await rejection(makeSeal({ store, signingKeys: keys, path, now: () => sealedAt }))).to.equal(broken);
    expect(readdirSync(dirname(path))).to.deep.equal([]);
  });

  it('holds when its key has long been retired', async () => {
    const events = history();
    await seal(events);
    const successor = await signingKeys(generateSigningKeys());
    const [record] = eventsOf(successor, {});
    const metadata = { ...(record?.metadata as object), recordedAt: '2026-02-02T00:00:00.000Z' };
    const retired = { ...(record as RecordedEvent), metadata, revision: 1n, position: 60n };
    expect(await check([...events, retired])).to.deep.equal([]);
  });

  describe('is not believed', () => {
    const refused = async (events: readonly RecordedEvent[], options = {}) => {
      const refusal = await rejection(check(events, options));
      expect(refusal).to.be.instanceOf(SealNotGenuine);
      return (refusal as Error).message;
    };

    it('if its lines are not the signed ones', async () => {
      const events = history();
      await seal(events);
      const lines = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, [lines[0], ...lines.slice(2)].join('\n'));
      expect(await refused(events)).to.match(/has been changed/);
      const noRevision = lines[1]?.replace(/"\d+","\d+"/, '"0","9223372036854775808"');
      for (const damaged of ['nonsense', noRevision]) {
        writeFileSync(path, [lines[0], damaged, ''].join('\n'));
        expect(await refused(events)).to.match(/is damaged/);
      }
    });

    it('where its statement is none, or the signature does not hold', async () => {
      const events = history();
      await seal(events);
      const [statement = '', ...lines] = readFileSync(path, 'utf8').split('\n');
      const token = await keys.sign({ sub: 'user-1' }, 'at+jwt');
      const [header, payload = '', signature] = statement.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const forged = Buffer.from(JSON.stringify({ ...claims, events: 8 })).toString('base64url');
      for (const first of ['', token, [header, forged, signature].join('.')]) {
        writeFileSync(path, [first, ...lines].join('\n'));
        expect(await refused(events), first).to.match(/not a statement signed with its key/);
      }
      writeFileSync(path, '');
      expect(await refused(events)).to.match(/is empty/);
      expect(await rejection(check(events, { path: `${path}-none` }))).to.be.instanceOf(SealRefused);
    });

    it('if its key is not recorded, or differs from the required one', async () => {
      const events = history();
      await seal(events);
      const forger = await signingKeys(generateSigningKeys());
      const forged = join(temporaryDirectory(), 'forged');
      const theirs = eventsOf(forger, { 'listener-a': 1 });
      await makeSeal({ store: memoryStore(theirs), signingKeys: forger, path: forged, now: () => sealedAt });
      expect(await refused(events, { path: forged })).to.include(forger.thumbprints[0]);
      expect(await refused(events, { thumbprint: forger.thumbprints[0] })).to.include('not with');
      expect(await check(events, { thumbprint: keys.thumbprints[0] })).to.deep.equal([]);
      expect(await refused(events.slice(1))).to.match(/not recorded as a key/);
    });
  });
});
