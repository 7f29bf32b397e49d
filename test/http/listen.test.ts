import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type Listening, listen } from '../../src/http/listen.js';

describe('a connection whose request does not arrive', () => {
  let served: Listening;
  before(async () => {
    served = await listen((_, response) => response.end('answered'), {
      host: '127.0.0.1',
      port: 0,
      deadlines: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 100 },
    });
  });
  after(() => served.stop(0));

  const first = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const [what, sent, answers] of [
    ['nothing is sent', '', ['408']],
    ['the headers are not complete', 'POST / HTTP/1.1\r\nHost: x\r\n', ['408']],
    ['the headers of its second request are not complete', `${first}GET / HTTP/1.1\r\n`, ['200', '408']],
    [
      'the body of an answered request is not',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1',
      ['200', '408'],
    ],
  ] as const) {
    it(`is closed at the deadline if ${what}`, async () => {
      const socket = connect(Number(new URL(served.origin).port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      const startedAt = performance.now();
      socket.write(sent);
      await once(socket, 'close');
      expect(performance.now() - startedAt).to.be.at.least(290);
      expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).to.eql(answers);
    });
  }
});
