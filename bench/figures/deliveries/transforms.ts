import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { startSink } from '../../support/arrivals.js';
import { connections, perSecond, reportBeside, startQuiet } from '../../support/beside.js';
import { publish, registerListener } from '../../support/flow-events.js';

const harmful = {
  'flow.loops': '($f := function($x) { $f($x + 1) }; $f(1))',
  'flow.grows': '($f := function($x) { $x + $f($x + 1) }; $f(1))',
  'flow.allocates': '$map([1..1000000], function($i) { [1..1000] })',
  'flow.matches': '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)',
};
const types = Object.keys(harmful);

/** Events per event to a harmful listener. */
const harmfulEvery = 20;

const sink = await startSink(connections);
await reportBeside({
  sink,
  async start() {
    const service = await startQuiet(temporaryDirectory());
    await registerListener(service, `${sink.origin}/hook`);
    for (const [type, transform] of Object.entries(harmful)) {
      await registerListener(service, `${sink.origin}/${type}`, type, { transform });
    }
    return service;
  },
  async send(service, id, number, isTroubled) {
    await publish(service, id);
    if (number % harmfulEvery === 0) {
      // Published in both, so that only the evaluation differs.
      const type = isTroubled ? (types[(number / harmfulEvery) % types.length] ?? '') : 'flow.unwanted';
      await publish(service, `${id}-harmful`, type);
    }
    return true;
  },
  figure: (what) =>
    `publish to arrival at one listener, ${what}, with ${types.length} listeners beside it whose transformations loop or allocate without end (${perSecond / harmfulEvery} events a second) against without`,
  atMost: 1.5,
});
await sink.stop();
