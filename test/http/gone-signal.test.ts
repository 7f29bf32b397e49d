import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { goneSignal } from '../../src/http/context.js';
import { until } from '../support/until.js';

describe('the signal that a caller has gone', () => {
  for (const [when, isBefore] of [
    ['while its request is answered', false],
    ['before the signal is asked for', true],
  ] as const)
    it(`is aborted if the connection closes ${when}`, async () => {
      let response: ServerResponse | undefined;
      const server = createServer((_, begun) => {
        response = begun;
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const going = new AbortController();
      const { port } = server.address() as AddressInfo;
      const requested = fetch(`http://127.0.0.1:${port}/`, { signal: going.signal }).catch(() => undefined);
      await until(() => response !== undefined, 'the request');
      if (!response) throw new Error('it has arrived');
      const res = response;
      const before = isBefore ? undefined : goneSignal({ res });
      going.abort();
      await until(() => res.closed, 'the end of the connection');
      expect((before ?? goneSignal({ res })).aborted).to.equal(true);
      await requested;
      server.close();
    });
});
