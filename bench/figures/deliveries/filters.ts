import { costlyData, costlyFilters } from '../../../test/support/costly-filters.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post } from '../../processes/processes.js';
import { startSink } from '../../support/arrivals.js';
import { connections, perSecond, reportBeside, startQuiet } from '../../support/beside.js';
import { publish, registerListener } from '../../support/flow-events.js';

/** Each filter uses up its steps; a 170 KB event is published each second. */
const harmful = { orgId: 'org-2', listeners: 100 };

const sink = await startSink(connections);
await reportBeside({
  sink,
  async start() {
    const service = await startQuiet(temporaryDirectory());
    await registerListener(service, `${sink.origin}/hook`);
    for (const [number, filter] of costlyFilters(harmful.listeners).entries()) {
      await post(service, {
        path: '/api/hooks/subscribe/flows',
        headers: { orgid: harmful.orgId, userid: 'user-2' },
        body: JSON.stringify({
          hookUrl: `${sink.origin}/harmful/${number}`,
          subscriptionType: 'flow.harmful',
          filter: JSON.parse(filter ?? ''),
        }),
        expected: 201,
      });
    }
    return service;
  },
  async send(service, id, number, isTroubled) {
    await publish(service, id);
    if (number % perSecond === 0) {
      // Published in both, so that only the evaluation differs.
      const type = isTroubled ? 'flow.harmful' : 'flow.unwanted';
      const body = JSON.stringify({ orgId: harmful.orgId, type, id: `${id}-harmful`, data: costlyData });
      await post(service, { path: '/api/flows', body, expected: 202 });
    }
    return true;
  },
  figure: (what) =>
    `publish to arrival at one listener, ${what}, with ${harmful.listeners} listeners of another organisation with costly filters and 1 event of 170 KB a second to them, against without`,
  atMost: 2,
});
await sink.stop();
