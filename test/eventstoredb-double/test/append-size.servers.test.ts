import { EventStoreDBClient, jsonEvent, MaxAppendSizeExceededError } from '@eventstore/db-client';
import { expect } from 'chai';
import type { VersionName } from '../src/server-version.js';
import { startEventStoreDouble } from '../src/start-double.js';
import { failureOf } from './support.js';

const mebibyte = 1_048_576;
const ofBytes = (bytes: number) =>
  jsonEvent({ type: 'type', data: { t: 'x'.repeat(bytes - '{"t":""}'.length) }, metadata: {} });
/** The metadata `{}`, and the type in UTF-16. */
const beside = 2 + 2 * 'type'.length;

describe('the double of EventStoreDB takes appends', () => {
  async function on(version: VersionName, test: (client: EventStoreDBClient) => Promise<void>): Promise<void> {
    const double = await startEventStoreDouble({ version });
    const client = EventStoreDBClient.connectionString(double.url);
    try {
      await test(client);
    } finally {
      await client.dispose();
      await double.stop();
    }
  }

  for (const [version, maxDataBytes] of [
    ['23.10', mebibyte],
    ['24.10', mebibyte - beside],
  ] as const) {
    it(`of up to ${maxDataBytes} bytes of data as ${version}`, () =>
      on(version, async (client) => {
        await client.appendToStream('a', ofBytes(maxDataBytes));
        expect(await failureOf(client.appendToStream('a', ofBytes(maxDataBytes + 1))))
          .to.be.instanceOf(MaxAppendSizeExceededError)
          .and.include({ maxAppendSize: mebibyte });
      }));
  }

  it('of any size as 26.1, if no message has 16 MiB', () =>
    on('26.1', async (client) => {
      await client.appendToStream('a', Array(5).fill(ofBytes(4 * mebibyte)), { batchAppendSize: 4 * mebibyte });
      expect(await failureOf(client.appendToStream('a', ofBytes(16 * mebibyte)))).to.include({ code: 8 });
    }));
});
