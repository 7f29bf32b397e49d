import { temporaryDirectory } from '../test/support/temporary-directory.js';
import { latencies, startSink } from './arrivals.js';
import { publish, registerHook, sendPaced } from './flow-events.js';
import { rateOf, startService } from './processes.js';
import { quantile, report } from './report.js';

/** Each hook has a type of flow event of its own; every tenth hook hangs. */
const hooks = 1_000;
const hangs = (hook: number): boolean => hook % 10 === 9;
const typeOf = (hook: number): string => `flow.${hook}`;
/** To all hooks together. For longer than an attempt's deadline, so that whatever those that hang can hold up is held up. */
const perSecond = 200;
const seconds = 30;
const connections = 64;

const sink = await startSink(connections);
// At another host, as hooks of another platform are: what one host may take at once is limited whatever its hooks do.
const hanging = await startSink(connections, { hooks: 'hang', host: '127.0.0.2' });
const service = await startService(temporaryDirectory(), connections, { LOG_LEVEL: 'error' }); // it warns of each that hangs

/** How long events took to the healthy hooks, which get as many either way. */
async function measure(count: number, those: 'all hooks' | 'healthy hooks'): Promise<readonly number[]> {
  const handedOver = await sendPaced({ perSecond, count }, async (id, number) => {
    const hook = number % hooks;
    if (those === 'all hooks' || !hangs(hook)) await publish(service, id, typeOf(hook));
  });
  const healthy = Array.from({ length: count }, (_, number) => number % hooks).filter((hook) => !hangs(hook));
  return latencies(await sink.arrivals(healthy.length), handedOver);
}

let next = 0;
await rateOf(connections, hooks, async () => {
  const hook = next;
  next += 1;
  const { origin } = hangs(hook) ? hanging : sink;
  await registerHook(service, `${origin}/hook/${hook}`, typeOf(hook));
});
await measure(2 * perSecond, 'healthy hooks'); // a warm-up
const without = await measure(seconds * perSecond, 'healthy hooks');
const beside = await measure(seconds * perSecond, 'all hooks');
report({
  figure: `publish to arrival at 900 hooks, ${perSecond} a second for ${seconds} s, p99, with 100 hooks that hang beside them against without`,
  ours: quantile(beside, 0.99),
  peer: quantile(without, 0.99),
  unit: 'ms',
  target: { atMost: 1.5 },
});
await hanging.stop(); // first: it breaks off what the service would wait for
await service.stop();
await sink.stop();
