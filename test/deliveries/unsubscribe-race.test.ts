import { unsubscribe as offChannel, subscribe as onChannel } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { startEngine } from '../support/delivery-engine.js';
import { startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

const rounds = 25;
const hooksPerRound = 100;

describe('the unsubscribe barrier', () => {
  it(`lets no post start after any of ${rounds * hooksPerRound} unsubscribes that race against fan-out, leasing and posting`, async () => {
    const sink = await startReceiver();
    const engine = startEngine({ settings: { concurrency: 64 } });
    const gone = new Set<string>();
    const late: string[] = [];
    let sent = 0;
    // Published by undici in the tick in which it writes a request to the socket.
    const onSend = (message: unknown) => {
      const { path } = (message as { request: { path: string } }).request;
      sent += 1;
      if (gone.has(path)) late.push(path);
    };
    onChannel('undici:client:sendHeaders', onSend);

    async function endSomeTime(listenerId: string, path: string): Promise<void> {
      for (let turns = Math.random() * 60; turns > 0; turns -= 1) await nextTurn();
      await engine.unsubscribe(listenerId);
      gone.add(path);
    }

    for (let round = 0; round < rounds; round += 1) {
      const paths = Array.from({ length: hooksPerRound }, (_, index) => `/${round}/${index}`);
      const registered = await Promise.all(paths.map((path) => engine.subscribe(sink.origin + path)));
      const published = Array.from({ length: 3 }, async (_, index) => {
        for (let turns = index * 20; turns > 0; turns -= 1) await nextTurn();
        await engine.publish({ round, index });
      });
      const ended = registered.map(({ listenerId }, index) => endSomeTime(listenerId, paths[index] ?? ''));
      await Promise.all([...published, ...ended]);
    }
    await until(engine.fannedOut, 'the fan-out');
    await until(async () => engine.deliveries.status().worker.underWay === 0, 'the attempts');
    offChannel('undici:client:sendHeaders', onSend);
    const counts = await engine.queue.counts(Date.now());
    await engine.stop();
    await sink.close();

    expect(late).to.deep.equal([]);
    expect(counts.waiting).to.equal(0);
    expect(sent, 'posts that were made in time').to.be.greaterThan(0);
    expect(counts.cancelled, 'deliveries that came too late').to.be.greaterThan(0);
  }).timeout(120_000);
});
