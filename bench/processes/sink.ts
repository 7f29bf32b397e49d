import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Arrival, now } from '../support/arrivals.js';
import { isOverTls, ownCertificate } from '../support/own-certificate.js';

/**
 * Listeners that answer 200, or `hang`. Asked for a number of posts, it sends the arrivals once there are that many,
 * and clears them.
 */
const [listeners = 'answer', host = '127.0.0.1'] = process.argv.slice(2);
let arrivals: Arrival[] = [];
let wanted: number | undefined;

function report(): void {
  if (wanted === undefined || arrivals.length < wanted) return;
  process.send?.(arrivals);
  arrivals = [];
  wanted = undefined;
}

const answer: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    if (listeners === 'hang') return;
    arrivals.push({ event: /^\{"id":"([^"]*)"/.exec(body)?.[1] ?? '', at: now() });
    response.end();
    report();
  });
};
const server = isOverTls ? createTlsServer(ownCertificate(), answer) : createServer(answer);
server.keepAliveTimeout = 60_000;
server.listen(0, host, () => {
  const scheme = isOverTls ? 'https' : 'http';
  process.send?.({ origin: `${scheme}://${host}:${(server.address() as AddressInfo).port}` });
});
process.on('message', (count: number) => {
  wanted = count;
  report();
});
process.once('disconnect', () => process.exit(0));
