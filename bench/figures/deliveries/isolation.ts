import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { rateOf } from '../../processes/processes.js';
import { startSink } from '../../support/arrivals.js';
import { connections, reportBeside, startQuiet } from '../../support/beside.js';
import { publish, registerListener } from '../../support/flow-events.js';

const listeners = 1_000;
const hangs = (listener: number): boolean => listener % 10 === 9;
const typeOf = (listener: number): string => `flow.${listener}`;

const sink = await startSink(connections);
// Another host: posts to one host are limited in any case.
const hanging = await startSink(connections, { listeners: 'hang', host: '127.0.0.2' });

await reportBeside({
  sink,
  async start() {
    const service = await startQuiet(temporaryDirectory());
    let next = 0;
    await rateOf(connections, listeners, async () => {
      const listener = next;
      next += 1;
      const { origin } = hangs(listener) ? hanging : sink;
      await registerListener(service, `${origin}/hook/${listener}`, typeOf(listener));
    });
    return service;
  },
  roundSeconds: 16, // longer than an attempt's deadline, so that hanging listeners have their full effect
  async send(service, id, number, isTroubled) {
    const listener = number % listeners;
    if (isTroubled || !hangs(listener)) await publish(service, id, typeOf(listener));
    return !hangs(listener);
  },
  figure: (what) =>
    `publish to arrival at 900 listeners, ${what}, with 100 listeners that hang beside them against without`,
  atMost: 1.5,
  stop: hanging.stop,
});
await sink.stop();
