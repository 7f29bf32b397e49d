import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { type Server, startModule, startService, untilReady } from '../processes/processes.js';
import { makeConsoleHistory } from '../support/console-history.js';
import { durationOf, mediansInTurns } from '../support/in-turns.js';
import { orgId } from '../support/listeners.js';
import { report, reportBound } from '../support/report.js';

/** Size of one organisation, which is the worst case of its pages. */
const size = { listeners: 10_000, events: 40 };
const rounds = 20;
/** Limit of a page as it comes, without its stylesheet and scripts, which browsers keep. */
const maxKb = 100;
/** A user notices a tenth of a second. */
const maxMs = 100;

const directory = temporaryDirectory();
const { listenerIds, deliveries } = await makeConsoleHistory(directory, size);
const service = await startService(directory, 4);
const bare = await startModule('bare-page', 4);
await untilReady(service);

async function get({ pool }: Pick<Server, 'pool'>, path: string): Promise<string> {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
  return text;
}

const firstDelivery = /\/console(\/deliveries\/[\da-f-]{36})/.exec(
  await get(service, `/console/deliveries?orgId=${orgId}`),
);
const pages: Readonly<Record<string, string>> = {
  overview: '',
  listeners: '/listeners',
  'a listener': `/listeners/${listenerIds[listenerIds.length / 2]}`,
  'a search of listeners': `/listeners?url=host-7.localhost`,
  deliveries: `/deliveries?orgId=${orgId}`,
  'the dead letters': `/deliveries?orgId=${orgId}&state=exhausted`,
  'a delivery': `${firstDelivery?.[1]}?orgId=${orgId}`,
  'flow events': `/flow-events?orgId=${orgId}`,
  'a flow event by the beginning of its ID': `/flow-events?orgId=${orgId}&find=order-403`,
  'the one search': '/search?term=order-4011',
  audit: `/audit?orgId=${orgId}`,
  organisations: '/organisations',
  health: '/health',
};
const counts = `${size.listeners.toLocaleString('en-US')} listeners and ${deliveries.toLocaleString('en-US')} deliveries`;
for (const [name, path] of Object.entries(pages)) {
  const url = `/console${path}`;
  const bytes = Buffer.byteLength(await get(service, url));
  const medians = await mediansInTurns(
    { rounds, warmUps: 3 },
    { ours: () => durationOf(() => get(service, url)), peer: () => durationOf(() => get(bare, `/${bytes}`)) },
  );
  const figure = `${name}, of ${counts}`;
  report({
    figure: `${figure}: time against a static page of its size from a bare node:http server, medians of ${rounds}`,
    ...medians,
    unit: 'ms',
    target: { oursAtMost: maxMs },
  });
  reportBound({ figure: `${figure}: weight`, ours: bytes / 1_000, unit: 'kB', target: { atMost: maxKb } });
}
await Promise.all([service.stop(), bare.stop()]);
