import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END, type EventStoreDBClient, NO_STREAM, START, StreamNotFoundError } from '@eventstore/db-client';
import { expect } from 'chai';
import { startEventStoreDouble } from '../src/start-double.js';
import { type DoubleForTest, event, events, failureOf, readTypes, startDoubleForTest, watch } from './support.js';

describe('the double of EventStoreDB, scavenged', () => {
  let double: DoubleForTest['double'];
  let client: EventStoreDBClient;
  let connect: DoubleForTest['connect'];
  let afterwards: DoubleForTest['afterwards'];
  let close: DoubleForTest['close'];

  beforeEach(async () => {
    ({ double, client, connect, afterwards, close } = await startDoubleForTest());
  });
  afterEach(() => close());

  /** `<revision>@<stream>` of what the log holds, but for metadata. */
  const left = (of = double) =>
    of
      .everyEvent()
      .filter(({ stream }) => !stream.startsWith('$$'))
      .map(({ revision, stream }) => `${revision}@${stream}`);

  it('keeps the last event of a stream that was deleted, whose revisions go on behind it', async () => {
    await client.appendToStream('one', events(1));
    await client.appendToStream('three', events(3));
    for (const stream of ['one', 'three']) await client.deleteStream(stream);
    expect(double.scavenge()).to.equal(2);
    expect(left()).to.deep.equal(['0@one', '2@three']);
    expect(await failureOf(readTypes(client, 'three'))).to.be.instanceOf(StreamNotFoundError);

    const { nextExpectedRevision } = await client.appendToStream('three', event('again'), {
      expectedRevision: NO_STREAM,
    });
    expect(nextExpectedRevision).to.equal(3n);
    double.scavenge();
    expect(left()).to.deep.equal(['0@one', '3@three']);
  });

  it('keeps the last of the metadata, and nothing of a stream with a tombstone but that', async () => {
    await client.appendToStream('orders', events(3));
    await client.setStreamMetadata('orders', { cacheControl: 1 });
    await client.setStreamMetadata('orders', { maxCount: 2 });
    await client.appendToStream('gone', events(2));
    await client.setStreamMetadata('gone', { maxCount: 9 });
    await client.tombstoneStream('gone');
    double.scavenge();
    expect(double.everyEvent().map(({ stream, type }) => `${type}@${stream}`)).to.deep.equal([
      ...['e1@orders', 'e2@orders', '$metadata@$$orders', '$streamDeleted@gone'],
    ]);
  });

  it('changes nothing where nothing is hidden', async () => {
    await client.appendToStream('orders', events(3));
    expect(double.scavenge()).to.equal(0);
    expect(await readTypes(client, 'orders')).to.deep.equal(['e0', 'e1', 'e2']);
  });

  it('lets readers continue from removed positions', async () => {
    await client.appendToStream('orders', events(2));
    const { position } = await client.appendToStream('gone', events(2));
    await client.deleteStream('gone');
    await client.appendToStream('gone', event('again'));
    await client.appendToStream('orders', event('last'));
    double.scavenge();
    const fromPosition = position ?? END;
    const subscription = watch(client.subscribeToAll({ fromPosition }));
    await subscription.has('last');
    expect(subscription.log.filter((type) => type !== '$metadata').slice(0, 2)).to.deep.equal(['again', 'last']);
    const types: string[] = [];
    for await (const { event: read } of client.readAll({ fromPosition })) if (read) types.push(read.type);
    expect(types.filter((type) => type !== '$metadata')).to.deep.equal(['again', 'last']);
  });

  it('takes no event from a current reader, and returns none twice', async () => {
    await client.appendToStream('gone', events(600));
    await client.appendToStream('orders', events(600));
    const seen: bigint[] = [];
    for await (const { event: read } of client.readAll({ fromPosition: START })) {
      if (seen.length === 0) {
        await connect().deleteStream('gone');
        double.scavenge();
      }
      if (read?.streamId === 'orders') seen.push(read.revision);
    }
    expect(seen).to.deep.equal(Array.from({ length: 600 }, (_, revision) => BigInt(revision)));
  });

  it('keeps its state over a restart with its data', async () => {
    const dataFile = join(mkdtempSync(join(tmpdir(), 'double-')), 'events.jsonl');
    const before = await startEventStoreDouble({ dataFile });
    const writer = connect(before.url);
    await writer.appendToStream('gone', events(3));
    await writer.deleteStream('gone');
    before.scavenge();
    await before.stop();
    const after = await startEventStoreDouble({ dataFile });
    afterwards(() => after.stop());
    expect(left(after)).to.deep.equal(['2@gone']);
  });
});
