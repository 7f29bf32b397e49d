import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/**
 * Reads all that a customer may read, with many connections at once. Asked for 1, it begins; asked for 0, it ends, and
 * sends how many requests were answered.
 */
const [origin = '', key = '', cookie = '', orgId = ''] = process.argv.slice(2);
const connections = 60;
const pool = new Pool(origin, { connections });
const list = `orgId=${orgId}&limit=1000`;
const paths = [
  `/admin/api/flows?${list}`,
  `/admin/api/flows?${list}&type=none.*`,
  `/admin/api/deliveries?${list}`,
  '/portal/flow-events/export?format=csv',
  '/portal/flow-events',
  '/portal/audit/export?format=json',
];
let isReading = false;
let answered = 0;

async function read(first: number): Promise<void> {
  for (let next = first; isReading; next += 1) {
    const path = paths[next % paths.length] ?? '/';
    const headers = path.startsWith('/portal') ? { cookie } : { authorization: `Bearer ${key}` };
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    await body.dump({ limit: Number.MAX_SAFE_INTEGER });
    answered += 1;
    if (statusCode === 429)
      await pause(100); // sooner than its Retry-After says
    else if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
  }
}

let reading: Promise<unknown> = Promise.resolve();
process.on('message', async (asked: number) => {
  if (asked === 1) {
    isReading = true;
    answered = 0;
    reading = Promise.all(Array.from({ length: connections }, (_, index) => read(index)));
    process.send?.(0);
  } else {
    isReading = false;
    await reading;
    process.send?.(answered);
  }
});
process.once('disconnect', () => process.exit(0));
process.send?.({ origin });
