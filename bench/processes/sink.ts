import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Arrival, now } from '../support/arrivals.js';

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

const server = createServer((request, response) => {
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
});
server.keepAliveTimeout = 60_000;
server.listen(0, host, () => process.send?.({ origin: `http://${host}:${(server.address() as AddressInfo).port}` }));
process.on('message', (count: number) => {
  wanted = count;
  report();
});
process.once('disconnect', () => process.exit(0));
