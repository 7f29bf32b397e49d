import { Agent, request } from 'node:http';
import { listenerPools } from '../../../src/deliveries/posting/listener-pools.js';
import { type Post, postThrough } from '../../../src/deliveries/posting/post.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { startModule } from '../../processes/processes.js';
import { deliveredBody } from '../../support/flow-events.js';
import { mediansInTurns } from '../../support/in-turns.js';
import { report } from '../../support/report.js';

const concurrency = 64;
const posts = 20_000;

const listener = await startModule('bare-page', 1);
const guard = targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] });
const pools = listenerPools({ connect: guard.connect, connections: concurrency, maxPools: 1 });
const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

/** The least that a client of `node:http` needs: permit, deadline, status, text of the answer. */
const postWithNode: Post = ({ url, headers, body, mayStart, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const options = { agent, method: 'POST', headers, insecureHTTPParser: true, maxHeaderSize: 128 * 1_024 };
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        clearTimeout(deadline);
        resolve({ kind: 'answered', status: answer.statusCode ?? 0, answer: Buffer.concat(chunks).toString() });
      });
    });
    const deadline = setTimeout(() => sent.destroy(), timeoutMs);
    sent.on('socket', () => mayStart() || sent.destroy());
    sent.on('error', reject);
    sent.end(body);
  });

const headers = {
  'content-type': 'application/json',
  'user-agent': 'Flow-Hooks/1.0.0',
  'webhook-id': 'msg_6f8b1c1e-9d5a-5f0e-8f0a-1c2d3e4f5a6b',
  'webhook-timestamp': '1700000000',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
};
const body = deliveredBody();

/** Processor time of this process for a post, in microseconds. */
async function costOf(post: Post): Promise<number> {
  let left = posts;
  const before = process.cpuUsage();
  const poster = async () => {
    for (; left > 0; left -= 1) {
      await post({ url: `${listener.origin}/`, headers, body, mayStart: () => true, timeoutMs: 15_000 });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, poster));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / posts;
}

report({
  figure: 'processor time of a post, 64 at a time, against node:http with its lenient parser',
  ...(await mediansInTurns(
    { rounds: 9, warmUps: 2 },
    { ours: () => costOf(postThrough(pools)), peer: () => costOf(postWithNode) },
  )),
  unit: 'µs',
  target: { atMost: 0.8 },
});
await pools.destroy();
agent.destroy();
await listener.stop();
